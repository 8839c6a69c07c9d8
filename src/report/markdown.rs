//! `summary.md`: the run in a screenful, for a ticket or a CI job's page.

use super::{
    devices::{identity, named},
    engine,
    findings::headline,
    headline::verdict,
    plain::plain_line,
    quantity::{count, margin, seconds},
};
use crate::{
    facts::Origin,
    record::{CaseRecord, RunHeader, RunRecord},
    verdict::{Outcome, Severity},
};

/// More rows are counted, not shown: GitHub takes 1 MiB of a step's summary.
const MOST_ROWS: usize = 200;

/// The record as `summary.md`.
pub fn render(record: &RunRecord) -> String {
    let header = &record.header;
    let mut text = format!("# {}: {}\n\n", escape(&header.suite), verdict(record).0);
    if let Some(title) = &header.title {
        text.push_str(&format!("{}\n\n", escape(title)));
    }
    text.push_str(&format!("{}\n\n{}\n", counts(record), judged(record)));
    text.push_str(&libraries(record));
    text.push_str(&warnings(record));
    text.push_str(&table(record));
    text.push_str(&gpus(record));
    if let Some((case, measured)) = record.worst_margin() {
        text.push_str(&format!(
            "\nWorst margin: {} in {}: {} {} ({}).\n",
            margin(measured).unwrap_or_default(),
            code(&case.name),
            escape(&measured.subject),
            escape(&measured.actual),
            escape(&measured.expected),
        ));
    }
    text
}

fn counts(record: &RunRecord) -> String {
    let counts = record.counts();
    let time = record.seconds.map_or_else(|| "the run did not end".to_owned(), seconds);
    format!(
        "{}: {} passed, {} failed, {} could not be judged, {} skipped, {} flaky; {time}.",
        count(counts.total(), "case"),
        counts.pass,
        counts.fail,
        counts.error,
        counts.skip,
        record.flaky(),
    )
}

fn judged(record: &RunRecord) -> String {
    let header = &record.header;
    let origin = match record.origin() {
        Origin::Live => "live".to_owned(),
        Origin::Captured { path } | Origin::Saved { path } => format!("recorded, from {}", code(path)),
        Origin::Fake => "**stand-ins for the vendors' libraries, no measurement**".to_owned(),
    };
    format!(
        "Host {} ({origin}), {}, spec {}, linkspec {}.",
        code(&header.hostname),
        escape(&header.started),
        code(&header.spec),
        escape(&header.linkspec)
    )
}

/// The libraries that linkspec itself measured with.
fn libraries(record: &RunRecord) -> String {
    let libraries: Vec<String> = engine::libraries(record).iter().map(|library| escape(library)).collect();
    if libraries.is_empty() { String::new() } else { format!("\nMeasured with {}.\n", libraries.join(", ")) }
}

/// What was amiss before the first case; the console and `junit.xml` tell it.
fn warnings(record: &RunRecord) -> String {
    let RunHeader { warnings, facts, .. } = &record.header;
    let counted = [
        (warnings.len(), "warning", " about the spec"),
        (facts.damage.len(), "damaged part", " of the saved outputs, which gave no facts"),
    ];
    let told: Vec<String> = counted
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, thing, of_what)| format!("{}{of_what}", count(number, thing)))
        .collect();
    if told.is_empty() { String::new() } else { format!("\n{}.\n", told.join("; ")) }
}

/// The GPUs that are named in failures, as a vendor's return form asks for them.
fn gpus(record: &RunRecord) -> String {
    let failures = record.cases.iter().flat_map(|case| &case.verdict.findings);
    let gpus = named(failures.filter(|finding| finding.severity == Severity::Failure), &record.header.facts);
    if gpus.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n| GPU in a failure | PCI address | UUID | serial |\n| --- | --- | --- | --- |\n");
    for gpu in gpus {
        let [pci, uuid, serial] = identity(gpu).map(|(_, value)| escape(&value));
        text.push_str(&format!("| GPU{} | {pci} | {uuid} | {serial} |\n", gpu.index));
    }
    text
}

fn table(record: &RunRecord) -> String {
    let bad = |outcome| record.cases.iter().filter(move |case| case.verdict.outcome == outcome);
    let rows: Vec<&CaseRecord> = bad(Outcome::Fail).chain(bad(Outcome::Error)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n| case | outcome | first finding |\n| --- | --- | --- |\n");
    for case in rows.iter().take(MOST_ROWS) {
        let mut finding = case.verdict.findings.first().map(headline).unwrap_or_default();
        let more = case.verdict.findings.len().saturating_sub(1);
        if more > 0 {
            finding.push_str(&format!(" (and {})", count(more, "other finding")));
        }
        text.push_str(&format!("| {} | {} | {} |\n", code(&case.name), case.verdict.outcome, escape(&finding)));
    }
    if rows.len() > MOST_ROWS {
        text.push_str(&format!("\nAnd {} that `junit.xml` and `run.json` have.\n", rows.len() - MOST_ROWS));
    }
    text
}

/// Text with every character escaped that Markdown, a table or HTML would take for its own.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in plain_line(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '@' | '!' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Text as code; within a table even code has its bars escaped.
fn code(text: &str) -> String {
    format!("`{}`", plain_line(text).replace('`', "'").replace('|', "\\|"))
}
