//! Whole reports against files. `LINKSPEC_GOLDEN=overwrite` renews the files; their diff is then the review.

use std::{collections::BTreeSet, fs, path::Path};

use linkspec::{
    record::RunRecord,
    report::{
        Style,
        console::{self, Reports},
        html, json, junit,
        libtest::{Format, Libtest},
        markdown,
    },
};

use crate::{measured, records};

#[test]
fn every_report_of_every_record() {
    let overwrite = std::env::var_os("LINKSPEC_GOLDEN").is_some_and(|value| value == "overwrite");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/report");
    let mut stale = Vec::new();
    let mut expected_files = Vec::new();
    let mut reports: Vec<_> = records::all().into_iter().map(|(name, record)| (name, forms(&record))).collect();
    // One page has everything; what the others have is asserted on their trees.
    reports.push(("whole", vec![("html", markup(&html::render(&measured::whole())))]));
    for (name, forms) in reports {
        for (form, text) in forms {
            let file = format!("{name}.{form}");
            let path = folder.join(&file);
            if overwrite {
                fs::write(&path, &text).unwrap();
            } else if fs::read_to_string(&path).unwrap_or_default() != text {
                println!("--- {file} is now\n{text}");
                stale.push(file.clone());
            }
            expected_files.push(file);
        }
    }
    assert!(stale.is_empty(), "differ (renew with LINKSPEC_GOLDEN=overwrite): {stale:?}");
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(expected_files.contains(&name), "{name} belongs to no record");
    }
}

/// A page without the style and the script, which have files of their own.
fn markup(page: &str) -> String {
    let parts = [include_str!("../../src/report/html/report.css"), include_str!("../../src/report/html/report.js")];
    parts.into_iter().fold(page.to_owned(), |page, part| {
        let part = part.trim();
        assert!(page.contains(part), "the page holds its style and its script");
        page.replace(part, "")
    })
}

fn forms(record: &RunRecord) -> Vec<(&'static str, String)> {
    let color = Style { color: true, width: 80 };
    vec![
        ("console", console(record, Style::PLAIN)),
        ("console-color", console(record, color)),
        ("console-wide", console(record, Style { color: false, width: 140 })),
        ("junit.xml", junit::render(record).unwrap()),
        ("md", markdown::render(record)),
        ("libtest-pretty", libtest(record, Format::Pretty)),
        ("libtest-terse", libtest(record, Format::Terse)),
        ("libtest-json", libtest(record, Format::Json)),
    ]
}

fn console(record: &RunRecord, style: Style) -> String {
    let reports =
        Reports { folder: "linkspec-out/hgx-h100", files: &["junit.xml", "run.json", "summary.md", "run.jsonl"] };
    console::whole(record, Some(reports), style)
}

fn libtest(record: &RunRecord, format: Format) -> String {
    let mut libtest = Libtest::new(format, Style::PLAIN, record.cases.len());
    let mut text = libtest.start();
    for case in &record.cases {
        text.push_str(&libtest.case_started(&case.name));
        text.push_str(&libtest.case_finished(case));
    }
    text.push_str(&libtest.end(record, 2));
    text
}

/// Names are what everything is found by: the records must be possible ones.
#[test]
fn names_are_unique() {
    for (name, record) in records::all() {
        let names: BTreeSet<&str> = record.cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), record.cases.len(), "{name}");
    }
}

#[test]
fn the_console_keeps_to_its_width_but_for_what_is_copied() {
    for (name, record) in records::all() {
        for line in console(&record, Style::PLAIN).lines() {
            let copied = line.trim_start().starts_with("repeat:");
            assert!(copied || line.chars().count() <= 80, "{name}: {line}");
        }
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    for (name, record) in records::all() {
        let colored = console(&record, Style { color: true, width: 80 });
        let mut plain = String::new();
        let mut rest = colored.chars();
        while let Some(c) = rest.next() {
            if c == '\u{1b}' {
                rest.by_ref().find(|c| *c == 'm');
            } else {
                plain.push(c);
            }
        }
        assert_eq!(plain, console(&record, Style::PLAIN), "{name}");
    }
}

#[test]
fn json_reads_back() {
    for (name, record) in records::all() {
        assert_eq!(json::read(&json::render(&record).unwrap()).unwrap(), record, "{name}");
    }
}

#[test]
fn json_of_a_later_version_is_named() {
    let mut record = records::mixed();
    record.header.version = 7;
    record.header.linkspec = "9.9.9".into();
    let error = json::read(&json::render(&record).unwrap()).unwrap_err().to_string();
    assert_eq!(error, "written by linkspec 9.9.9 in version 7 of the format; this linkspec reads up to version 1");
    assert!(json::read("{\"header\": 1}").unwrap_err().to_string().starts_with("not the record of a run: "));
}

#[test]
fn every_line_of_libtest_json_is_an_event() {
    for (_, record) in records::all() {
        for line in libtest(&record, Format::Json).lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(event["type"].is_string() && event["event"].is_string(), "{line}");
        }
    }
}
