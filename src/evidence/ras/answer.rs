use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::Damage;

/// What the RAS service of NCCL or RCCL answered to a status request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RasAnswer {
    /// The file.
    pub source: String,
    /// The library: `NCCL 2.28.9`.
    pub library: Option<String>,
    /// Nodes of the job; the JSON form has no summary of the job.
    pub nodes: Option<u32>,
    /// GPUs of the job; the JSON form has no summary of the job.
    pub gpus: Option<u32>,
    /// Its communicators, or groups of like ones.
    pub communicators: Vec<RasCommunicator>,
    /// Operations of which ranks of one communicator have launched different numbers.
    pub spreads: Vec<RasSpread>,
    /// Processes that the service considers dead.
    pub dead: Option<u32>,
    /// Lines of its errors.
    pub errors: Vec<String>,
    /// Lines of its warnings.
    pub warnings: Vec<String>,
    /// Why the answer is not whole, as a fragment.
    pub incomplete: Option<String>,
    /// Parts that gave nothing.
    pub damage: Vec<Damage>,
}

/// One line of the list of communicators: a group of like ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RasCommunicator {
    /// How many communicators are alike.
    pub count: Option<u32>,
    /// The ranks of one communicator.
    pub ranks: Option<u32>,
    /// The ranks that did not answer, over all of them.
    pub missing: Option<u32>,
    /// Its state: `RUNNING`.
    pub status: String,
    /// Its errors: `OK`, or some of `INCOMPLETE`, `ERROR`, `MISMATCH` with commas between.
    pub errors: String,
}

/// How far the ranks of a communicator are apart.
///
/// Ranks that work show a spread as well; one that is the same in two answers is a desynchronised job, and the ranks
/// behind hold up the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RasSpread {
    /// The communicator, as the answer names it: `#0-0 (27a079b828ff1a75)`, `0xae94423cfbb2ef4a`.
    pub communicator: String,
    /// The operation: `AllReduce`; `collective` where an old library counts all in one.
    pub operation: String,
    /// The least number of launches.
    pub least: u64,
    /// The most.
    pub most: u64,
    /// The ranks that have launched least; empty where the answer does not list them.
    pub behind: Vec<u32>,
}
