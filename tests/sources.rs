//! `specs/SOURCES.md` says where the figures of every pack are from. Renew it with `ci/sources`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::{
    collections::BTreeMap,
    fmt::{Display, Write as _},
    fs,
    path::PathBuf,
    sync::Arc,
};

use linkspec::{
    plan::{Selection, plan},
    spec::{Bound, BoundBase, BoundValue, Kind, Level, Suite, load},
    units::Size,
};

const LIST: &str = "specs/SOURCES.md";

const TITLE: &str = "\
# Sources of the figures

Every bound of a pack that rests on a figure names the source of it. `ci/sources` writes this list from the packs.

- `measured`: recorded by this project, in the folder that is named
- `published-measurement`: what someone else has measured and published; floors are below it by what the note says
- `published-threshold`: what someone else demands of such machines, as it stands
";

/// What a source has to say, and the kinds that there are.
const KEYS: [&str; 4] = ["date", "kind", "library", "url"];
const KINDS: [&str; 3] = ["measured", "published-measurement", "published-threshold"];

fn packs() -> Vec<Arc<Suite>> {
    let mut files: Vec<PathBuf> = fs::read_dir("specs").unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    files
        .iter()
        .map(|file| {
            let loaded = load(file, &[]).map_err(|error| error.render(false)).unwrap();
            assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
            loaded.suite.unwrap()
        })
        .collect()
}

/// The rows of a pack's bounds by their source.
fn rows(suite: &Arc<Suite>) -> BTreeMap<String, Vec<String>> {
    let all = Selection { level: Some(Level::Soak), ..Selection::default() };
    let mut rows = BTreeMap::new();
    for case in plan(suite, &all).unwrap().cases {
        let Kind::Collective(collective) = &*case.kind else { continue };
        for (size, bound) in &collective.expect.busbw {
            row(&case.short_name(), *size, "busbw", bound, &mut rows);
        }
        for (size, bound) in &collective.expect.latency {
            row(&case.short_name(), *size, "latency", bound, &mut rows);
        }
    }
    rows
}

fn row<T: Display>(case: &str, size: Size, what: &str, bound: &Bound<T>, rows: &mut BTreeMap<String, Vec<String>>) {
    let Some(source) = &bound.source else { return };
    let value = match &bound.value {
        BoundValue::Limits { min: Some(min), max: Some(max) } => format!("{min} to {max}"),
        BoundValue::Limits { min: Some(min), .. } => format!("at least {min}"),
        BoundValue::Limits { max, .. } => max.iter().map(|max| format!("at most {max}")).collect(),
        BoundValue::Share { at_least, of } => {
            let of = match of {
                BoundBase::Link => "the links of one GPU".to_owned(),
                BoundBase::Baseline => "the baseline".to_owned(),
                BoundBase::Case { test, .. } => test.clone(),
            };
            format!("at least {:.0} % of {of}", at_least * 100.0)
        }
    };
    let note = bound.note.as_deref().unwrap_or_default();
    let row = format!("| `{case}` | {size} | {what} {value} | {note} |\n");
    rows.entry(source.value.clone()).or_default().push(row);
}

fn list() -> String {
    let mut text = TITLE.to_owned();
    for suite in packs() {
        let rows = rows(&suite);
        write!(text, "\n## {}\n", suite.name).unwrap();
        for (name, source) in &suite.sources {
            let source = &source.value;
            for key in KEYS {
                assert!(source.contains_key(key), "{}: the source `{name}` lacks `{key}`", suite.name);
            }
            assert!(KINDS.contains(&source["kind"].as_str()), "{}: {}", suite.name, source["kind"]);
            write!(text, "\n### {name}\n\n{}, {}, {}\n", source["kind"], source["date"], source["library"]).unwrap();
            writeln!(text, "<{}>", source["url"]).unwrap();
            source.get("note").into_iter().for_each(|note| text.push_str(&format!("\n{note}\n")));
            text.push_str("\n| case | size | bound | note |\n| --- | --- | --- | --- |\n");
            rows.get(name).into_iter().flatten().for_each(|row| text.push_str(row));
        }
    }
    text
}

#[test]
fn the_list_of_sources_is_up_to_date() {
    let fresh = list();
    if std::env::var("LINKSPEC_GOLDEN").is_ok_and(|value| value == "overwrite") {
        fs::write(LIST, &fresh).unwrap();
    }
    assert!(fs::read_to_string(LIST).unwrap_or_default() == fresh, "{LIST} is stale: run ci/sources");
}
