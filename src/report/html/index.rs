use std::collections::{HashMap, HashSet};

use super::chart::has_chart;
use crate::{
    record::{CaseRecord, RunRecord},
    verdict::{Cause, Finding, FindingCode, Outcome, Severity},
};

/// Charts of passing cases, and as many of others, that stand on the page: one takes as much of it as ten cases.
const MOST_CHARTS: usize = 60;

/// What is looked up across the cases of a run: where each stands on the page, and what each finding rests on.
#[derive(Debug)]
pub(super) struct Index<'a> {
    anchors: HashMap<&'a str, usize>,
    charts: HashSet<&'a str>,
    explaining: HashSet<&'a str>,
    findings: HashMap<Key<'a>, &'a Finding>,
}

/// A finding as a [`Cause`] names it.
type Key<'a> = (&'a str, FindingCode, Option<&'a str>);

/// One step of the way from the deepest cause to a finding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    /// What was found.
    pub cause: &'a Cause,
    /// Whether nothing is known that explains it in turn.
    pub root: bool,
}

impl<'a> Index<'a> {
    /// The index of a record.
    pub fn new(record: &'a RunRecord) -> Self {
        let anchors = record.cases.iter().enumerate().map(|(at, case)| (case.name.as_str(), at)).collect();
        let findings = record
            .cases
            .iter()
            .flat_map(|case| case.verdict.findings.iter().map(move |finding| (case, finding)))
            .filter(|(_, finding)| finding.severity < Severity::Note)
            .map(|(case, finding)| ((case.name.as_str(), finding.code, finding.device.as_deref()), finding))
            .collect();
        let charts = |passing: bool| {
            let of = move |case: &&CaseRecord| (case.verdict.outcome == Outcome::Pass) == passing && has_chart(case);
            record.cases.iter().filter(of).take(MOST_CHARTS).map(|case| case.name.as_str())
        };
        let charts = charts(true).chain(charts(false)).collect();
        let causes = record.cases.iter().flat_map(|case| &case.verdict.findings).flat_map(|finding| &finding.because);
        let explaining = causes.map(|cause| cause.case.as_str()).collect();
        Self { anchors, charts, explaining, findings }
    }

    /// The id of a case's element.
    pub fn anchor(&self, case: &str) -> Option<String> {
        self.anchors.get(case).map(|at| format!("case-{at}"))
    }

    /// Whether a case's chart stands on the page.
    pub fn is_charted(&self, case: &CaseRecord) -> bool {
        self.charts.contains(case.name.as_str())
    }

    /// What led to a finding, the deepest cause first.
    pub fn chain(&self, finding: &'a Finding) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        self.descend(finding, &mut HashSet::new(), &mut steps);
        steps
    }

    /// Whether a case found what explains others.
    pub fn explains(&self, case: &CaseRecord) -> bool {
        self.explaining.contains(case.name.as_str())
    }

    /// How many steps lead to the findings of a case.
    pub fn depth(&self, case: &'a CaseRecord) -> usize {
        case.verdict.findings.iter().map(|finding| self.chain(finding).len()).max().unwrap_or_default()
    }

    fn descend(&self, finding: &'a Finding, seen: &mut HashSet<Key<'a>>, steps: &mut Vec<Step<'a>>) {
        for cause in &finding.because {
            let key = (cause.case.as_str(), cause.code, cause.device.as_deref());
            // A circle, which no judge should make, ends where it closes.
            if !seen.insert(key) {
                continue;
            }
            let deeper = self.findings.get(&key).filter(|deeper| !deeper.because.is_empty());
            if let Some(deeper) = deeper {
                self.descend(deeper, seen, steps);
            }
            steps.push(Step { cause, root: deeper.is_none() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    fn finding(device: &str, because: &[&str]) -> Finding {
        let mut finding = Finding::new(FindingCode::LinkClass, Severity::Failure, device);
        finding.device = Some(device.into());
        finding.because = because
            .iter()
            .map(|device| Cause {
                case: "s::a".into(),
                code: FindingCode::LinkClass,
                device: Some((*device).into()),
                message: (*device).into(),
            })
            .collect();
        finding
    }

    fn record(findings: Vec<Finding>) -> RunRecord {
        let mut case = CaseRecord::unfinished("s::a", "");
        case.verdict = Verdict::from_findings(findings, vec![]);
        let header = crate::record::RunHeader {
            version: RunRecord::VERSION,
            linkspec: String::new(),
            suite: "s".into(),
            title: None,
            spec: String::new(),
            command: vec![],
            hostname: String::new(),
            started: String::new(),
            facts: crate::facts::Facts::new(crate::facts::Origin::Live),
            warnings: vec![],
            planned: vec![],
        };
        RunRecord { cases: vec![case], ..RunRecord::planned(header) }
    }

    fn chain(findings: Vec<Finding>, at: usize) -> Vec<(String, bool)> {
        let record = record(findings);
        let chain = Index::new(&record).chain(&record.cases[0].verdict.findings[at]);
        chain.into_iter().map(|step| (step.cause.message.clone(), step.root)).collect()
    }

    #[test]
    fn the_deepest_cause_comes_first_and_each_once() {
        let findings = vec![finding("port", &["GPU", "cable"]), finding("GPU", &["cable"]), finding("cable", &[])];
        assert_eq!(chain(findings, 0), [("cable".to_owned(), true), ("GPU".to_owned(), false)]);
    }

    #[test]
    fn a_circle_ends() {
        let names = |at| chain(vec![finding("a", &["b"]), finding("b", &["a"])], at).len();
        assert_eq!((names(0), names(1)), (2, 2));
    }
}
