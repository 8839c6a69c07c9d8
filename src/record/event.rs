use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CaseRecord, RunHeader};
use crate::{facts::Facts, verdict::Verdict};

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The run begins; a second one in a journal is a run that was resumed.
    RunStarted(Box<RunHeader>),
    /// A case begins.
    CaseStarted {
        /// Its name.
        name: String,
    },
    /// A case ended.
    CaseFinished(Box<CaseRecord>),
    /// The comparison of all cases changed the verdict of one.
    Related {
        /// The case.
        case: String,
        /// Its verdict as it is now.
        verdict: Box<Verdict>,
    },
    /// The run ended.
    RunFinished {
        /// How long it took.
        seconds: f64,
        /// Whether a person or a signal ended it.
        interrupted: bool,
        /// Facts read after the last case.
        facts_after: Option<Box<Facts>>,
    },
}
