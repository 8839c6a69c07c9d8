use std::collections::BTreeMap;

use super::{CaseRecord, Event, RunHeader, RunRecord};

/// How far a case has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Planned,
    Started,
    Finished,
}

/// Adds events up to a record, one at a time.
#[derive(Debug)]
pub struct RecordBuilder {
    record: RunRecord,
    /// Each case's index in the record, by name.
    places: BTreeMap<String, usize>,
    /// How far each case has come, by index.
    stages: Vec<Stage>,
    /// What the ended runs before the one at hand took.
    earlier_seconds: f64,
}

impl RecordBuilder {
    /// A run that has not begun.
    pub fn new(header: RunHeader) -> Self {
        let record = RunRecord::planned(header);
        let places = record.cases.iter().enumerate().map(|(at, case)| (case.name.clone(), at)).collect();
        let stages = vec![Stage::Planned; record.cases.len()];
        Self { record, places, stages, earlier_seconds: 0.0 }
    }

    /// The record of a case as it is now.
    pub fn case(&self, name: &str) -> Option<&CaseRecord> {
        self.places.get(name).and_then(|at| self.record.cases.get(*at))
    }

    /// Takes one event; the first one of a journal is what [`RecordBuilder::new`] took.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::RunStarted(header) => self.resume(*header),
            Event::CaseStarted { name } => self.start_case(&name),
            Event::CaseFinished(case) => {
                let at = self.place(&case.name);
                self.record.cases[at] = *case;
                self.stages[at] = Stage::Finished;
            }
            Event::Related { case, verdict } => {
                // The verdict of a case that did not end is no one's to change.
                let finished = |at: &usize| self.stages[*at] == Stage::Finished;
                if let Some(at) = self.places.get(&case).copied().filter(finished) {
                    self.record.cases[at].verdict = *verdict;
                }
            }
            Event::RunFinished { seconds, interrupted, facts_after } => {
                self.record.seconds = Some(self.earlier_seconds + seconds);
                self.record.interrupted = interrupted;
                self.record.facts_after = facts_after.map(|facts| *facts);
            }
        }
    }

    /// The record as it is now.
    pub fn record(&self) -> RunRecord {
        self.record.clone()
    }

    /// The record; cases that an interruption kept from beginning say so.
    pub fn finish(mut self) -> RunRecord {
        if self.record.interrupted {
            for (case, stage) in self.record.cases.iter_mut().zip(&self.stages) {
                if *stage == Stage::Planned {
                    for finding in &mut case.verdict.findings {
                        "not run: the run was interrupted before this case".clone_into(&mut finding.message);
                    }
                }
            }
        }
        self.record
    }

    fn resume(&mut self, header: RunHeader) {
        for name in &header.planned {
            self.place(name);
        }
        self.earlier_seconds = self.record.seconds.take().unwrap_or(self.earlier_seconds);
        self.record.interrupted = false;
        self.record.facts_after = None;
    }

    /// A case that begins again has no result until it ends again.
    fn start_case(&mut self, name: &str) {
        let at = self.place(name);
        if self.stages[at] == Stage::Finished {
            self.record.cases[at] = CaseRecord::unfinished(name, &self.record.header.started);
        }
        self.stages[at] = Stage::Started;
    }

    /// The index of a case, which is added where no plan has it.
    fn place(&mut self, name: &str) -> usize {
        if let Some(at) = self.places.get(name) {
            return *at;
        }
        let at = self.record.cases.len();
        self.record.header.planned.push(name.to_owned());
        self.record.cases.push(CaseRecord::unfinished(name, &self.record.header.started));
        self.stages.push(Stage::Planned);
        self.places.insert(name.to_owned(), at);
        at
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::{
        facts::{Facts, Origin},
        verdict::{Outcome, Verdict},
    };

    fn header(planned: &[&str]) -> RunHeader {
        RunHeader {
            version: RunRecord::VERSION,
            linkspec: "0.1.0".into(),
            suite: "s".into(),
            title: None,
            spec: "s.yaml".into(),
            command: vec![],
            hostname: "h".into(),
            started: "2026-05-04T10:00:00+00:00".into(),
            facts: Facts::new(Origin::Live),
            warnings: vec![],
            planned: planned.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn start(planned: &[&str]) -> Event {
        Event::RunStarted(Box::new(header(planned)))
    }

    fn begin(name: &str) -> Event {
        Event::CaseStarted { name: name.into() }
    }

    fn end(name: &str, verdict: Verdict) -> Event {
        let case = CaseRecord { verdict, ..CaseRecord::unfinished(name, "2026-05-04T10:00:00+00:00") };
        Event::CaseFinished(Box::new(case))
    }

    fn pass() -> Verdict {
        Verdict::from_findings(vec![], vec![])
    }

    fn over(seconds: f64, interrupted: bool) -> Event {
        Event::RunFinished { seconds, interrupted, facts_after: None }
    }

    fn outcomes(events: Vec<Event>) -> Vec<(String, Outcome)> {
        let record = RunRecord::from_events(events).unwrap();
        record.cases.into_iter().map(|case| (case.name, case.verdict.outcome)).collect()
    }

    #[test]
    fn a_journal_needs_its_start() {
        assert_eq!(RunRecord::from_events([]), None);
        assert_eq!(RunRecord::from_events([begin("s::a")]), None);
    }

    #[test]
    fn the_last_end_of_a_case_counts() {
        let events = vec![start(&["s::a"]), end("s::a", pass()), end("s::a", Verdict::skipped("x"))];
        assert_eq!(outcomes(events), [("s::a".into(), Outcome::Skip)]);
    }

    #[test]
    fn a_case_that_begins_again_and_does_not_end_is_unfinished() {
        let events = vec![start(&["s::a"]), begin("s::a"), end("s::a", pass()), begin("s::a")];
        assert_eq!(outcomes(events), [("s::a".into(), Outcome::Error)]);
    }

    #[test]
    fn what_no_plan_has_is_added() {
        let events = vec![start(&["s::a"]), end("s::b", pass())];
        assert_eq!(outcomes(events), [("s::a".into(), Outcome::Error), ("s::b".into(), Outcome::Pass)]);
    }

    #[test]
    fn no_verdict_for_what_did_not_end() {
        let related = |case: &str| Event::Related { case: case.into(), verdict: Box::new(pass()) };
        let events = vec![start(&["s::a"]), begin("s::a"), related("s::a"), related("s::other")];
        assert_eq!(outcomes(events), [("s::a".into(), Outcome::Error)]);
    }

    #[test]
    fn a_resumed_run_keeps_what_ended_and_is_open_until_it_ends_again() {
        let first = vec![start(&["s::a", "s::b"]), end("s::a", pass()), over(5.0, true)];
        let interrupted = RunRecord::from_events(first.clone()).unwrap();
        assert!(interrupted.interrupted);
        assert_eq!(
            interrupted.cases[1].verdict.findings[0].message,
            "not run: the run was interrupted before this case"
        );

        let mut events = first;
        events.push(start(&["s::a", "s::b"]));
        let open = RunRecord::from_events(events.clone()).unwrap();
        assert_eq!((open.seconds, open.interrupted), (None, false));
        assert!(open.cases[1].is_unfinished());

        events.extend([end("s::b", pass()), over(2.0, false)]);
        let done = RunRecord::from_events(events).unwrap();
        assert_eq!((done.seconds, done.interrupted), (Some(7.0), false));
        assert_eq!(done.counts().pass, 2);
    }

    const NAMES: [&str; 4] = ["s::a", "s::b[K=1]", "s::c", "s::unplanned"];

    fn any_event() -> impl Strategy<Value = Event> {
        let name = || prop::sample::select(&NAMES[..]);
        prop_oneof![
            name().prop_map(begin),
            (name(), any::<bool>())
                .prop_map(|(name, passes)| end(name, if passes { pass() } else { Verdict::skipped("x") })),
            name().prop_map(|name| Event::Related { case: name.into(), verdict: Box::new(pass()) }),
            any::<bool>().prop_map(|interrupted| over(1.0, interrupted)),
            Just(start(&NAMES[..3])),
        ]
    }

    /// Which cases the events end for good, by a plain reading of them.
    fn ended(events: &[Event], name: &str) -> bool {
        let last = events.iter().rev().find(|event| match event {
            Event::CaseStarted { name: started } => started == name,
            Event::CaseFinished(case) => case.name == name,
            _ => false,
        });
        matches!(last, Some(Event::CaseFinished(_)))
    }

    proptest! {
        #[test]
        fn any_prefix_has_every_planned_case_and_what_did_not_end_is_an_error(events in vec(any_event(), 0..24)) {
            let mut journal = vec![start(&NAMES[..3])];
            journal.extend(events);
            for length in 1..=journal.len() {
                let prefix = &journal[..length];
                let record = RunRecord::from_events(prefix.to_vec()).unwrap();
                let names: Vec<&str> = record.cases.iter().map(|case| case.name.as_str()).collect();
                prop_assert_eq!(&names[..3], &NAMES[..3]);
                prop_assert_eq!(&names, &record.header.planned);
                for case in &record.cases {
                    let ended = ended(prefix, &case.name);
                    prop_assert_eq!(case.is_unfinished(), !ended);
                    if !ended {
                        prop_assert_eq!(case.verdict.outcome, Outcome::Error);
                    }
                }
            }
        }
    }
}
