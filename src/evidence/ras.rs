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
    /// Nodes of the job.
    pub nodes: Option<u32>,
    /// GPUs of the job.
    pub gpus: Option<u32>,
    /// Its communicators, or groups of like ones.
    pub communicators: Vec<RasCommunicator>,
    /// Lines of its errors.
    pub errors: Vec<String>,
    /// Lines of its warnings.
    pub warnings: Vec<String>,
    /// Why the answer is not whole, as a fragment.
    pub incomplete: Option<String>,
    /// Parts that gave nothing.
    pub damage: Vec<Damage>,
}

/// One line of the list of communicators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RasCommunicator {
    /// The ranks of one communicator.
    pub ranks: Option<u32>,
    /// The ranks that are missing from it.
    pub missing: Option<u32>,
    /// Its state: `RUNNING`.
    pub status: String,
    /// Its errors: `OK`, `INCOMPLETE`, `MISMATCH`.
    pub errors: String,
}
