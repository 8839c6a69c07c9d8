//! What can't be right in a spec, though it can be run.

use std::fmt;

use super::{Place, Suite};

/// Something that can't be right, though it can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What, and why.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "warning: {}: {}", self.place, self.message)
    }
}

/// The warnings of a suite.
pub(super) fn lint(_suite: &Suite) -> Vec<Warning> {
    Vec::new()
}
