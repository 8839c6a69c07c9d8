//! What is said of wrong specs: every `tests/golden/bad-specs/NAME.yaml` is refused with the text of `NAME.stderr`.
//!
//! `LINKSPEC_GOLDEN=overwrite cargo test --test bad_specs` renews the texts. Files in folders are included by those.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use linkspec::spec::load;
use proptest::prelude::*;

const FOLDER: &str = "tests/golden/bad-specs";

fn specs() -> Vec<PathBuf> {
    let entries = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
    let mut specs: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    specs.sort();
    specs
}

/// What is said of a spec, or `None` if it is accepted.
fn refusal(path: &Path) -> Option<String> {
    load(path, &[]).err().map(|error| error.render(false))
}

#[test]
fn every_wrong_spec_is_refused_with_its_text() {
    let specs = specs();
    assert!(specs.len() > 60, "only {} specs were found", specs.len());
    let overwrite = std::env::var("LINKSPEC_GOLDEN").is_ok_and(|value| value == "overwrite");
    let mut wrong = Vec::new();
    for spec in &specs {
        let golden = spec.with_extension("stderr");
        let Some(text) = refusal(spec) else {
            wrong.push(format!("{}: accepted", spec.display()));
            continue;
        };
        if overwrite {
            fs::write(&golden, &text).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != text {
            wrong.push(format!("{}: says\n{text}", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_refusal_names_its_place() {
    for spec in specs() {
        let text = refusal(&spec).unwrap_or_default();
        // What is wrong may stand in a file that the spec includes.
        assert!(text.contains(&format!("--> {FOLDER}/")), "{}: {text}", spec.display());
    }
}

#[cfg(unix)]
#[test]
fn an_include_that_leaves_the_folder_by_a_link_is_refused() {
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("specs");
    fs::create_dir(&inner).unwrap();
    fs::write(outer.path().join("outside.yaml"), "linkspec: 1\n").unwrap();
    std::os::unix::fs::symlink("../outside.yaml", inner.join("inside.yaml")).unwrap();
    let spec = inner.join("suite.yaml");
    fs::write(&spec, "linkspec: 1\nsuite: s\ninclude: [inside.yaml]\ntests: [{name: a, gpu: {count: 1}}]\n").unwrap();
    let text = refusal(&spec).expect("a link led out of the folder");
    assert!(text.contains("inside.yaml"), "{text}");
    // A link that stays within is no matter.
    fs::remove_file(inner.join("inside.yaml")).unwrap();
    fs::write(inner.join("real.yaml"), "linkspec: 1\n").unwrap();
    std::os::unix::fs::symlink("real.yaml", inner.join("inside.yaml")).unwrap();
    assert_eq!(refusal(&spec), None);
}

/// Loads a text as a spec of its own. That this returns at all is the point.
fn load_text(text: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spec.yaml");
    fs::write(&path, text).unwrap();
    refusal(&path)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        load_text(&text);
    }

    #[test]
    fn any_text_of_yaml_characters_is_answered(text in "[-:,{}\\[\\]&*!|>'\"%@`#?~ \ta-c$<0-9\n]{0,120}") {
        load_text(&text);
    }

    #[test]
    fn a_spec_with_a_changed_character_is_answered(at in any::<prop::sample::Index>(), by in any::<char>()) {
        let mut text: Vec<char> = fs::read_to_string("specs/h200-x2.yaml").unwrap().chars().collect();
        let at = at.index(text.len());
        text[at] = by;
        load_text(&text.into_iter().collect::<String>());
    }

    #[test]
    fn a_spec_that_ends_early_is_answered(at in any::<prop::sample::Index>()) {
        let text: Vec<char> = fs::read_to_string("specs/h200-x2.yaml").unwrap().chars().collect();
        load_text(&text[..at.index(text.len())].iter().collect::<String>());
    }

    #[test]
    fn a_spec_that_lacks_a_line_is_answered(at in any::<prop::sample::Index>()) {
        let text = fs::read_to_string("specs/h200-x2.yaml").unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.remove(at.index(lines.len()));
        load_text(&lines.join("\n"));
    }
}
