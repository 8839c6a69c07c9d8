//! The specs that the README and `docs/` show can be read, give no warning, and say what the text around them says.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::{fs, path::Path, process::Command};

use linkspec::spec::load;

/// The pages with their names.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let pages = pages.chain([root.join("README.md")]);
    pages.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap())).collect()
}

/// The whole specs of a page: its YAML blocks that begin with the version.
fn specs(page: &str) -> Vec<&str> {
    let blocks = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split_once("```"));
    blocks.map(|(block, _)| block).filter(|block| block.starts_with("linkspec: 1\n")).collect()
}

#[test]
fn every_spec_can_be_read_and_gives_no_warning() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spec.yaml");
    let mut count = 0;
    for (name, page) in pages() {
        for spec in specs(&page) {
            fs::write(&file, spec).unwrap();
            let loaded = load(&file, &[]);
            let warnings = loaded.map(|loaded| loaded.warnings).map_err(|error| error.render(false));
            assert_eq!(warnings, Ok(Vec::new()), "{name}:\n{spec}");
            count += 1;
        }
    }
    assert!(count > 3, "only {count} specs were found");
}

/// The headings of a page as links name them: lower case, hyphens for blanks, other signs left out.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |c: char| (c.is_alphanumeric() || "-_ ".contains(c)).then_some(if c == ' ' { '-' } else { c });
    headings.map(|heading| heading.to_lowercase().chars().filter_map(kept).collect()).collect()
}

#[test]
#[ignore = "docs/verified-on.md, which three pages link, is not there yet"]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut dead = Vec::new();
    for (name, page) in pages() {
        let links = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = if file.is_empty() { name.clone().into() } else { Path::new(&name).with_file_name(file) };
            let found = path.extension().is_some_and(|ending| ending == "md").then(|| fs::read_to_string(&path));
            match found {
                Some(Ok(text)) if anchor.is_empty() || anchors(&text).iter().any(|known| known == anchor) => {}
                None if path.exists() => {}
                _ => dead.push(format!("{name}: {link}")),
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

fn run(spec: &Path, host: &str, out: &Path) -> (Option<i32>, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_linkspec"))
        .args([spec, Path::new("--host"), Path::new(host), Path::new("--out"), out])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("COLUMNS", "80")
        .output()
        .unwrap();
    (run.status.code(), String::from_utf8_lossy(&run.stdout).into_owned())
}

#[test]
fn the_readme_shows_what_the_faulty_server_gives() {
    let folder = tempfile::tempdir().unwrap();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, shown) = page.split_once("```text\nFAIL  hgx-h100::all-reduce ").unwrap();
    // The first line ends with the time that the case took.
    let (_, shown) = shown.split("```").next().unwrap().split_once('\n').unwrap();
    let (code, output) = run(Path::new("specs/hgx-h100.yaml"), "recordings/hgx-h100-faulty", folder.path());
    assert_eq!(code, Some(1));
    for part in shown.split("...\n") {
        assert!(output.contains(part), "{part}\nis not in\n{output}");
    }
}

#[test]
fn the_collectives_of_writing_specs_pass_on_the_recorded_server() {
    let folder = tempfile::tempdir().unwrap();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/writing-specs.md")).unwrap();
    let collectives: Vec<&str> = specs(&page).into_iter().filter(|spec| spec.contains("suite: collectives")).collect();
    assert_eq!(collectives.len(), 2);
    for spec in collectives {
        let file = folder.path().join("collectives.yaml");
        fs::write(&file, spec).unwrap();
        let (code, output) = run(&file, "recordings/h200-x2", folder.path());
        assert_eq!(code, Some(0), "{spec}\n{output}");
    }
}
