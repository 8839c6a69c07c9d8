use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EngineRun, LibraryLog, Measurement, RasAnswer};

/// Everything that is known of one collective case beside the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectiveEvidence {
    /// The figures; `None` where no output holds any.
    pub measurement: Option<Measurement>,
    /// What the library's log says; `None` where there is no line of it.
    pub log: Option<LibraryLog>,
    /// What the library's RAS service answered.
    pub ras: Option<RasAnswer>,
    /// What linkspec's own engine says, where it measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineRun>,
}

impl CollectiveEvidence {
    /// The files that it is from.
    pub fn files(&self) -> Vec<&str> {
        let measurement = self.measurement.iter().flat_map(|measurement| &measurement.sources);
        let log = self.log.iter().flat_map(|log| &log.sources);
        let files = measurement.chain(log).chain(self.ras.iter().map(|answer| &answer.source));
        let mut files: Vec<&str> = files.map(String::as_str).collect();
        files.sort_unstable();
        files.dedup();
        files
    }
}
