//! RDMA ports: which devices are there, their ports' states and rates, counters, and the nearest GPU.

mod counters;
mod devices;
mod gid;
mod near_gpu;
mod port;

use super::{
    Evidence, FindingCode,
    ledger::{Check, Ledger},
    machine::at_least_check,
};
use crate::{
    facts::{Fact, Facts, RdmaDevice},
    spec::{Placed, RdmaPorts},
};

/// Judges the ports of the chosen devices.
pub(super) fn judge(expect: &RdmaPorts, evidence: &Evidence<'_>, ledger: &mut Ledger<'_>) {
    let facts = evidence.before;
    let chosen = devices::choose(expect, facts, ledger);
    if let Some(wanted) = &expect.count {
        let what = "number of RDMA devices";
        let check = Check::new(FindingCode::RdmaCount, what, "has {} RDMA devices", &wanted.place).unit("devices");
        let number = u32::try_from(chosen.devices.len()).unwrap_or(u32::MAX);
        let count = match &chosen.uncounted {
            None => Fact::known(number, facts.rdma_count.source().unwrap_or_default()),
            Some(reason) => Fact::unknown(reason),
        };
        at_least_check(&check, wanted, &count, chosen.devices.len(), ledger);
    }
    for device in &chosen.devices {
        if let Some(wanted) = &expect.firmware {
            let check = Check::new(FindingCode::Firmware, "firmware", "runs firmware {}", &wanted.place);
            ledger.check(&check, &device.name, wanted, &device.firmware);
        }
        if let Some(wanted) = &expect.near_gpu {
            near_gpu::judge(wanted, device, facts, ledger);
        }
        ports(expect, device, evidence, ledger);
    }
    if let (Some(wanted), Some(after)) = (&expect.counters, evidence.after) {
        newcomers(wanted, expect, facts, after, ledger);
    }
    if let (Some(reason), Some(place)) = (&chosen.incomplete, chosen.place) {
        let check = Check::new(FindingCode::RdmaMissing, "list of RDMA devices", "{}", place);
        ledger.unknown(&check, "other devices", "", reason);
    }
}

/// A device that was not there before the run, as one whose driver was loaded anew: nothing is known of its growth.
fn newcomers<T>(wanted: &Placed<T>, expect: &RdmaPorts, before: &Facts, after: &Facts, ledger: &mut Ledger<'_>) {
    let chosen = |device: &&RdmaDevice| expect.devices.as_ref().is_none_or(|globs| globs.matches(&device.name));
    for device in after.rdma_devices.iter().filter(chosen) {
        if !before.rdma_devices.iter().any(|known| known.name == device.name) {
            let check = Check::new(FindingCode::Counter, "growth of counters", "grew by {}", &wanted.place);
            ledger.unknown(&check, &device.name, "", "the device was not there before the run");
        }
    }
}

fn ports(expect: &RdmaPorts, device: &RdmaDevice, evidence: &Evidence<'_>, ledger: &mut Ledger<'_>) {
    if !port::asks(expect) {
        return;
    }
    for port in &device.ports {
        let name = format!("{}/{}", device.name, port.number);
        port::judge(expect, &name, port, ledger);
        if let Some(wanted) = &expect.counters {
            counters::judge(wanted, &device.name, port, evidence.after, ledger);
        }
    }
    let count = device.port_count.value().and_then(|count| usize::try_from(*count).ok());
    let incomplete = device.ports.is_empty() || count.is_some_and(|count| count > device.ports.len());
    if let Some(place) = port::place(expect).filter(|_| incomplete) {
        let check = Check::new(FindingCode::PortState, "list of ports", "{}", place);
        let reason = format!("{} of its ports are shown", device.ports.len());
        ledger.unknown(&check, &device.name, "", &reason);
    }
}
