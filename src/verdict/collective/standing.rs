//! What keeps a measurement from passing apart from its figures: another operation, ranks, an end that is missing.

use super::{Problem, View, operation, ranks};
use crate::{
    evidence::Measurement,
    facts::Facts,
    spec::Placed,
    verdict::{FindingCode, ledger::Ledger},
};

/// Every reason why the measurement cannot pass.
pub(super) fn problems(view: &View<'_>, facts: &Facts) -> Vec<Problem> {
    let measurement = view.measurement;
    let mut problems = operation::problems(view);
    problems.extend(ranks::problems(view, facts));
    if let Some(reason) = &measurement.unfinished {
        let sources = measurement.sources.join(", ");
        let message = format!("{sources}: the measurement did not come to its end: {reason}");
        problems.push(Problem::new(FindingCode::Unfinished, message));
    }
    if let Some(reason) = &measurement.rows_doubt {
        let message = format!("the rows can fail the case but not pass it: {reason}");
        problems.push(Problem::new(FindingCode::Unknown, message));
    }
    problems.extend(iterations(view).into_iter().filter_map(|setting| setting.contradiction()));
    problems
}

/// Whether the output is of another operation as a whole: nothing of it is judged then.
pub(super) fn is_of_another(view: &View<'_>) -> bool {
    let named = view.measurement.operation.as_deref().is_some_and(|other| other != view.operation().name());
    named || (!view.measurement.rows.is_empty() && view.rows.is_empty())
}

/// A number that the spec writes and a header can show.
struct Setting<'a> {
    what: &'static str,
    asked: &'a Placed<u32>,
    shown: Option<u32>,
}

impl Setting<'_> {
    fn contradiction(&self) -> Option<Problem> {
        let Self { what, asked, shown } = self;
        let shown = shown.filter(|shown| *shown != asked.value)?;
        let message = format!("the measurement has {shown} {what} iterations, the test asks for {}", asked.value);
        Some(Problem::new(FindingCode::Setting, message))
    }
}

fn iterations<'a>(view: &View<'a>) -> Vec<Setting<'a>> {
    let (collective, measurement) = (view.collective, view.measurement);
    [("timed", &collective.iterations, measurement.iterations), ("warm-up", &collective.warmup, measurement.warmup)]
        .into_iter()
        .filter_map(|(what, asked, shown)| asked.as_ref().map(|asked| Setting { what, asked, shown }))
        .collect()
}

/// Settings of the test that the output does not show.
pub(super) fn unproved(view: &View<'_>, ledger: &mut Ledger<'_>) {
    for Setting { what, asked, .. } in iterations(view).into_iter().filter(|setting| setting.shown.is_none()) {
        let message =
            format!("the output does not show the number of {what} iterations, {} are asked for", asked.value);
        ledger.note(FindingCode::Unproved, Some(&asked.place), message);
    }
}

/// What does not keep a case from passing and is told all the same: damaged parts, rows beyond what the header announces.
pub(super) fn remarks(measurement: &Measurement, ledger: &mut Ledger<'_>) {
    for damage in &measurement.damage {
        ledger.warning(FindingCode::DamagedOutput, None, damage.to_string()).source = Some(damage.file.clone());
    }
    let Some(range) = measurement.range else { return };
    for row in measurement.rows.iter().filter(|row| row.size > range.to) {
        let position = super::view::position(row);
        let message =
            format!("{position}: the row's size {} is above {}, the largest of the header", row.size, range.to);
        ledger.warning(FindingCode::SizeAboveRange, None, message).source = Some(row.source.clone());
    }
}
