use crate::{
    facts::Facts,
    spec::{KernelLogExpect, LogPattern, Placed},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        log::{self, KernelLog},
    },
};

/// Judges what the kernel log may not hold.
pub(super) fn judge(wanted: &Placed<KernelLogExpect>, facts: &Facts, ledger: &mut Ledger<'_>) {
    let kernel_log = log::kernel_log(facts);
    for pattern in &wanted.forbid {
        let check = Check::new(FindingCode::KernelLog, "absence", "is in the log", &pattern.place);
        match &pattern.value {
            LogPattern::Kind(kind) => {
                let found = log::grouped(&kernel_log, facts, |event| event.kind == *kind);
                let none = found.is_empty();
                for (device, event, count) in found {
                    let code = event.code.map(|code| format!(" {code}")).unwrap_or_default();
                    let message = format!("{device}: the kernel log has {kind}{code}, {}", log::quote(event, count));
                    let expected = format!("no {kind}");
                    ledger.failure(&check, &device, message, &expected, &event.quote, kernel_log.source);
                }
                absent(&check, &format!("no {kind}"), none, kernel_log.incomplete, ledger);
            }
            LogPattern::Regex(regex) => expression(&check, regex, &kernel_log, facts, ledger),
        }
    }
}

/// An expression of the spec's own: searched for in the lines, and in the events where the lines are not there.
fn expression(
    check: &Check<'_>,
    regex: &regex::Regex,
    kernel_log: &KernelLog<'_>,
    facts: &Facts,
    ledger: &mut Ledger<'_>,
) {
    let lines = &facts.host.kernel_log_lines;
    let quotes = kernel_log.events.iter().map(|event| event.quote.as_str());
    // Lines of a log that is not whole can fail a case all the same.
    let whole = lines.value().unwrap_or(&facts.host.kernel_log_lines_seen);
    let whole: Vec<&str> = whole.iter().map(String::as_str).collect();
    // An expression that begins with `^` means the kernel's words, which the live log has behind a time.
    let matches = |line: &&str| regex.is_match(line) || regex.is_match(words(line));
    let matching: Vec<&str> = match whole.is_empty() {
        true => quotes.filter(matches).collect(),
        false => whole.into_iter().filter(matches).collect(),
    };
    let expected = format!("no line that matches {regex}");
    if let [first, ..] = matching.as_slice() {
        let message = format!("kernel log: {} lines match {regex}, the first is: {first}", matching.len());
        let source = lines.source().unwrap_or(kernel_log.source);
        ledger.failure(check, "kernel log", message, &expected, first, source);
    }
    absent(check, &expected, matching.is_empty(), lines.reason().or(kernel_log.incomplete), ledger);
}

/// A line without the time, or without what the journal writes, before it.
fn words(line: &str) -> &str {
    let line = line.split_once(" kernel: ").map_or(line, |(_, after)| after).trim_start();
    let stamped = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    stamped.map_or(line, |(_, after)| after.trim_start())
}

/// Only a complete log proves that something is not in it.
fn absent(check: &Check<'_>, expected: &str, none: bool, incomplete: Option<&str>, ledger: &mut Ledger<'_>) {
    match incomplete {
        Some(reason) => ledger.unknown(check, "kernel log", expected, reason),
        None if none => ledger.met(check, "kernel log", expected, "none", None),
        None => {}
    }
}
