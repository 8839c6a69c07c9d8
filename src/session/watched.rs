use std::time::Duration;

use crate::{units::Size, worker::Phase};

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

impl Watched {
    /// The rank that the others wait for, and what it is at: `rank 1 in the timed loop, 1M in place`.
    pub fn words(&self) -> String {
        let mut words = format!("rank {} {}", self.rank, self.phase.words());
        if self.size > 0 {
            words.push_str(&format!(", {}", Size(self.size)));
        }
        if self.in_place == Some(true) {
            words.push_str(" in place");
        }
        words
    }
}
