use std::{collections::BTreeMap, fmt};

use super::Placed;

/// Environment variables by name; names are not checked against any library's list.
pub type EnvironmentMap = BTreeMap<String, Placed<EnvironmentValue>>;

/// What happens to an environment variable. Values keep their spelling.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EnvironmentValue {
    /// `~`: it is removed, also where it is inherited.
    Removed,
    /// It is set.
    Set(String),
    /// It is set to another value for each rank, in the order of ranks.
    PerRank(Vec<String>),
}

impl fmt::Display for EnvironmentValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Removed => f.pad("~"),
            Self::Set(value) => f.pad(value),
            Self::PerRank(values) => f.pad(&format!("per rank: {}", values.join(", "))),
        }
    }
}
