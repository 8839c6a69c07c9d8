use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Whether a person or the system asked the run to end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens to INT, TERM and HUP. The second of them ends the process at once, as it would have without this.
    pub fn listen() -> io::Result<Self> {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // The order matters: the first signal finds the flag unset and only sets it.
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&interrupt.asked))?;
            signal_hook::flag::register(signal, Arc::clone(&interrupt.asked))?;
        }
        Ok(interrupt)
    }

    /// One that has been asked for.
    #[cfg(test)]
    pub(crate) fn asked() -> Self {
        Self { asked: Arc::new(AtomicBool::new(true)) }
    }

    /// Asks, as a signal would.
    #[cfg(test)]
    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether the run should end.
    pub fn is_set(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}
