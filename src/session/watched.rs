use std::time::Duration;

use crate::worker::Phase;

/// What a session is at, for a line of progress: the rank that is least far, since the others wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The rank.
    pub rank: u32,
    /// Its GPU by the driver tool's index.
    pub gpu: u32,
    /// Its phase; [`Phase::words`] says it.
    pub phase: Phase,
    /// The size at hand, in bytes.
    pub size: u64,
    /// Whether the place at hand is in place; `None` outside of the sizes' own measurement.
    pub in_place: Option<bool>,
    /// The iteration at hand.
    pub iteration: u64,
    /// How many samples it has told of the test at hand.
    pub samples: usize,
    /// How long it has been in this phase.
    pub since: Duration,
}
