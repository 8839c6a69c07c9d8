use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

/// Lets lanes go on to libibverbs when all have told what sysfs shows: a crash of the library ends the whole process,
/// and is to cost no more than the MTU.
pub(super) struct Gate {
    reading: Mutex<usize>,
    changed: Condvar,
    patience: Duration,
}

/// How long a lane waits for the others. Sysfs answers within milliseconds; a file that hangs does not stop the rest.
const PATIENCE: Duration = Duration::from_secs(1);

impl Gate {
    pub(super) fn new(lanes: usize) -> Self {
        Self { reading: Mutex::new(lanes), changed: Condvar::new(), patience: PATIENCE }
    }

    /// Says that a lane has told everything of sysfs, and waits for the others.
    pub(super) fn pass(&self) {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        *reading = reading.saturating_sub(1);
        self.changed.notify_all();
        let _ = self.changed.wait_timeout_while(reading, self.patience, |reading| *reading > 0);
    }
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Instant};

    use super::*;

    #[test]
    fn the_last_lane_lets_all_through() {
        let gate = Gate { patience: Duration::from_secs(60), ..Gate::new(2) };
        let began = Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| gate.pass());
            gate.pass();
        });
        assert!(began.elapsed() < gate.patience);
    }
}
