//! What the library itself complains of: warnings of its log, and the answer of its RAS service.

use super::complete;
use crate::{
    evidence::{LibraryLog, LogLine, Measurement, RasAnswer},
    spec::{Place, Placed},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
    },
};

/// So many warnings are told one by one where the spec does not forbid them.
const TOLD: usize = 3;

/// Judges the log's warnings; where the spec says nothing of them they are warnings here too.
pub(super) fn warnings(
    asked: Option<&Placed<bool>>,
    log: Result<&LibraryLog, &str>,
    measurement: Option<&Measurement>,
    ledger: &mut Ledger<'_>,
) {
    match (asked.filter(|none| none.value), log) {
        (Some(asked), Ok(log)) => forbidden(&asked.place, log, complete::unheard(log, measurement), ledger),
        (Some(asked), Err(reason)) => ledger.unknown(&warning_check(&asked.place), "library", "no warning", reason),
        (None, Ok(log)) => told(log, ledger),
        (None, Err(_)) => {}
    }
}

fn warning_check(place: &Place) -> Check<'_> {
    Check::new(FindingCode::LibraryWarning, "log", "warns: {}", place)
}

fn forbidden(place: &Place, log: &LibraryLog, unheard: Option<String>, ledger: &mut Ledger<'_>) {
    let check = warning_check(place);
    let source = log.sources.join(", ");
    for line in &log.warnings {
        ledger.failure(&check, "library", quoted(line), "no warning", &line.text, &line.source);
    }
    if let Some(more) = not_kept(log) {
        let message = format!("the log holds {more} warnings more");
        ledger.failure(&check, "library", message, "no warning", &format!("{more} more"), &source);
    }
    if log.warnings.is_empty() && log.warning_count == 0 {
        let damaged = log.damage.first();
        let damaged =
            damaged.map(|damage| format!("{}: {}, and a warning may have stood there", damage.file, damage.reason));
        match damaged.or(unheard) {
            Some(reason) => ledger.unknown(&check, "library", "no warning", &reason),
            None => ledger.met(&check, "library", "no warning", "no warning", None),
        }
    }
}

fn told(log: &LibraryLog, ledger: &mut Ledger<'_>) {
    for line in log.warnings.iter().take(TOLD) {
        ledger.warning(FindingCode::LibraryWarning, None, quoted(line));
    }
    let all = log.warning_count.max(log.warnings.len() as u64);
    let shown = log.warnings.len().min(TOLD) as u64;
    if all > shown {
        let message = format!("the log holds {} warnings more", all - shown);
        ledger.warning(FindingCode::LibraryWarning, None, message);
    }
}

fn quoted(line: &LogLine) -> String {
    format!("{}:{}: the library warns: {}", line.source, line.line, line.text)
}

/// How many warnings there are beyond those that were kept.
fn not_kept(log: &LibraryLog) -> Option<u64> {
    log.warning_count.checked_sub(log.warnings.len() as u64).filter(|more| *more > 0)
}

/// Whether the column of errors holds more than a mismatch: ranks that work are apart at times, so that one answer does
/// not tell them from ranks that are out of step.
fn is_trouble(errors: &str) -> bool {
    errors.split(',').map(str::trim).any(|word| !matches!(word, "OK" | "MISMATCH"))
}

/// Judges the answer of the RAS service: what it reports is trouble of this run, whatever was measured. `troubled` where
/// it was asked because the ranks hung: then it tells more of the same trouble, which is a finding of its own.
pub(super) fn ras(answer: &RasAnswer, place: &Place, troubled: bool, ledger: &mut Ledger<'_>) {
    let check = Check::new(FindingCode::Ras, "RAS answer", "reports {}", place);
    let mut report = |trouble: &str| {
        let message = format!("{}: the RAS service reports {trouble}", answer.source);
        if troubled {
            ledger.note(FindingCode::Ras, Some(place), message);
            return;
        }
        ledger.failure(&check, "library", message, "no trouble", trouble, &answer.source);
    };
    for communicator in &answer.communicators {
        let of = communicator.ranks.map_or_else(String::new, |ranks| format!(" of {ranks} ranks"));
        if is_trouble(&communicator.errors) {
            report(&format!("{} for a communicator{of} ({})", communicator.errors, communicator.status));
        }
        if let Some(missing) = communicator.missing.filter(|missing| *missing > 0) {
            report(&format!("{missing} ranks missing from a communicator{of}"));
        }
    }
    if let Some(dead) = answer.dead.filter(|dead| *dead > 0) {
        report(&format!("{dead} processes that it considers dead"));
    }
    for line in &answer.errors {
        report(line);
    }
    for spread in &answer.spreads {
        let message = format!(
            "{}: the ranks of {} have launched {} to {} times {}",
            answer.source, spread.communicator, spread.least, spread.most, spread.operation
        );
        ledger.warning(FindingCode::Ras, Some(place), message);
    }
    for line in &answer.warnings {
        ledger.warning(FindingCode::Ras, Some(place), format!("{}: {line}", answer.source));
    }
    if let Some(reason) = &answer.incomplete {
        let message = format!("{}: the answer is not whole: {reason}", answer.source);
        ledger.warning(FindingCode::Ras, Some(place), message);
    }
}
