use std::time::Duration;

use super::diagnosis::SILENT;
use crate::{
    collective::Sweep,
    worker::{At, Phase},
};

/// Bytes per second below which a link counts as stuck, where nothing else is said.
const FLOOR: f64 = 1e9;
/// How many times the time at the floor an operation may take.
const PATIENCE: f64 = 20.0;
/// What an operation takes that moves nothing, in seconds, on a machine in poor health.
const LATENCY: f64 = 100e-6;

/// How long each phase of a session may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// From the start of the processes until every rank has its GPU and its libraries open.
    pub context: Duration,
    /// Until every rank is in the communicator.
    pub init: Duration,
    /// Until buffers are made and filled.
    pub prepare: Duration,
    /// Warm-up of a session's first test: the library connects ranks when they are first used.
    pub first_collective: Duration,
    /// The least time that operations are given, however few bytes they move.
    pub least_operation: Duration,
    /// Until every rank has left the communicator and ended.
    pub end: Duration,
    /// For ranks that are told to abort, until they are told to by a signal: the library's abort may itself hang.
    pub abort: Duration,
    /// Between that signal and the one that cannot be refused.
    pub terminate: Duration,
    /// What no phase goes beyond, whatever its bytes.
    pub most: Duration,
}

impl Deadlines {
    /// The deadlines of a session of so many ranks.
    pub fn standard(ranks: u32) -> Self {
        let seconds = Duration::from_secs;
        Self {
            context: seconds(60),
            init: seconds(60 + 2 * u64::from(ranks)),
            prepare: seconds(60),
            first_collective: seconds(60),
            least_operation: seconds(10),
            end: seconds(20),
            abort: seconds(5),
            terminate: seconds(3),
            most: Duration::MAX,
        }
    }

    /// The same, none of them longer than this.
    #[must_use]
    pub fn at_most(self, most: Duration) -> Self {
        Self {
            context: self.context.min(most),
            init: self.init.min(most),
            prepare: self.prepare.min(most),
            first_collective: self.first_collective.min(most),
            least_operation: self.least_operation.min(most),
            end: self.end.min(most),
            abort: self.abort.min(most),
            terminate: self.terminate.min(most),
            most: self.most.min(most),
        }
    }
}

/// How long the phases of one test may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Budget {
    deadlines: Deadlines,
    /// Seconds of patience for each byte.
    per_byte: f64,
    iterations: u32,
    warmup: u32,
    largest: u64,
    whole_check: u64,
    first: bool,
}

impl Budget {
    /// The budget of a test; `floor` is the bandwidth in bytes per second below which a link counts as stuck. `first`
    /// where no collective has run in the session.
    pub fn of(deadlines: Deadlines, sweep: &Sweep, floor: Option<f64>, first: bool) -> Self {
        let floor = floor.filter(|floor| floor.is_finite() && *floor > 0.0).unwrap_or(FLOOR);
        Self {
            deadlines,
            per_byte: PATIENCE / floor,
            iterations: sweep.iterations,
            warmup: sweep.warmup,
            largest: sweep.largest(),
            whole_check: sweep.whole_check,
            first,
        }
    }

    /// How long the process of a rank may show no life.
    pub fn silence(&self) -> Duration {
        self.deadlines.least_operation.max(SILENT).min(self.deadlines.most)
    }

    /// How long a rank may be in the phase and size that it is at.
    pub fn at(&self, at: &At) -> Duration {
        self.uncut(at).min(self.deadlines.most)
    }

    fn uncut(&self, at: &At) -> Duration {
        match at.phase {
            Phase::Prepare => self.deadlines.prepare.max(self.operations(self.largest, 1)),
            Phase::Warmup => {
                // Some warm up all sizes as one.
                let size = if at.size == 0 { self.largest } else { at.size };
                let time = self.operations(size, self.warmup.max(1));
                if self.first { time.max(self.deadlines.first_collective) } else { time }
            }
            Phase::Timed => self.operations(at.size, self.iterations),
            Phase::Verify => self.operations(at.size.min(self.whole_check.max(1)), 1),
            // Without warm-up this is where ranks connect.
            _ if self.first && self.warmup == 0 => self.operations(at.size, 1).max(self.deadlines.first_collective),
            _ => self.operations(at.size, 1),
        }
    }

    fn operations(&self, bytes: u64, count: u32) -> Duration {
        // Bytes are far below 2^53.
        let seconds = f64::from(count) * (bytes as f64 * self.per_byte + PATIENCE * LATENCY);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).max(self.deadlines.least_operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep() -> Sweep {
        Sweep { whole_check: 64 << 20, ..Sweep::over(&[8, 1 << 30]) }
    }

    fn at(phase: Phase, size: u64) -> At {
        At { phase, size, iteration: 0, beat: 0 }
    }

    fn seconds(budget: &Budget, phase: Phase, size: u64) -> u64 {
        budget.at(&at(phase, size)).as_secs()
    }

    #[test]
    fn what_moves_few_bytes_has_the_least_time() {
        let budget = Budget::of(Deadlines::standard(2), &sweep(), None, false);
        for phase in [Phase::Warmup, Phase::Untimed, Phase::Timed, Phase::Verify] {
            assert_eq!(seconds(&budget, phase, 8), 10, "{phase:?}");
        }
    }

    #[test]
    fn large_operations_have_twenty_times_their_time_at_the_floor() {
        let budget = Budget::of(Deadlines::standard(2), &sweep(), None, false);
        // 2^30 bytes at 1e9 bytes/s: 1.074 s, times 20; the timed loop has 20 of them, the warm-up 5.
        assert_eq!(seconds(&budget, Phase::Untimed, 1 << 30), 21);
        assert_eq!(seconds(&budget, Phase::Timed, 1 << 30), 429);
        assert_eq!(seconds(&budget, Phase::Warmup, 1 << 30), 107);
        // Ten times the floor, a tenth of the time.
        let fast = Budget::of(Deadlines::standard(2), &sweep(), Some(1e10), false);
        assert_eq!(seconds(&fast, Phase::Timed, 1 << 30), 42);
        // A floor that is none is the usual one.
        assert_eq!(Budget::of(Deadlines::standard(2), &sweep(), Some(0.0), false), budget);
    }

    #[test]
    fn a_process_that_does_not_run_is_not_waited_for_as_long_as_its_operations() {
        let budget = Budget::of(Deadlines::standard(2), &sweep(), None, false);
        assert_eq!(budget.silence(), Duration::from_secs(10));
        let hasty = Budget::of(Deadlines::standard(2).at_most(Duration::from_secs(2)), &sweep(), None, false);
        assert_eq!(hasty.silence(), Duration::from_secs(2));
    }

    #[test]
    fn the_first_collective_has_time_to_connect() {
        let budget = Budget::of(Deadlines::standard(2), &sweep(), None, true);
        assert_eq!(seconds(&budget, Phase::Warmup, 8), 60);
        assert_eq!(seconds(&budget, Phase::Timed, 8), 10);
    }

    #[test]
    fn without_warm_up_the_untimed_operation_connects() {
        let sweep = Sweep { warmup: 0, ..sweep() };
        let of = |first| seconds(&Budget::of(Deadlines::standard(2), &sweep, None, first), Phase::Untimed, 8);
        assert_eq!([of(true), of(false)], [60, 10]);
    }

    #[test]
    fn sizes_that_warm_up_as_one_have_the_largest_ones_time() {
        let budget = Budget::of(Deadlines::standard(2), &sweep(), None, false);
        assert_eq!(seconds(&budget, Phase::Warmup, 0), 107);
    }

    #[test]
    fn a_check_takes_as_long_as_what_is_checked() {
        let budget = Budget::of(Deadlines::standard(2), &Sweep { whole_check: 1 << 30, ..sweep() }, None, false);
        assert_eq!([1 << 30, 1 << 32].map(|size| seconds(&budget, Phase::Verify, size)), [21, 21]);
    }

    #[test]
    fn many_iterations_of_nothing_take_time_too() {
        let sweep = Sweep { iterations: 100_000, ..sweep() };
        assert_eq!(seconds(&Budget::of(Deadlines::standard(2), &sweep, None, false), Phase::Timed, 8), 200);
    }

    #[test]
    fn deadlines_of_eight_and_cut_ones() {
        let standard = Deadlines::standard(8);
        assert_eq!(standard.init, Duration::from_secs(76));
        let cut = standard.at_most(Duration::from_secs(15));
        assert_eq!((cut.init, cut.least_operation), (Duration::from_secs(15), Duration::from_secs(10)));
        let budget = Budget::of(cut, &sweep(), None, true);
        assert_eq!((seconds(&budget, Phase::Timed, 1 << 30), seconds(&budget, Phase::Warmup, 8)), (15, 15));
    }
}
