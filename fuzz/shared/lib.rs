//! What the fuzz targets share: the cases that they judge by, and a folder of outputs out of one input.

use std::{collections::BTreeMap, fmt::Debug, hint::black_box, sync::LazyLock};

use linkspec::{
    evidence::CollectiveEvidence,
    facts::{Facts, Origin},
    plan::{Case, Selection, plan},
    probe::texts,
    record::RunRecord,
    report::{
        Style, console, json, junit,
        libtest::{Format, Libtest},
        markdown,
    },
    spec::{Level, load_texts},
    verdict::{Circumstances, CommandOutput, Evidence, Verdict, judge, relate},
};
use serde::{Serialize, de::DeserializeOwned};

/// Begins the next part of an input that has several.
pub const PART: char = '\0';

/// The cases of `every-kind.yaml`.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let files = [("every-kind.yaml", include_str!("every-kind.yaml"))];
    let suite = load_texts(&files, &[]).expect("a spec").suite.expect("a suite");
    plan(&suite, &everything()).expect("a plan").cases
});

/// Every case of a suite, whatever its level.
pub fn everything() -> Selection {
    Selection { level: Some(Level::Soak), ..Selection::default() }
}

/// Judges every case, by facts alone and by facts with an output of a program, and links the failures.
pub fn judge_all(before: &Facts, after: Option<&Facts>, collectives: &BTreeMap<String, CollectiveEvidence>) {
    let output = CommandOutput { exit: Some(0), ..CommandOutput::default() };
    let name = Case::short_name;
    let circumstances = CASES.iter().map(|case| (name(case), Circumstances::of(case, collectives.get(&name(case)))));
    let circumstances = circumstances.collect();
    for command in [None, Some(&output)] {
        let evidence = Evidence { before, after, command, collectives, operator: None, live: true };
        let mut results: Vec<(String, Verdict)> =
            CASES.iter().map(|case| (name(case), judge(case, &evidence))).collect();
        relate(&mut results, before, &circumstances);
        black_box(results);
    }
}

/// The outputs of an input: a character that chooses the file, its text up to [`PART`], and so on.
pub fn folder(input: &str) -> BTreeMap<String, String> {
    let names: Vec<&str> = texts::file_names().collect();
    let part = |part: &str| {
        let mut chars = part.chars();
        let name = file_name(chars.next()?, &names)?;
        Some((name.to_owned(), chars.as_str().to_owned()))
    };
    input.split(PART).filter_map(part).collect()
}

/// `A` is the first file that a reader takes, and so on.
fn file_name<'a>(chosen: char, names: &[&'a str]) -> Option<&'a str> {
    let at = u32::from(chosen).checked_sub(u32::from('A'))?;
    names.get(usize::try_from(at).ok()?).copied()
}

/// The facts that a folder of outputs gives.
pub fn facts(folder: &BTreeMap<String, String>) -> Facts {
    texts::read_all(folder, Facts::new(Origin::Saved { path: "fuzz".to_owned() }))
}

/// Writes every report of a record, and reads back the one that linkspec reads.
pub fn report_all(record: &RunRecord) {
    let style = Style { color: true, width: 60 };
    black_box(console::whole(record, None, style));
    black_box(markdown::render(record));
    black_box(junit::render(record).is_ok());
    for format in [Format::Pretty, Format::Terse, Format::Json] {
        let mut libtest = Libtest::new(format, style, record.cases.len());
        black_box(libtest.start());
        for case in &record.cases {
            black_box((libtest.case_started(&case.name), libtest.case_finished(case)));
        }
        black_box(libtest.end(record, 0));
    }
    if let Ok(text) = json::render(record) {
        let read = json::read(&text);
        assert!(read.is_ok(), "a record that linkspec wrote and cannot read: {read:?}");
    }
}

/// What a reader gives is kept in `run.json`: it is written, and read back as the same.
pub fn there_and_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let written = serde_json::to_string(value).expect("it can be written");
    let read: T = serde_json::from_str(&written).expect("what was written can be read");
    assert_eq!(&read, value, "what was written, read back");
}
