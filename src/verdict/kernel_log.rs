//! What the kernel log proves. Events that were seen are facts in any case; that there was no other is one only where
//! the log goes back to the boot.

use crate::facts::{Facts, LogEvent};

/// The log of a machine.
pub(super) struct Log<'a> {
    /// What was seen.
    pub events: &'a [LogEvent],
    /// Whether nothing else happened since boot; otherwise why that cannot be said.
    pub complete: Result<(), String>,
    /// The source.
    pub source: &'a str,
}

/// The log of a machine as far as it is known.
pub(super) fn log(facts: &Facts) -> Log<'_> {
    let host = &facts.host;
    let complete = match host.kernel_log.require() {
        Ok(_) => Ok(()),
        Err(reason) => Err(reason.to_owned()),
    };
    Log {
        events: host.kernel_log.value().map_or(&[][..], Vec::as_slice),
        complete,
        source: host.kernel_log.source().unwrap_or("kernel log"),
    }
}
