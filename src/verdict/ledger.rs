use std::fmt::Display;

use super::{
    Finding, FindingCode, Measured, Severity, Verdict, hints,
    want::{self, Asked},
};
use crate::{
    facts::Fact,
    spec::{Place, Wanted},
};

/// What is asked of one or several devices in one place of the spec.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check<'a> {
    /// The code of a violation.
    pub code: FindingCode,
    /// The thing as a noun: `link class`. It stands in what could not be judged and in what passed. Where there is no
    /// device (its name is empty then), it says everything: `busbw at 1G in place`.
    pub what: &'a str,
    /// The violation, with `{}` for the value: `is {}`, `has {} active NVLinks`.
    pub says: &'a str,
    /// Where the expectation stands.
    pub place: &'a Place,
    /// The unit of a quantity.
    pub unit: Option<&'static str>,
}

impl<'a> Check<'a> {
    /// A check of something that is no quantity.
    pub const fn new(code: FindingCode, what: &'a str, says: &'a str, place: &'a Place) -> Self {
        Self { code, what, says, place, unit: None }
    }

    /// The same with the unit of its quantity.
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }
}

/// What the checks of one case found, the values that passed, and the quantities that did not.
#[derive(Debug, Default)]
pub(super) struct Ledger<'a> {
    /// The hint of the test itself.
    hint: Option<&'a str>,
    /// Whether the machine was read where it stands, and what is missing can be had there.
    live: bool,
    findings: Vec<Finding>,
    groups: Vec<Group>,
}

/// Devices that one check found alike.
#[derive(Debug)]
struct Group {
    what: String,
    devices: Vec<String>,
    measured: Measured,
}

impl<'a> Ledger<'a> {
    /// An empty ledger; the test's own hint comes before every other.
    pub fn new(hint: Option<&'a str>) -> Self {
        Self { hint, live: false, findings: Vec::new(), groups: Vec::new() }
    }

    /// The same for a machine that is read where it stands, or is not.
    pub fn on(self, live: bool) -> Self {
        Self { live, ..self }
    }

    /// Holds a fact against what is wanted: it meets it, violates it, or is unknown.
    pub fn check<T: Asked<V> + Display, V>(
        &mut self,
        check: &Check<'_>,
        device: &str,
        wanted: &Wanted<T>,
        fact: &Fact<V>,
    ) {
        self.violation(check, device, wanted, fact);
    }

    /// Holds a known value against what is wanted.
    pub fn check_value<T: Asked<V> + Display, V>(
        &mut self,
        check: &Check<'_>,
        device: &str,
        wanted: &Wanted<T>,
        value: &V,
        source: &str,
    ) {
        self.value_violation(check, device, wanted, value, source);
    }

    /// [`Self::check`], which gives the violation to those that have more to say of it.
    pub fn violation<T: Asked<V> + Display, V>(
        &mut self,
        check: &Check<'_>,
        device: &str,
        wanted: &Wanted<T>,
        fact: &Fact<V>,
    ) -> Option<&mut Finding> {
        match fact {
            Fact::Known { value, source } => self.value_violation(check, device, wanted, value, source),
            Fact::Unknown { reason } | Fact::Conflict { reason } => {
                self.unknown(check, device, &wanted.to_string(), reason);
                None
            }
        }
    }

    fn value_violation<T: Asked<V> + Display, V>(
        &mut self,
        check: &Check<'_>,
        device: &str,
        wanted: &Wanted<T>,
        value: &V,
        source: &str,
    ) -> Option<&mut Finding> {
        let actual = want::show(wanted, value).unwrap_or_default();
        let (expected, margin) = (wanted.to_string(), want::margin(wanted, value));
        if want::holds(wanted, value) {
            self.met(check, device, &expected, &actual, margin);
            return None;
        }
        self.missed(check, device, &expected, &actual, margin);
        let finding = self.violated(check, device, &expected, &actual, source);
        finding.margin = margin;
        Some(finding)
    }

    /// A known fact that violates the spec.
    pub fn violated(
        &mut self,
        check: &Check<'_>,
        device: &str,
        expected: &str,
        actual: &str,
        source: &str,
    ) -> &mut Finding {
        let says = check.says.replace("{}", actual);
        self.failure(check, device, format!("{device} {says}, expected {expected}"), expected, actual, source)
    }

    /// A violation with a message of its own.
    pub fn failure(
        &mut self,
        check: &Check<'_>,
        device: &str,
        message: String,
        expected: &str,
        actual: &str,
        source: &str,
    ) -> &mut Finding {
        self.measured(check, device, expected, actual, None);
        let mut finding = Finding::new(check.code, Severity::Failure, message);
        finding.actual = Some(actual.to_owned());
        finding.source = Some(source.to_owned());
        finding.hint = Some(self.hint(hints::violated(check.code)));
        self.add(finding, check, device, expected)
    }

    /// Something that could not be looked for.
    pub fn unknown(&mut self, check: &Check<'_>, device: &str, expected: &str, reason: &str) {
        let subject = if device.is_empty() { check.what.to_owned() } else { format!("{device}: {}", check.what) };
        let message = format!("{subject} is unknown: {reason}");
        let mut finding = Finding::new(FindingCode::Unknown, Severity::Error, message);
        let hint = if self.live { hints::unknown_live(check.code) } else { hints::unknown(check.code) };
        finding.hint = Some(self.hint(hint));
        self.add(finding, check, device, expected);
    }

    /// An error of another kind than a missing fact.
    pub fn error(&mut self, code: FindingCode, place: Option<&Place>, message: String) -> &mut Finding {
        let mut finding = Finding::new(code, Severity::Error, message);
        finding.place = place.cloned();
        finding.hint = Some(self.hint(hints::violated(code)));
        self.push(finding)
    }

    /// A remark.
    pub fn note(&mut self, code: FindingCode, place: Option<&Place>, message: String) -> &mut Finding {
        self.remark(Severity::Note, code, place, message)
    }

    /// What was found so far.
    pub fn mark(&self) -> usize {
        self.findings.len()
    }

    /// Drops findings since a mark that another finding tells already. An error that decides must stay.
    pub fn drop_since(&mut self, mark: usize, is_told: impl Fn(&Finding) -> bool) {
        let since = self.findings.split_off(mark.min(self.findings.len()));
        self.findings.extend(since.into_iter().filter(|finding| !is_told(finding)));
    }

    /// Something that is worth a look and does not fail the case.
    pub fn warning(&mut self, code: FindingCode, place: Option<&Place>, message: String) -> &mut Finding {
        self.remark(Severity::Warning, code, place, message)
    }

    fn remark(
        &mut self,
        severity: Severity,
        code: FindingCode,
        place: Option<&Place>,
        message: String,
    ) -> &mut Finding {
        let mut finding = Finding::new(code, severity, message);
        finding.place = place.cloned();
        finding.hint = Some(hints::violated(code).to_owned());
        self.push(finding)
    }

    /// A quantity that misses its bound: measured like one that is met, beside the finding that tells it.
    pub fn missed(&mut self, check: &Check<'_>, device: &str, expected: &str, actual: &str, margin: Option<f64>) {
        if margin.is_some() {
            self.measured(check, device, expected, actual, margin);
        }
    }

    /// A value that is as asked.
    pub fn met(&mut self, check: &Check<'_>, device: &str, expected: &str, actual: &str, margin: Option<f64>) {
        self.measured(check, device, expected, actual, margin);
    }

    fn measured(&mut self, check: &Check<'_>, device: &str, expected: &str, actual: &str, margin: Option<f64>) {
        let alike = |group: &&mut Group| {
            group.what == check.what && group.measured.expected == expected && group.measured.actual == actual
        };
        if let Some(group) = self.groups.iter_mut().find(alike) {
            group.measured.margin = group.measured.margin.or(margin);
            if !group.devices.iter().any(|known| known == device) {
                group.devices.push(device.to_owned());
            }
            return;
        }
        let measured =
            Measured { subject: String::new(), actual: actual.to_owned(), expected: expected.to_owned(), margin };
        self.groups.push(Group { what: check.what.to_owned(), devices: vec![device.to_owned()], measured });
    }

    /// The verdict that follows.
    pub fn verdict(self) -> Verdict {
        let measured = self.groups.into_iter().map(|group| {
            let subject = format!("{} {}", devices(&group.devices), group.what).trim_start().to_owned();
            Measured { subject, ..group.measured }
        });
        Verdict::from_findings(self.findings, measured.collect())
    }

    fn add(&mut self, mut finding: Finding, check: &Check<'_>, device: &str, expected: &str) -> &mut Finding {
        finding.device = Some(device.to_owned()).filter(|device| !device.is_empty());
        finding.expected = Some(expected.to_owned()).filter(|expected| !expected.is_empty());
        finding.unit = check.unit.map(str::to_owned);
        finding.place = Some(check.place.clone());
        self.push(finding)
    }

    fn push(&mut self, finding: Finding) -> &mut Finding {
        self.findings.push(finding);
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    fn hint(&self, general: &str) -> String {
        self.hint.map_or_else(|| general.to_owned(), |own| format!("{own}; {general}"))
    }
}

/// One device by its name, several by their number and kind: `28 GPU pairs`.
fn devices(names: &[String]) -> String {
    let [first, _, ..] = names else { return names.concat() };
    let noun = match first.split_once('-') {
        Some((_, second)) if first.starts_with("GPU") && second.starts_with("GPU") => "GPU pairs",
        Some(_) if first.starts_with("GPU") => "GPU-NIC pairs",
        Some(_) if first.starts_with("rank") => "rank pairs",
        _ if first.starts_with("GPU") => "GPUs",
        _ if first.contains('/') => "ports",
        _ => "devices",
    };
    format!("{} {noun}", names.len())
}
