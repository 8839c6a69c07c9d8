//! What a libtest binary prints, for what drives linkspec as one: `cargo test`, nextest, editors.
//!
//! libtest knows three results. A case that failed and one that could not be judged are both `FAILED`; a skipped one is
//! `ignored`. The forms follow rust-lang/rust:library/test/src/formatters.

mod json;
mod pretty;
mod terse;

use super::{
    Style,
    findings::{Fold, lines},
    plain::{plain, plain_line},
};
use crate::{
    record::{CaseRecord, Counts, RunRecord},
    verdict::Outcome,
};

/// A form of output: libtest's `--format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A line per case.
    #[default]
    Pretty,
    /// A character per case.
    Terse,
    /// A line of JSON per event.
    Json,
}

/// Writes a run in one of libtest's forms, an event at a time.
#[derive(Clone, Debug)]
pub struct Libtest {
    format: Format,
    style: Style,
    total: usize,
    done: usize,
}

impl Libtest {
    /// A run of `total` cases.
    pub const fn new(format: Format, style: Style, total: usize) -> Self {
        Self { format, style, total, done: 0 }
    }

    /// Before the first case.
    pub fn start(&self) -> String {
        match self.format {
            Format::Pretty | Format::Terse => {
                let plural = if self.total == 1 { "" } else { "s" };
                format!("\nrunning {} test{plural}\n", self.total)
            }
            Format::Json => json::start(self.total),
        }
    }

    /// A case begins.
    pub fn case_started(&self, name: &str) -> String {
        match self.format {
            Format::Pretty | Format::Terse => String::new(),
            Format::Json => json::case_started(name),
        }
    }

    /// A case ended.
    pub fn case_finished(&mut self, case: &CaseRecord) -> String {
        self.done += 1;
        match self.format {
            Format::Pretty => pretty::case(case, self.style),
            Format::Terse => terse::case(case, self.done, self.total, self.style),
            Format::Json => json::case_finished(case),
        }
    }

    /// After the last case. `filtered_out` is the number of cases that were not selected.
    pub fn end(&self, record: &RunRecord, filtered_out: usize) -> String {
        match self.format {
            Format::Pretty => pretty::end(record, filtered_out, self.style),
            Format::Terse => format!("\n{}", pretty::end(record, filtered_out, self.style)),
            Format::Json => json::end(record, filtered_out),
        }
    }
}

/// libtest's three results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Ok,
    Failed,
    Ignored,
}

impl From<Outcome> for Status {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Pass => Self::Ok,
            Outcome::Fail | Outcome::Error => Self::Failed,
            Outcome::Skip => Self::Ignored,
        }
    }
}

fn status(case: &CaseRecord) -> Status {
    case.verdict.outcome.into()
}

/// The sums under libtest's names.
struct Sums {
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl From<Counts> for Sums {
    fn from(counts: Counts) -> Self {
        Self { passed: counts.pass, failed: counts.fail + counts.error, ignored: counts.skip }
    }
}

/// What a failed case shows: its findings, the command that repeats it, and what it printed.
fn shown(case: &CaseRecord) -> String {
    let mut text = format!("{}: {}\n", case.verdict.outcome, plain_line(case.title.as_deref().unwrap_or(&case.name)));
    for line in lines(&case.verdict.findings, Fold::Devices, Style::PLAIN) {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if !case.repeat.is_empty() {
        text.push_str(&format!("repeat:  {}\n", plain_line(&case.repeat)));
    }
    if let Some(output) = &case.output {
        text.push_str(&format!("output:\n{}\n", plain(output).trim_end()));
    }
    text
}
