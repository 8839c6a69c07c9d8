use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    evidence::{CollectiveEvidence, EngineRun},
    spec::Place,
    verdict::{Finding, FindingCode, Severity, Verdict},
};

/// One case of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseRecord {
    /// The whole name, `SUITE::TEST[CELL]`.
    pub name: String,
    /// The test's name.
    pub test: String,
    /// A title for people.
    pub title: Option<String>,
    /// The kind of check, as the spec language names it.
    pub kind: String,
    /// The cell: keys and values.
    pub cell: Vec<(String, String)>,
    /// Where the test stands in the spec.
    pub place: Option<Place>,
    /// The environment that the case was given, where it differs from what was inherited.
    pub environment: Vec<EnvironmentEntry>,
    /// Where its ranks were to be placed.
    pub pin: String,
    /// The GPUs that it was to use.
    pub gpus: String,
    /// When it began, in RFC 3339 with the machine's offset.
    pub started: String,
    /// How long it took.
    pub seconds: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// Set where it was tried more than once.
    pub flaky: Option<Flaky>,
    /// The command that repeats just this case.
    pub repeat: String,
    /// Output of what the case ran, shortened.
    pub output: Option<String>,
    /// What a collective was judged by; the run can be judged again from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collective: Option<Box<CollectiveEvidence>>,
}

impl CaseRecord {
    /// The record of a planned case that no event has ended: an error.
    pub fn unfinished(name: &str, started: &str) -> Self {
        let mut finding =
            Finding::new(FindingCode::NotFinished, Severity::Error, "not finished: the run ended before this case did");
        finding.hint = Some("run it again, or go on with --resume".to_owned());
        let short = short_name(name);
        Self {
            name: name.to_owned(),
            test: short.split_once('[').map_or(short, |(test, _)| test).to_owned(),
            title: None,
            kind: String::new(),
            cell: Vec::new(),
            place: None,
            environment: Vec::new(),
            pin: String::new(),
            gpus: String::new(),
            started: started.to_owned(),
            seconds: 0.0,
            verdict: Verdict::from_findings(vec![finding], Vec::new()),
            flaky: None,
            repeat: String::new(),
            output: None,
            collective: None,
        }
    }

    /// Whether this is [`CaseRecord::unfinished`]. The kind tells it from a case that ended and whose judge found an
    /// output that was not finished.
    pub fn is_unfinished(&self) -> bool {
        let [only] = self.verdict.findings.as_slice() else { return false };
        only.code == FindingCode::NotFinished && self.kind.is_empty()
    }

    /// Whether a stand-in for a library gave its figures.
    pub fn is_stand_in(&self) -> bool {
        self.engine().is_some_and(EngineRun::is_stand_in)
    }

    /// What linkspec's own engine says, where it measured.
    pub fn engine(&self) -> Option<&EngineRun> {
        self.collective.as_ref()?.engine.as_ref()
    }

    /// The name without the suite: `TEST[CELL]`.
    pub fn short_name(&self) -> &str {
        short_name(&self.name)
    }
}

fn short_name(name: &str) -> &str {
    name.split_once("::").map_or(name, |(_, short)| short)
}

/// One variable of a case's environment and where its value came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvironmentEntry {
    /// The variable.
    pub name: String,
    /// The value; `None` where it is removed; joined by `, ` where it differs by rank.
    pub value: Option<String>,
    /// Where it came from: `pin`, `--env`, `cell`, `test`, `defaults` or `inherited`.
    pub origin: String,
}

/// A case that was tried more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flaky {
    /// How often it was tried.
    pub tries: u32,
    /// Whether the last try passed.
    pub passed: bool,
}
