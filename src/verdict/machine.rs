use super::{
    FindingCode, guard,
    ledger::{Check, Ledger},
    subjects::{self, named},
    want::{Asked, exceeds},
};
use crate::{
    facts::{Fact, Facts},
    spec::{GpuSelection, MachineExpect, Place, Wanted},
};

/// Judges `SUITE::machine`: another machine is an error, a number of GPUs that differs a failure.
pub(super) fn judge(expect: &MachineExpect, facts: &Facts, ledger: &mut Ledger<'_>) {
    if guard::wrong_machine(expect, facts, ledger) {
        return;
    }
    if let Some(vendor) = &expect.vendor {
        let check = Check::new(FindingCode::WrongMachine, "vendor of the GPUs", "is {}", &vendor.place);
        ledger.check(&check, "machine", &Wanted::Exact(vendor.value), &facts.vendor);
    }
    if let Some(name) = &expect.gpu {
        let check = Check::new(FindingCode::WrongMachine, "product name", "is {}", &name.place);
        let gpus = subjects::gpus(facts, &GpuSelection::All);
        let unknown = Fact::default();
        for index in &gpus.indices {
            let fact = facts.gpu(*index).map_or(&unknown, |gpu| &gpu.name);
            ledger.check(&check, &format!("GPU{index}"), &Wanted::Exact(name.value.clone()), fact);
        }
        match &gpus.incomplete {
            Some(reason) => ledger.unknown(&check, gpus.others(), name.as_str(), reason),
            None if gpus.indices.is_empty() => ledger.unknown(&check, "machine", name.as_str(), "there is no GPU"),
            None => {}
        }
    }
    let place = expect.gpu.as_ref().map(|gpu| &gpu.place).or(expect.vendor.as_ref().map(|vendor| &vendor.place));
    if let Some(place) = place.or(expect.gpus.as_ref().map(|gpus| &gpus.place)) {
        let check = Check::new(FindingCode::WrongMachine, "identity", "is {}", place);
        for gpu in &facts.gpus {
            if let Some(reason) = subjects::mixed(gpu) {
                ledger.unknown(&check, &format!("GPU{}", gpu.index), "", &reason);
            }
        }
    }
    if let Some(gpus) = &expect.gpus {
        gpu_count(&Wanted::Exact(gpus.value), &gpus.place, facts, ledger);
    }
}

/// Judges the number of GPUs. One that a tool names and cannot reach is a failure whatever the number is, and so are
/// more than wanted, even where the listing is incomplete.
pub(super) fn gpu_count(wanted: &Wanted<u32>, place: &Place, facts: &Facts, ledger: &mut Ledger<'_>) {
    let check = Check::new(FindingCode::GpuCount, "number of GPUs", "has {} GPUs", place).unit("GPUs");
    for lost in &facts.lost_gpus {
        let check = Check { code: FindingCode::GpuLost, ..check };
        let message = format!("the GPU at {} is lost: {}", lost.pci_address, lost.quote);
        ledger.failure(&check, &lost.pci_address, message, &wanted.to_string(), "lost", &lost.source);
    }
    at_least_check(&check, wanted, &facts.gpu_count, named(facts).len(), ledger);
}

/// Checks a number that may be unknown while some of the things that it counts are known.
pub(super) fn at_least_check(
    check: &Check<'_>,
    wanted: &Wanted<u32>,
    count: &Fact<u32>,
    seen: usize,
    ledger: &mut Ledger<'_>,
) where
    u32: Asked<u32>,
{
    let seen = u32::try_from(seen).unwrap_or(u32::MAX);
    if count.value().is_none() && exceeds(wanted, &seen) {
        let finding = ledger.violated(check, "machine", &wanted.to_string(), &format!("at least {seen}"), "");
        finding.source = None;
        return;
    }
    ledger.check(check, "machine", wanted, count);
}
