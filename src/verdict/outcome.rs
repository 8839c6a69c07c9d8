use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, FindingCode, Severity};

/// The result of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Everything asked was looked for and holds.
    Pass,
    /// The spec itself said when to skip.
    Skip,
    /// Something could not be judged, and nothing known violates the spec.
    Error,
    /// Known facts violate the spec, whatever else is unknown.
    Fail,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pass => "pass",
            Self::Skip => "skip",
            Self::Error => "error",
            Self::Fail => "fail",
        })
    }
}

/// A figure that meets its bound by less, relative to it, is near. Runs of one machine differ by 1 % at large sizes.
const HAIR: f64 = 0.02;

/// What the judge says of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The result, always the one that follows from the findings.
    pub outcome: Outcome,
    /// Everything that was found, worst first.
    pub findings: Vec<Finding>,
    /// What was measured or read and what was asked of it, for the line of a case that passes too.
    pub measured: Vec<Measured>,
    /// Why the case was skipped or ignored.
    pub skip_reason: Option<String>,
}

impl Verdict {
    /// The verdict that follows from findings: a failure wins over an error, and without either the case passes.
    pub fn from_findings(mut findings: Vec<Finding>, measured: Vec<Measured>) -> Self {
        findings.sort_by_key(|finding| finding.severity);
        let outcome = match findings.first().map(|finding| finding.severity) {
            Some(Severity::Failure) => Outcome::Fail,
            Some(Severity::Error) => Outcome::Error,
            Some(Severity::Warning | Severity::Note) | None => Outcome::Pass,
        };
        Self { outcome, findings, measured, skip_reason: None }
    }

    /// A skipped case.
    pub fn skipped(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Skip, findings: Vec::new(), measured: Vec::new(), skip_reason: Some(reason.into()) }
    }

    /// The measured value that is nearest to its bound, or farthest beyond it; `None` where no value has a bound.
    pub fn worst(&self) -> Option<&Measured> {
        let margin = |measured: &&Measured| measured.margin.filter(|margin| margin.is_finite());
        self.measured
            .iter()
            .filter(|measured| margin(measured).is_some())
            .min_by(|a, b| margin(a).unwrap_or(f64::MAX).total_cmp(&margin(b).unwrap_or(f64::MAX)))
    }

    /// Whether measuring again could change it: nothing but figures miss their bounds, or some meet theirs by a hair.
    pub fn is_near(&self) -> bool {
        let is_figure = |finding: &Finding| {
            matches!(finding.code, FindingCode::BusBandwidth | FindingCode::Latency | FindingCode::BandwidthDrop)
        };
        match self.outcome {
            Outcome::Fail => self.findings.iter().all(|found| found.severity != Severity::Failure || is_figure(found)),
            Outcome::Pass => self.worst_margin().is_some_and(|margin| margin < HAIR),
            Outcome::Error | Outcome::Skip => false,
        }
    }

    /// The smallest relative distance between a measured value and its bound; negative where a bound is missed.
    pub fn worst_margin(&self) -> Option<f64> {
        self.worst().and_then(|measured| measured.margin)
    }
}

/// A value and what was asked of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// Of what: `GPU0-GPU1 link`, `mlx5_0/1 rate`, `busbw at 1G out of place`.
    pub subject: String,
    /// The value with its unit, as it is shown.
    pub actual: String,
    /// What was asked, as it is shown.
    pub expected: String,
    /// By how much the bound is met, relative to the bound; `None` where the value is no quantity with a bound.
    pub margin: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_again_is_what_could_be_otherwise() {
        let measured = |margin| Measured {
            subject: "busbw at 1G".into(),
            actual: "300.00 GB/s".into(),
            expected: "at least 300 GB/s".into(),
            margin: Some(margin),
        };
        let of = |findings: &[(FindingCode, Severity)], margin| {
            let findings = findings.iter().map(|(code, severity)| Finding::new(*code, *severity, "x")).collect();
            Verdict::from_findings(findings, vec![measured(margin)]).is_near()
        };
        let slow = (FindingCode::BusBandwidth, Severity::Failure);
        assert!(of(&[slow], -0.3) && of(&[slow, (FindingCode::Latency, Severity::Failure)], -0.3));
        assert!(of(&[], 0.019) && !of(&[], 0.021));
        // Wrong data and a wrong path stay what they are.
        assert!(!of(&[slow, (FindingCode::WrongData, Severity::Failure)], -0.3));
        assert!(!of(&[(FindingCode::Transport, Severity::Failure)], 0.5));
        assert!(!of(&[(FindingCode::HangMidRun, Severity::Error)], 0.0));
    }

    fn finding(severity: Severity) -> Finding {
        Finding::new(FindingCode::Unknown, severity, "x")
    }

    #[test]
    fn a_proved_violation_wins_over_what_is_unknown() {
        let verdict = Verdict::from_findings(vec![finding(Severity::Error), finding(Severity::Failure)], vec![]);
        assert_eq!(verdict.outcome, Outcome::Fail);
        assert_eq!(verdict.findings[0].severity, Severity::Failure);
    }

    #[test]
    fn the_unknown_never_passes_and_a_warning_does() {
        let outcome = |severity| Verdict::from_findings(vec![finding(severity)], vec![]).outcome;
        assert_eq!(outcome(Severity::Error), Outcome::Error);
        assert_eq!(outcome(Severity::Warning), Outcome::Pass);
    }
}
