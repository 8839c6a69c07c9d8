use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LibraryLog, Measurement, RasAnswer};

/// Everything that is known of one collective case beside the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectiveEvidence {
    /// The figures; `None` where no output holds any.
    pub measurement: Option<Measurement>,
    /// What the library's log says; `None` where there is no line of it.
    pub log: Option<LibraryLog>,
    /// What the library's RAS service answered.
    pub ras: Option<RasAnswer>,
}
