//! Reports of what no one would write but tools have printed: they stay well-formed and change no terminal.

use linkspec::{
    record::{CaseRecord, RunRecord},
    report::{Style, console, junit, markdown},
    verdict::Outcome,
};
use proptest::prelude::*;
use quick_junit::{NonSuccessKind, Report, TestCaseStatus};

use crate::records;

pub const HOSTILE: &str = "a\0b\u{7}\u{1b}[31mred\u{1b}[0m ]]> <b>\"q\"</b> & 'x' \u{fffe}\u{ffff}\u{feff} \u{9b}2J \u{1b}]0;t\u{7}\r\nnext\u{85}";

/// A record with a text in every place that a tool or a spec can fill.
pub fn with(text: &str) -> RunRecord {
    let mut record = records::mixed();
    record.header.title = Some(text.into());
    record.header.hostname = text.into();
    record.header.warnings = vec![text.into()];
    record.header.facts.sources.insert(text.into(), text.into());
    for case in &mut record.cases {
        spoil(case, text);
    }
    record
}

fn spoil(case: &mut CaseRecord, text: &str) {
    case.title = Some(text.into());
    case.output = Some(text.into());
    case.repeat = text.into();
    case.cell.push((text.into(), text.into()));
    if case.verdict.skip_reason.is_some() {
        case.verdict.skip_reason = Some(text.into());
    }
    for measured in &mut case.verdict.measured {
        measured.subject = text.into();
        measured.actual = text.into();
    }
    for finding in &mut case.verdict.findings {
        finding.message = text.into();
        finding.device = Some(text.into());
        finding.hint = Some(text.into());
        finding.source = Some(text.into());
    }
}

/// XML 1.0, section 2.2.
fn allowed_in_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}

/// The attributes that the schema of Jenkins, `junit-10.xsd` of its xUnit step, knows; `ci/junit-check` reads the schema.
const ATTRIBUTES: [(&str, &[&str]); 10] = [
    ("testsuites", &["name", "time", "tests", "failures", "errors"]),
    ("testsuite", &["name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"]),
    ("properties", &[]),
    ("property", &["name", "value"]),
    ("testcase", &["name", "time", "classname"]),
    ("failure", &["type", "message"]),
    ("error", &["type", "message"]),
    ("skipped", &["type", "message"]),
    ("flakyFailure", &["type", "message"]),
    ("rerunFailure", &["type", "message"]),
];

fn check_known_to_jenkins(document: &roxmltree::Document<'_>) {
    for element in document.descendants().filter(roxmltree::Node::is_element) {
        let name = element.tag_name().name();
        let known = ATTRIBUTES.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, known)| known);
        assert!(known.len() + usize::from(matches!(name, "properties" | "system-out")) > 0, "{name}");
        element.attributes().for_each(|found| assert!(known.contains(&found.name()), "{} of {name}", found.name()));
        let parent = element.parent_element().map(|parent| parent.tag_name().name().to_owned());
        assert!(name != "properties" || parent.as_deref() == Some("testsuite"), "properties of {parent:?}");
    }
}

fn check_junit(record: &RunRecord) {
    let text = junit::render(record).unwrap();
    assert!(text.chars().all(allowed_in_xml));
    let document = roxmltree::Document::parse(&text).unwrap();
    check_known_to_jenkins(&document);
    let suite = document.root_element().first_element_child().unwrap();
    assert_eq!((document.root_element().tag_name().name(), suite.tag_name().name()), ("testsuites", "testsuite"));

    let counts = record.counts();
    let report = Report::deserialize_from_str(&text).unwrap();
    assert_eq!((report.tests, report.failures, report.errors), (counts.total(), counts.fail, counts.error));
    assert_eq!(report.test_suites.len(), 1);
    let suite = &report.test_suites[0];
    assert_eq!(
        (suite.tests, suite.failures, suite.errors, suite.skipped),
        (counts.total(), counts.fail, counts.error, counts.skip)
    );
    for (read, case) in suite.test_cases.iter().zip(&record.cases) {
        assert_eq!(read.name.as_str(), case.short_name());
        let outcome = match &read.status {
            TestCaseStatus::Success { .. } => Outcome::Pass,
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, .. } => Outcome::Fail,
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, .. } => Outcome::Error,
            TestCaseStatus::Skipped { .. } => Outcome::Skip,
        };
        assert_eq!(outcome, case.verdict.outcome, "{}", case.name);
    }
}

#[test]
fn junit_of_every_record_reads_back() {
    for (_, record) in records::all() {
        check_junit(&record);
    }
    check_junit(&with(HOSTILE));
}

#[test]
fn what_a_tool_printed_is_kept_but_for_what_xml_forbids() {
    let text = junit::render(&with(HOSTILE)).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let output = document.descendants().find(|node| node.has_tag_name("system-out")).unwrap().text().unwrap();
    assert!(output.ends_with("abred ]]> <b>\"q\"</b> & 'x'  2J \nnext"), "{output:?}");
}

#[test]
fn no_control_character_reaches_the_terminal() {
    for style in [Style::PLAIN, Style { color: false, width: 30 }] {
        let text = console::whole(&with(HOSTILE), None, style);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    }
    assert!(markdown::render(&with(HOSTILE)).chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn a_table_of_markdown_stays_a_table() {
    let text = markdown::render(&with("a | b `c` | <d> \n e"));
    for row in text.lines().filter(|line| line.starts_with('|')) {
        let bars = row.replace("\\|", "").matches('|').count();
        assert!(bars == 4 || bars == 5 && row.starts_with("| GPU") || row.starts_with("| ---"), "{row}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_in_any_place(text in any::<String>(), width in 0_usize..120) {
        let record = with(&text);
        check_junit(&record);
        console::whole(&record, None, Style { color: true, width });
    }
}
