use std::{
    fs, io,
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
    /// Listens to INT, TERM and HUP. The second of them ends the process at once, as it would have without this. HUP
    /// stays ignored where it was when the process started: `nohup` wants it so.
    pub fn listen() -> io::Result<Self> {
        let interrupt = Self::default();
        let heard = |signal: &i32| *signal != SIGHUP || !is_ignored(SIGHUP);
        for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(heard) {
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

/// Whether this process ignores a signal. Where the kernel does not say, it does not.
fn is_ignored(signal: i32) -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores(&status, signal))
}

/// The same by the text of `/proc/PID/status`: a mask in hexadecimal, whose first bit is signal 1.
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    u32::try_from(signal - 1).ok().and_then(|bit| mask.checked_shr(bit)).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_those_of_the_mask() {
        // Bits 0 and 12: signals 1 and 13.
        let status =
            "Name:\tlinkspec\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n";
        let ignored: Vec<i32> = (0..=64).filter(|signal| ignores(status, *signal)).collect();
        assert_eq!(ignored, [SIGHUP, 13]);
        assert!(!ignores("", SIGHUP));
    }
}
