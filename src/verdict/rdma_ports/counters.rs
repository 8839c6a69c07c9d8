use std::collections::BTreeMap;

use crate::{
    facts::{Fact, Facts, RdmaPort},
    spec::{Glob, Placed, Wanted},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        want::exceeds,
    },
};

/// Judges how much counters grew while the suite ran. Without a second reading nothing is known of growth.
pub(super) fn judge(
    wanted: &Placed<BTreeMap<String, Placed<Wanted<u64>>>>,
    device: &str,
    port: &RdmaPort,
    after: Option<&Facts>,
    ledger: &mut Ledger<'_>,
) {
    let name = format!("{device}/{}", port.number);
    for (pattern, bound) in &wanted.value {
        let what = format!("growth of {pattern}");
        let check = Check::new(FindingCode::Counter, &what, "grew by {}", &bound.place);
        let Some(after) = after else {
            let reason = "the machine was read only once: the growth needs facts from after the run too";
            ledger.unknown(&check, &name, &bound.to_string(), reason);
            continue;
        };
        let devices = after.rdma_devices.iter().filter(|known| known.name == device);
        let later = devices.flat_map(|known| &known.ports).find(|known| known.number == port.number);
        let Some(later) = later else {
            ledger.unknown(&check, &name, &bound.to_string(), "the port is not there after the run");
            continue;
        };
        for counter in names(pattern, port, later) {
            let what = format!("growth of {counter}");
            let says = format!("{counter} grew by {{}}");
            let check = Check { what: &what, says: &says, ..check };
            ledger.check(&check, &name, bound, &at_its_highest(growth(&counter, port, later), &counter, bound, later));
        }
        if names(pattern, port, later).is_empty() {
            ledger.unknown(&check, &name, &bound.to_string(), "no source shows such a counter");
        }
    }
}

/// The counters that a name or a pattern means.
fn names(pattern: &str, before: &RdmaPort, after: &RdmaPort) -> Vec<String> {
    let Ok(glob) = Glob::new(pattern) else { return Vec::new() };
    let mut names: Vec<String> = before.counters.keys().chain(after.counters.keys()).cloned().collect();
    names.retain(|name| glob.matches(name));
    names.sort();
    names.dedup();
    names
}

fn growth(counter: &str, before: &RdmaPort, after: &RdmaPort) -> Fact<u64> {
    let of = |port: &RdmaPort, when: &str| match port.counters.get(counter) {
        Some(Fact::Known { value, source }) => Ok((*value, source.clone())),
        Some(unknown) => Err(unknown.reason().unwrap_or_default().to_owned()),
        None => Err(format!("it is not there {when} the run")),
    };
    match (of(before, "before"), of(after, "after")) {
        (Ok((before, _)), Ok((after, source))) => match after.checked_sub(before) {
            Some(growth) => Fact::known(growth, source),
            None => Fact::unknown(format!("it went back from {before} to {after}: something reset it")),
        },
        (Err(reason), _) | (_, Err(reason)) => Fact::unknown(reason),
    }
}

/// The bits of the counters of InfiniBand's port management, which stop at their highest value instead of turning over.
///
/// Source: the Linux kernel's drivers/infiniband/core/sysfs.c.
const BITS: [(&str, u32); 17] = [
    ("local_link_integrity_errors", 4),
    ("excessive_buffer_overrun_errors", 4),
    ("link_error_recovery", 8),
    ("link_downed", 8),
    ("port_xmit_constraint_errors", 8),
    ("port_rcv_constraint_errors", 8),
    ("symbol_error", 16),
    ("port_rcv_errors", 16),
    ("port_rcv_remote_physical_errors", 16),
    ("port_rcv_switch_relay_errors", 16),
    ("port_xmit_discards", 16),
    ("VL15_dropped", 16),
    ("port_xmit_data", 32),
    ("port_rcv_data", 32),
    ("port_xmit_packets", 32),
    ("port_rcv_packets", 32),
    ("port_xmit_wait", 32),
];

/// A counter at its highest value may have grown by more than it shows: only a growth that is too much already counts.
fn at_its_highest(growth: Fact<u64>, counter: &str, bound: &Wanted<u64>, after: &RdmaPort) -> Fact<u64> {
    let highest = BITS.iter().find(|(name, _)| *name == counter).map(|(_, bits)| (1_u64 << bits) - 1);
    let stands = after.counters.get(counter).and_then(Fact::value).copied();
    match (&growth, highest.filter(|highest| stands == Some(*highest))) {
        (Fact::Known { value, .. }, Some(highest)) if !exceeds(bound, value) => {
            Fact::unknown(format!("it stands at its highest value, {highest}, and counts no more"))
        }
        _ => growth,
    }
}
