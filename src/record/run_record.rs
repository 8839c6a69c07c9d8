use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CaseRecord, Event};
use crate::{
    facts::Facts,
    verdict::{Finding, FindingCode, Outcome, Severity, Verdict},
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

/// How many cases ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Passed.
    pub pass: usize,
    /// Failed.
    pub fail: usize,
    /// Could not be judged.
    pub error: usize,
    /// Skipped.
    pub skip: usize,
}

impl RunRecord {
    /// The version of the format.
    pub const VERSION: u32 = 1;

    /// A run that has not begun: every planned case is an error, "not finished".
    pub fn planned(header: RunHeader) -> Self {
        let cases = header.planned.iter().map(|name| unfinished(name, &header)).collect();
        Self { header, cases, facts_after: None, seconds: None, interrupted: false }
    }

    /// The record that events add up to; `None` where the first is not [`Event::RunStarted`].
    pub fn from_events(events: impl IntoIterator<Item = Event>) -> Option<Self> {
        let mut events = events.into_iter();
        let Some(Event::RunStarted(header)) = events.next() else { return None };
        let mut record = Self::planned(*header);
        let places: BTreeMap<String, usize> =
            record.cases.iter().enumerate().map(|(at, case)| (case.name.clone(), at)).collect();
        for event in events {
            record.apply(event, &places);
        }
        Some(record)
    }

    fn apply(&mut self, event: Event, places: &BTreeMap<String, usize>) {
        match event {
            // A second start is a resumed run; the cases already there stay.
            Event::RunStarted(_) | Event::CaseStarted { .. } => {}
            Event::CaseFinished(case) => {
                if let Some(at) = places.get(&case.name) {
                    self.cases[*at] = *case;
                }
            }
            Event::Related { case, verdict } => {
                if let Some(at) = places.get(&case) {
                    self.cases[*at].verdict = *verdict;
                }
            }
            Event::RunFinished { seconds, interrupted, facts_after } => {
                self.seconds = Some(seconds);
                self.interrupted = interrupted;
                self.facts_after = facts_after.map(|facts| *facts);
            }
        }
    }

    /// How many cases ended how.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for case in &self.cases {
            match case.verdict.outcome {
                Outcome::Pass => counts.pass += 1,
                Outcome::Fail => counts.fail += 1,
                Outcome::Error => counts.error += 1,
                Outcome::Skip => counts.skip += 1,
            }
        }
        counts
    }
}

/// The record of a planned case that no event has ended.
fn unfinished(name: &str, header: &RunHeader) -> CaseRecord {
    let short = name.split_once("::").map_or(name, |(_, short)| short);
    let test = short.split_once('[').map_or(short, |(test, _)| test);
    let mut finding =
        Finding::new(FindingCode::NotFinished, Severity::Error, "not finished: the run ended before this case did");
    finding.hint = Some("run it again, or go on with --resume".to_owned());
    CaseRecord {
        name: name.to_owned(),
        test: test.to_owned(),
        title: None,
        kind: String::new(),
        cell: Vec::new(),
        place: None,
        environment: Vec::new(),
        pin: String::new(),
        gpus: String::new(),
        started: header.started.clone(),
        seconds: 0.0,
        verdict: Verdict::from_findings(vec![finding], Vec::new()),
        flaky: None,
        repeat: String::new(),
        output: None,
    }
}
