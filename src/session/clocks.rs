use std::time::{Duration, Instant};

use crate::worker::At;

/// A gap between two looks from which the supervisor itself did not run: it was stopped, or its machine paused.
const GAP: Duration = Duration::from_secs(2);

/// Since when each rank is at what it is at.
pub(super) struct Clocks {
    /// When what all are waited for began.
    pub began: Instant,
    ranks: Vec<Clock>,
    looked: Instant,
}

/// The clock of one rank.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// What it was seen at last.
    pub at: At,
    /// Since when it is in this phase and size.
    pub since: Instant,
    /// When its beat was seen to rise.
    pub beaten: Option<Instant>,
}

impl Clocks {
    /// Clocks of so many ranks, of which nothing was seen.
    pub fn new(ranks: usize, now: Instant) -> Self {
        let clock = Clock { at: At::default(), since: now, beaten: None };
        Self { began: now, ranks: vec![clock; ranks], looked: now }
    }

    /// All ranks begin something.
    pub fn begin(&mut self, now: Instant) {
        self.began = now;
        self.looked = now;
        for clock in &mut self.ranks {
            clock.since = now;
        }
    }

    /// Before ranks are looked at: time in which this process did not run is no time of theirs.
    pub fn look(&mut self, now: Instant) {
        let gap = now.saturating_duration_since(self.looked);
        self.looked = now;
        if gap < GAP {
            return;
        }
        self.began += gap;
        for clock in &mut self.ranks {
            clock.since += gap;
            clock.beaten = clock.beaten.map(|beaten| beaten + gap);
        }
    }

    /// A rank is at this now.
    pub fn see(&mut self, rank: usize, at: At, now: Instant) {
        let Some(clock) = self.ranks.get_mut(rank) else { return };
        let seen = clock.at;
        // An iteration that went back is another pass through the same phase.
        if (at.phase, at.size) != (seen.phase, seen.size) || at.iteration < seen.iteration {
            clock.since = now;
        }
        if at.beat != seen.beat {
            clock.beaten = Some(now);
        }
        clock.at = at;
    }

    /// A rank has got on.
    pub fn restart(&mut self, rank: usize, now: Instant) {
        if let Some(clock) = self.ranks.get_mut(rank) {
            clock.since = now;
        }
    }

    /// The clock of each rank.
    pub fn each(&self) -> &[Clock] {
        &self.ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::Phase;

    fn at(phase: Phase, size: u64, iteration: u64, beat: u64) -> At {
        At { phase, size, iteration, beat }
    }

    #[test]
    fn a_clock_restarts_with_the_phase_and_the_size() {
        let start = Instant::now();
        let second = |count| start + Duration::from_secs(count);
        let mut clocks = Clocks::new(2, start);
        clocks.see(0, at(Phase::Timed, 8, 0, 1), second(1));
        clocks.see(0, at(Phase::Timed, 8, 5, 1), second(2));
        assert_eq!((clocks.each()[0].since, clocks.each()[0].beaten), (second(1), Some(second(1))));
        clocks.see(0, at(Phase::Timed, 16, 5, 2), second(3));
        assert_eq!((clocks.each()[0].since, clocks.each()[0].beaten), (second(3), Some(second(3))));
        clocks.see(0, at(Phase::Timed, 16, 0, 2), second(4));
        assert_eq!(clocks.each()[0].since, second(4));
        assert_eq!((clocks.each()[1].since, clocks.each()[1].beaten), (start, None));
    }

    #[test]
    fn time_in_which_the_supervisor_was_stopped_does_not_count() {
        let start = Instant::now();
        let mut clocks = Clocks::new(1, start);
        clocks.look(start + Duration::from_secs(1));
        assert_eq!(clocks.began, start);
        clocks.look(start + Duration::from_secs(101));
        let shifted = start + Duration::from_secs(100);
        assert_eq!((clocks.began, clocks.each()[0].since), (shifted, shifted));
    }
}
