use std::fmt;

use crate::evidence::{Row, Sample};

/// Whether an operation's input and output share a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::verdict) enum Placement {
    /// They don't.
    OutOfPlace,
    /// They do.
    InPlace,
}

impl Placement {
    /// What a row says of it.
    pub fn of(self, row: &Row) -> Option<&Sample> {
        match self {
            Self::OutOfPlace => row.out_of_place.as_ref(),
            Self::InPlace => row.in_place.as_ref(),
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OutOfPlace => "out of place",
            Self::InPlace => "in place",
        })
    }
}
