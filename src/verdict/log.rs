//! The kernel log as the judge reads it: what it shows is proof, what it does not show only where it is complete.

use crate::facts::{Fact, Facts, LogEvent};

/// Events of the kernel log, and whether their absence proves anything.
pub(super) struct KernelLog<'a> {
    /// What was seen.
    pub events: &'a [LogEvent],
    /// The source.
    pub source: &'a str,
    /// Why there may be more.
    pub incomplete: Option<&'a str>,
}

/// The kernel log of a machine.
pub(super) fn kernel_log(facts: &Facts) -> KernelLog<'_> {
    let host = &facts.host;
    match &host.kernel_log {
        Fact::Known { value, source } => KernelLog { events: value, source, incomplete: None },
        Fact::Unknown { reason } | Fact::Conflict { reason } => {
            KernelLog { events: &host.kernel_log_seen, source: "kernel log", incomplete: Some(reason) }
        }
    }
}

/// The device of an event: the GPU where its PCI address is known to be one, else as the line names it.
pub(super) fn device(event: &LogEvent, facts: &Facts) -> String {
    let Some(named) = event.device.as_deref() else { return "kernel log".to_owned() };
    let bus = |address: &str| address.to_ascii_lowercase().rsplit('.').next_back().unwrap_or_default().to_owned();
    let trimmed = bus(named);
    let known = |gpu: &&crate::facts::Gpu| {
        gpu.pci_address.value().is_some_and(|address| {
            let address = bus(address);
            address == trimmed || address.rsplit_once(':').is_some_and(|(bus, _)| bus == trimmed)
        })
    };
    facts.gpus.iter().find(known).map_or_else(|| named.to_owned(), |gpu| format!("GPU{}", gpu.index))
}

/// Events that a predicate picks, one entry for each device and number: the first event and how many there are.
pub(super) fn grouped<'a>(
    log: &KernelLog<'a>,
    facts: &Facts,
    pick: impl Fn(&LogEvent) -> bool,
) -> Vec<(String, &'a LogEvent, usize)> {
    let mut groups: Vec<(String, &LogEvent, usize)> = Vec::new();
    for event in log.events.iter().filter(|event| pick(event)) {
        let device = device(event, facts);
        match groups.iter_mut().find(|(known, first, _)| *known == device && first.code == event.code) {
            Some((_, _, count)) => *count += 1,
            None => groups.push((device, event, 1)),
        }
    }
    groups
}

/// `: 12 lines, the first is line 345: NVRM: Xid ...`.
pub(super) fn quote(event: &LogEvent, count: usize) -> String {
    match count {
        1 => format!("line {}: {}", event.line, event.quote),
        _ => format!("{count} lines, the first is line {}: {}", event.line, event.quote),
    }
}
