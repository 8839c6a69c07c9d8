//! `docs/findings.md` has every code, and no other.

use std::fs;

use linkspec::verdict::FindingCode;

#[test]
fn every_code_has_its_heading() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/findings.md")).unwrap();
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let codes: Vec<&str> = FindingCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(headings, codes);
}
