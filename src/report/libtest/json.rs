use serde::Serialize;

use super::{Status, Sums, shown, status};
use crate::{
    record::{CaseRecord, RunRecord},
    report::plain::plain_line,
};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Suite(Suite),
    Test(Test<'a>),
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Suite {
    Started { test_count: usize },
    Ok(Totals),
    Failed(Totals),
}

#[derive(Serialize)]
struct Totals {
    passed: usize,
    failed: usize,
    ignored: usize,
    measured: usize,
    filtered_out: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    exec_time: Option<f64>,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Test<'a> {
    Started {
        name: &'a str,
    },
    Ok {
        name: &'a str,
        exec_time: f64,
    },
    Failed {
        name: &'a str,
        exec_time: f64,
        stdout: String,
    },
    Ignored {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

pub(super) fn start(total: usize) -> String {
    write(&Line::Suite(Suite::Started { test_count: total }))
}

pub(super) fn case_started(name: &str) -> String {
    write(&Line::Test(Test::Started { name }))
}

pub(super) fn case_finished(case: &CaseRecord) -> String {
    let (name, exec_time) = (case.name.as_str(), case.seconds);
    write(&Line::Test(match status(case) {
        Status::Ok => Test::Ok { name, exec_time },
        Status::Failed => Test::Failed { name, exec_time, stdout: shown(case) },
        Status::Ignored => {
            let message = case.verdict.skip_reason.as_deref().map(|reason| plain_line(reason).into_owned());
            Test::Ignored { name, message }
        }
    }))
}

pub(super) fn end(record: &RunRecord, filtered_out: usize) -> String {
    let Sums { passed, failed, ignored } = record.counts().into();
    let totals = Totals { passed, failed, ignored, measured: 0, filtered_out, exec_time: record.seconds };
    write(&Line::Suite(if failed == 0 { Suite::Ok(totals) } else { Suite::Failed(totals) }))
}

fn write(line: &Line<'_>) -> String {
    // Every key is a string and every number is written, so this does not fail; an empty line would be no event.
    serde_json::to_string(line).map(|text| text + "\n").unwrap_or_default()
}
