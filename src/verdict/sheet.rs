//! What the judge writes down while it looks at one case.

use std::fmt::Display;

use super::{
    Finding, FindingCode, Measured, Severity, Verdict,
    want::{Value, margin, meets},
};
use crate::{
    facts::{Fact, Switch},
    spec::{Glob, Place, Placed, Wanted},
};

/// What is looked at.
#[derive(Clone, Debug)]
pub(super) struct Subject<'a> {
    /// The code of a finding about it.
    pub code: FindingCode,
    /// The device: `GPU0`, `mlx5_0/1`.
    pub device: Option<String>,
    /// What of it, in words: `PCIe width`.
    pub what: &'a str,
    /// The unit of the value, where it is a quantity.
    pub unit: Option<&'a str>,
    /// What to look at next if it is wrong.
    pub hint: &'a str,
}

/// How a value stands to what was asked.
pub(super) enum Standing {
    /// Known and right.
    Right { actual: String, margin: Option<f64> },
    /// Known and wrong.
    Wrong { actual: String, margin: Option<f64>, source: Option<String> },
    /// Not known, and why.
    Unknown { reason: String },
}

/// The findings and measured values of one case.
pub(super) struct Sheet<'a> {
    findings: Vec<Finding>,
    rows: Vec<Row>,
    /// The test's own hint, which goes before the check's.
    hint: Option<&'a str>,
}

/// One value that was looked at.
struct Row {
    what: String,
    actual: String,
    expected: String,
    margin: Option<f64>,
}

impl<'a> Sheet<'a> {
    pub(super) const fn new(hint: Option<&'a str>) -> Self {
        Self { findings: Vec::new(), rows: Vec::new(), hint }
    }

    /// The verdict that follows. Values of many devices that were asked the same are one entry.
    pub(super) fn verdict(self) -> Verdict {
        let mut groups: Vec<(Row, Vec<(String, usize)>)> = Vec::new();
        for row in self.rows {
            let same = groups.iter_mut().find(|(first, _)| first.what == row.what && first.expected == row.expected);
            let Some((first, values)) = same else {
                let value = (row.actual.clone(), 1);
                groups.push((row, vec![value]));
                continue;
            };
            first.margin = [first.margin, row.margin].into_iter().flatten().min_by(f64::total_cmp);
            match values.iter_mut().find(|(actual, _)| *actual == row.actual) {
                Some((_, count)) => *count += 1,
                None => values.push((row.actual, 1)),
            }
        }
        let measured = groups.into_iter().map(|(first, values)| {
            let counted = |(actual, count): &(String, usize)| match count {
                1 => actual.clone(),
                _ => format!("{count} x {actual}"),
            };
            Measured {
                subject: first.what,
                actual: values.iter().map(counted).collect::<Vec<_>>().join(", "),
                expected: first.expected,
                margin: first.margin,
            }
        });
        let measured = measured.collect();
        Verdict::from_findings(self.findings, measured)
    }

    /// Writes a finding down.
    pub(super) fn add(&mut self, mut finding: Finding) {
        if let Some(hint) = self.hint.filter(|_| finding.severity <= Severity::Error) {
            finding.hint = Some(match finding.hint {
                Some(own) => format!("{hint}; {own}"),
                None => hint.to_owned(),
            });
        }
        self.findings.push(finding);
    }

    /// Writes down how a value stands to what was asked.
    pub(super) fn settle(&mut self, subject: &Subject<'_>, expected: &str, place: &Place, standing: Standing) {
        let device = subject.device.as_deref();
        let name = device.map_or_else(|| subject.what.to_owned(), |device| format!("{device}: {}", subject.what));
        let mut row = |actual: &str, margin| {
            let (what, actual, expected) = (subject.what.to_owned(), actual.to_owned(), expected.to_owned());
            self.rows.push(Row { what, actual, expected, margin });
        };
        let mut finding = match standing {
            Standing::Right { actual, margin } => return row(&actual, margin),
            Standing::Wrong { actual, margin, source } => {
                row(&actual, margin);
                let message = format!("{name} is {actual}, expected {expected}");
                let finding = Finding::new(subject.code, Severity::Failure, message);
                Finding { actual: Some(actual), margin, source, hint: own_hint(subject.hint), ..finding }
            }
            Standing::Unknown { reason } => {
                let message = format!("{name} is unknown: {reason} (expected {expected})");
                Finding::new(FindingCode::Unknown, Severity::Error, message)
            }
        };
        finding.device = subject.device.clone();
        finding.expected = Some(expected.to_owned());
        finding.unit = subject.unit.map(str::to_owned);
        finding.place = Some(place.clone());
        self.add(finding);
    }

    /// A value that should be exact, one of several, or in a range.
    pub(super) fn wanted<T: Value + Clone>(&mut self, subject: &Subject<'_>, wanted: &Placed<Wanted<T>>, fact: &Fact<T>) {
        let standing = match fact {
            Fact::Known { value, source } => {
                let (actual, margin) = (value.shown(), margin(&wanted.value, value));
                if meets(&wanted.value, value) {
                    Standing::Right { actual, margin }
                } else {
                    Standing::Wrong { actual, margin, source: Some(source.clone()) }
                }
            }
            Fact::Unknown { reason } | Fact::Conflict { reason } => Standing::Unknown { reason: reason.clone() },
        };
        self.settle(subject, &wanted.value.to_string(), &wanted.place, standing);
    }

    /// A text that globs describe.
    pub(super) fn text(&mut self, subject: &Subject<'_>, wanted: &Placed<Wanted<Glob>>, fact: &Fact<String>) {
        let matches = |text: &String| match &wanted.value {
            Wanted::Exact(glob) => glob.matches(text),
            Wanted::OneOf(globs) => globs.iter().any(|glob| glob.matches(text)),
            // The language has no range of texts.
            Wanted::Range { .. } => false,
        };
        self.holds(subject, &wanted.value.to_string(), &wanted.place, fact, matches);
    }

    /// A switch that should be on or off.
    pub(super) fn switch(&mut self, subject: &Subject<'_>, wanted: &Placed<Switch>, fact: &Fact<Switch>) {
        self.holds(subject, &wanted.value.to_string(), &wanted.place, fact, |value| *value == wanted.value);
    }

    /// A value for which `right` holds.
    pub(super) fn holds<T: Display>(
        &mut self,
        subject: &Subject<'_>,
        expected: &str,
        place: &Place,
        fact: &Fact<T>,
        right: impl FnOnce(&T) -> bool,
    ) {
        let standing = match fact {
            Fact::Known { value, .. } if right(value) => Standing::Right { actual: value.to_string(), margin: None },
            Fact::Known { value, source } => {
                Standing::Wrong { actual: value.to_string(), margin: None, source: Some(source.clone()) }
            }
            Fact::Unknown { reason } | Fact::Conflict { reason } => Standing::Unknown { reason: reason.clone() },
        };
        self.settle(subject, expected, place, standing);
    }
}

fn own_hint(hint: &str) -> Option<String> {
    (!hint.is_empty()).then(|| hint.to_owned())
}
