use std::{
    sync::Arc,
    thread::{self, JoinHandle},
};

use super::{Likely, RankStart};
use crate::collective::{
    Sweep,
    data::{Expected, Pattern},
};

/// What decides a pattern beside type, reduction and ranks: the same on every rank.
pub(super) const SEED: u64 = 0x6c69_6e6b_7370_6563;

/// What one rank sends, and what must arrive.
#[derive(Debug)]
pub(super) struct Material {
    of: Likely,
    pub(super) sent: Vec<u8>,
    pub(super) expected: Expected,
}

impl Material {
    fn make(of: Likely, rank: u32, ranks: u32) -> Self {
        let pattern = Pattern::new(of.datatype, of.reduction, ranks, SEED).within(of.elements);
        thread::scope(|scope| {
            let expected = scope.spawn(|| pattern.expected());
            let sent = pattern.sent(rank);
            let expected = expected.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Self { of, sent, expected }
        })
    }
}

/// The material of the test at hand; that of the first one is made while the GPU is opened.
#[derive(Debug)]
pub(super) struct Materials {
    rank: u32,
    ranks: u32,
    ahead: Option<JoinHandle<Material>>,
    last: Option<Arc<Material>>,
}

impl Materials {
    pub(super) fn new(start: &RankStart) -> Self {
        let (rank, ranks) = (start.rank, start.ranks);
        let make = |likely| move || Material::make(likely, rank, ranks);
        // Without the thread it is made when it is needed.
        let ahead = start.likely.and_then(|likely| thread::Builder::new().spawn(make(likely)).ok());
        Self { rank, ranks, ahead, last: None }
    }

    pub(super) fn of(&mut self, sweep: &Sweep) -> Arc<Material> {
        if let Some(ahead) = self.ahead.take() {
            self.last = ahead.join().ok().map(Arc::new);
        }
        let of = Likely::of(sweep);
        if let Some(last) = self.last.as_ref().filter(|last| last.of.serves(&of)) {
            return Arc::clone(last);
        }
        let made = Arc::new(Material::make(of, self.rank, self.ranks));
        self.last = Some(Arc::clone(&made));
        made
    }
}
