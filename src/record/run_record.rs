use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CaseRecord, Counts, Event, builder::RecordBuilder};
use crate::{
    facts::{Facts, Origin},
    verdict::Measured,
};

/// What is known of a run before its first case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunHeader {
    /// The version of this format: [`RunRecord::VERSION`].
    pub version: u32,
    /// linkspec's own version.
    pub linkspec: String,
    /// The suite.
    pub suite: String,
    /// Its title.
    pub title: Option<String>,
    /// The spec file as it was given.
    pub spec: String,
    /// The command line.
    pub command: Vec<String>,
    /// The name of the machine that was judged, where it is known; else of the one that judged.
    pub hostname: String,
    /// When the run began, in RFC 3339 with the machine's offset.
    pub started: String,
    /// The facts that are judged, as they were before the first case.
    pub facts: Facts,
    /// Warnings about the spec.
    pub warnings: Vec<String>,
    /// The names of every planned case, in order.
    pub planned: Vec<String>,
}

/// A run, as far as it went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// What was known before the first case.
    pub header: RunHeader,
    /// The cases in the order of the plan. A case that the run did not reach is an error, `not-finished`.
    pub cases: Vec<CaseRecord>,
    /// Facts read after the last case.
    pub facts_after: Option<Facts>,
    /// How long the run took; `None` where it did not end.
    pub seconds: Option<f64>,
    /// Whether a person or a signal ended it.
    pub interrupted: bool,
}

impl RunRecord {
    /// The version of the format.
    pub const VERSION: u32 = 1;

    /// A run that has not begun: every planned case is an error, "not finished".
    pub fn planned(header: RunHeader) -> Self {
        let cases = header.planned.iter().map(|name| CaseRecord::unfinished(name, &header.started)).collect();
        Self { header, cases, facts_after: None, seconds: None, interrupted: false }
    }

    /// The record that events add up to; `None` where the first is not [`Event::RunStarted`].
    ///
    /// A second [`Event::RunStarted`] is a run that was resumed: what ended before stays, cases that only its plan has
    /// are added, and the run has not ended until it says so again. Nothing that an event names is ever dropped: a case
    /// that no plan has is added too.
    pub fn from_events(events: impl IntoIterator<Item = Event>) -> Option<Self> {
        let mut events = events.into_iter();
        let Some(Event::RunStarted(header)) = events.next() else { return None };
        let mut fold = RecordBuilder::new(*header);
        for event in events {
            fold.apply(event);
        }
        Some(fold.finish())
    }

    /// Where what was judged is from. A run with one stand-in for a library measured nothing, whatever its machine is.
    pub fn origin(&self) -> &Origin {
        if self.cases.iter().any(CaseRecord::is_stand_in) { &Origin::Fake } else { &self.header.facts.origin }
    }

    /// How many cases ended how.
    pub fn counts(&self) -> Counts {
        self.cases.iter().map(|case| case.verdict.outcome).collect()
    }

    /// How many cases passed on a later try, whatever the spec makes of that.
    pub fn flaky(&self) -> usize {
        self.cases.iter().filter(|case| case.flaky.is_some_and(|flaky| flaky.passed)).count()
    }

    /// The case with the measured value that is nearest to its bound, or farthest beyond it, and that value.
    pub fn worst_margin(&self) -> Option<(&CaseRecord, &Measured)> {
        let worst = |case: &'_ CaseRecord| case.verdict.worst().and_then(|measured| measured.margin);
        self.cases
            .iter()
            .filter(|case| worst(case).is_some())
            .min_by(|a, b| worst(a).unwrap_or(f64::MAX).total_cmp(&worst(b).unwrap_or(f64::MAX)))
            .and_then(|case| case.verdict.worst().map(|measured| (case, measured)))
    }
}
