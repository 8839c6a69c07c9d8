use std::{
    cell::RefCell,
    io::Write,
    time::{Duration, Instant},
};

use super::Phase;

/// How long a rank was in each phase, for whoever reads what it wrote to standard error.
#[derive(Debug)]
pub(super) struct Spent(RefCell<Times>);

#[derive(Debug)]
struct Times {
    phase: Phase,
    since: Instant,
    all: Vec<(Phase, Duration)>,
}

impl Spent {
    pub(super) fn new() -> Self {
        Self(RefCell::new(Times { phase: Phase::Spawned, since: Instant::now(), all: Vec::new() }))
    }

    /// Another phase begins, or the same with another size.
    pub(super) fn enter(&self, phase: Phase) {
        let mut times = self.0.borrow_mut();
        let spent = times.since.elapsed();
        let ended = std::mem::replace(&mut times.phase, phase);
        times.since = Instant::now();
        match times.all.iter_mut().find(|(known, _)| *known == ended) {
            Some((_, total)) => *total += spent,
            None => times.all.push((ended, spent)),
        }
    }

    /// Writes the sums, in milliseconds.
    pub(super) fn tell(&self, rank: u32) {
        let phase = self.0.borrow().phase;
        self.enter(phase);
        let times = self.0.borrow();
        let words = times.all.iter().map(|(phase, time)| format!("{} {:.0}", phase.words(), time.as_secs_f64() * 1e3));
        let words: Vec<String> = words.collect();
        // Where it cannot be written nobody reads it.
        let _ = writeln!(std::io::stderr(), "linkspec rank {rank}: ms {}", words.join(", "));
    }
}
