use std::collections::BTreeSet;

use super::{
    case::{ends_blank, name, word},
    field,
};
use crate::{
    record::RunRecord,
    report::{
        engine,
        headline::{self, reservation},
        plain::plain_line,
        quantity::{count, margin, seconds},
        style::Style,
        wrap::wrap,
    },
    verdict::{Outcome, Severity},
};

/// Where the reports of a run are.
#[derive(Clone, Copy, Debug)]
pub struct Reports<'a> {
    /// Their folder.
    pub folder: &'a str,
    /// Their names.
    pub files: &'a [&'a str],
}

/// The end of a run: what needs a look once more, counts, time, worst margin, and where the reports are.
pub fn end(record: &RunRecord, reports: Option<Reports<'_>>, style: Style) -> String {
    let mut text = recap(record, style);
    text.push_str(&verdict(record, style));
    if let Some((case, measured)) = record.worst_margin() {
        let margin = margin(measured).unwrap_or_default();
        let what = format!("{margin}: {} {}", plain_line(&case.name), plain_line(&measured.subject));
        let value = format!("{} ({})", plain_line(&measured.actual), plain_line(&measured.expected));
        text.push_str(&field("margin", &format!("worst {what} {value}"), style));
    }
    for library in engine::libraries(record) {
        text.push_str(&field("library", &plain_line(&library), style));
    }
    text.push_str(&notes(record, style));
    let unfinished = record.cases.iter().filter(|case| case.is_unfinished()).count();
    if unfinished > 0 {
        let cure = format!("{} did not end: run again, or go on with --resume", count(unfinished, "case"));
        text.push_str(&field("hint", &cure, style));
    }
    if let Some(Reports { folder, files }) = reports {
        text.push_str(&field("reports", &format!("{folder}: {}", files.join(", ")), style));
    }
    text
}

/// The names of the cases that need a look, where other cases stand between them and the end.
fn recap(record: &RunRecord, style: Style) -> String {
    let bad: Vec<_> =
        record.cases.iter().filter(|case| matches!(case.verdict.outcome, Outcome::Fail | Outcome::Error)).collect();
    let parted = record.cases.last().is_some_and(|case| ends_blank(case, style));
    let mut text = String::from(if parted { "" } else { "\n" });
    if bad.is_empty() || record.cases.len() == 1 {
        return text;
    }
    for outcome in [Outcome::Fail, Outcome::Error] {
        for case in bad.iter().filter(|case| case.verdict.outcome == outcome) {
            let padded = format!("{:<6}", word(outcome));
            text.push_str(&format!("{}{}\n", style.paint(outcome.into(), padded), name(case, style)));
        }
    }
    text.push('\n');
    text
}

pub(super) fn verdict(record: &RunRecord, style: Style) -> String {
    let counts = record.counts();
    let (headline, role) = headline::verdict(record);
    let parts = [
        (counts.fail, "failed"),
        (counts.error, "could not be judged"),
        (counts.pass, "passed"),
        (counts.skip, "skipped"),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}")).collect();
    let time = record.seconds.map_or_else(|| "a run that did not end".to_owned(), seconds);
    let cases = count(counts.total(), "case");
    let listed = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let reserved = reservation(record.origin()).map(|text| format!("; {text}")).unwrap_or_default();
    let flaky = if record.flaky() == 0 { String::new() } else { format!(", {} flaky,", record.flaky()) };
    let line = format!("{headline}{listed}; {cases}{flaky} in {time}{reserved}");
    let wrapped = wrap(&line, style.width, 2).join("\n");
    match wrapped.strip_prefix(headline) {
        Some(rest) => format!("{}{rest}\n", style.paint(role, headline)),
        None => format!("{wrapped}\n"),
    }
}

/// How many passing cases have notes, which their lines do not show.
fn notes(record: &RunRecord, style: Style) -> String {
    let mut codes = BTreeSet::new();
    let mut cases = 0;
    for case in record.cases.iter().filter(|case| case.verdict.outcome == Outcome::Pass) {
        let mut notes = case.verdict.findings.iter().filter(|finding| finding.severity == Severity::Note).peekable();
        cases += usize::from(notes.peek().is_some());
        codes.extend(notes.map(|finding| finding.code.as_str()));
    }
    if cases == 0 {
        return String::new();
    }
    let codes: Vec<&str> = codes.into_iter().collect();
    field(
        "notes",
        &format!("{} passed with notes ({}), told in the reports", count(cases, "case"), codes.join(", ")),
        style,
    )
}
