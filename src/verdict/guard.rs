//! What decides a case before its own check: the machine that the suite is for, and `skip_when`.

use super::{
    FindingCode, Verdict,
    ledger::{Check, Ledger},
    want::{Asked, holds},
};
use crate::{
    facts::{Fact, Facts, Origin},
    plan::Case,
    spec::{Glob, Kind, MachineExpect, Placed, SkipWhen, Wanted},
};

/// The verdict of a case that is decided before its own check is looked at.
///
/// On another machine than the suite's every case is an error. A machine that can't be identified is one too, where
/// it stands and in its capture; what only tools' outputs tell of is judged all the same. A skip needs every condition
/// of `skip_when`; an unknown fact there is an error, whatever the others say.
pub fn ruled_out(case: &Case, facts: &Facts, live: bool) -> Option<Verdict> {
    if matches!(&*case.kind, Kind::Machine(_)) {
        return None;
    }
    let mut ledger = Ledger::new(None).on(live);
    if let Some(machine) = &case.suite.machine {
        if wrong_machine(machine, facts, &mut ledger) {
            return Some(ledger.verdict());
        }
        if (live || is_captured(facts)) && unidentified(machine, facts, &mut ledger) {
            return Some(ledger.verdict());
        }
    }
    let skip = case.test.as_ref().and_then(|test| test.skip_when.as_ref())?;
    match skips(&skip.value, facts) {
        Skip::No => None,
        Skip::Yes => Some(Verdict::skipped(&skip.reason)),
        Skip::Unknown(unknown) => {
            let mut ledger = Ledger::new(None).on(live);
            for (what, reason) in unknown {
                let check = Check::new(FindingCode::Unknown, what, "", &skip.place);
                ledger.unknown(&check, "skip_when", "", &reason);
            }
            Some(ledger.verdict())
        }
    }
}

/// Whether the facts are all that a machine told when it was read: what it was not identified by then, it will not be.
const fn is_captured(facts: &Facts) -> bool {
    matches!(facts.origin, Origin::Captured { .. } | Origin::Fake)
}

/// Whether known facts show that this is another machine; each that does is an error.
pub(super) fn wrong_machine(machine: &MachineExpect, facts: &Facts, ledger: &mut Ledger<'_>) -> bool {
    let mut wrong = false;
    if let (Some(asked), Some(vendor)) = (&machine.vendor, facts.vendor.value())
        && asked.value != *vendor
    {
        let message = format!("the GPUs are from {vendor}, and this suite is for {}", asked.value);
        ledger.error(FindingCode::WrongMachine, Some(&asked.place), message);
        wrong = true;
    }
    let Some(asked) = &machine.gpu else { return wrong };
    for gpu in &facts.gpus {
        if let Fact::Known { value, source } = &gpu.name
            && !asked.matches(value)
        {
            let message = format!("GPU{} is {value:?}, and this suite is for {:?}", gpu.index, asked.as_str());
            let finding = ledger.error(FindingCode::WrongMachine, Some(&asked.place), message);
            finding.device = Some(format!("GPU{}", gpu.index));
            finding.expected = Some(asked.as_str().to_owned());
            finding.actual = Some(value.clone());
            finding.source = Some(source.clone());
            wrong = true;
        }
    }
    wrong
}

/// Whether vendor or GPU are not known well enough to say what machine this is. One GPU's name is enough to say it;
/// that the others have it too is what `SUITE::machine` is for.
fn unidentified(machine: &MachineExpect, facts: &Facts, ledger: &mut Ledger<'_>) -> bool {
    let mut unknown = false;
    if let (Some(asked), Some(reason)) = (&machine.vendor, facts.vendor.reason()) {
        let check = Check::new(FindingCode::WrongMachine, "vendor of the GPUs", "", &asked.place);
        ledger.unknown(&check, "machine", &asked.value.to_string(), reason);
        unknown = true;
    }
    if let Some(asked) = &machine.gpu
        && facts.gpus.iter().all(|gpu| gpu.name.value().is_none())
    {
        let reason = facts.gpus.iter().find_map(|gpu| gpu.name.reason());
        let reason = reason.or_else(|| facts.gpu_count.reason()).unwrap_or("no GPU was found");
        // Without a driver both are unknown for one reason, which every case of the suite tells: once is enough.
        if facts.vendor.reason() != Some(reason) || !unknown {
            let check = Check::new(FindingCode::WrongMachine, "name of the GPUs", "", &asked.place);
            ledger.unknown(&check, "machine", asked.as_str(), reason);
        }
        unknown = true;
    }
    unknown
}

enum Skip {
    Yes,
    No,
    Unknown(Vec<(&'static str, String)>),
}

/// Whether every condition holds; where one is unknown, nothing is decided by the others.
fn skips(skip: &SkipWhen, facts: &Facts) -> Skip {
    let nodes = facts.host.numa_nodes.clone().map(|nodes| u32::try_from(nodes.len()).unwrap_or(u32::MAX));
    let virtual_machine = skip.virtual_machine.as_ref().map(|asked| match facts.host.virtual_machine.require() {
        Ok(value) => Ok(*value == asked.value),
        Err(reason) => Err(reason.to_owned()),
    });
    let conditions = [
        ("number of GPUs", condition(skip.gpus.as_ref(), &facts.gpu_count)),
        ("number of NUMA nodes", condition(skip.numa_nodes.as_ref(), &nodes)),
        ("vendor", condition(skip.vendor.as_ref(), &facts.vendor)),
        ("GPU name", skip.gpu.as_ref().map(|asked| every_name(asked, facts))),
        ("whether this is a virtual machine", virtual_machine),
        ("number of RDMA devices", condition(skip.rdma_devices.as_ref(), &facts.rdma_count)),
    ];
    let asked: Vec<_> = conditions.into_iter().filter_map(|(what, held)| held.map(|held| (what, held))).collect();
    // Without a condition nothing says when to skip.
    let skips = !asked.is_empty() && asked.iter().all(|(_, held)| *held != Ok(false));
    let unknown: Vec<_> = asked.into_iter().filter_map(|(what, held)| held.err().map(|why| (what, why))).collect();
    match (unknown.is_empty(), skips) {
        (false, _) => Skip::Unknown(unknown),
        (true, true) => Skip::Yes,
        (true, false) => Skip::No,
    }
}

fn condition<T: Asked<V>, V>(asked: Option<&Placed<Wanted<T>>>, fact: &Fact<V>) -> Option<Result<bool, String>> {
    asked.map(|asked| fact.require().map(|value| holds(asked, value)).map_err(str::to_owned))
}

/// Whether every GPU's name matches.
fn every_name(asked: &Wanted<Glob>, facts: &Facts) -> Result<bool, String> {
    let known = facts.gpus.iter().filter_map(|gpu| gpu.name.value());
    if known.clone().any(|name| !holds(asked, name)) {
        return Ok(false);
    }
    if let Some(reason) = facts.gpus.iter().find_map(|gpu| gpu.name.reason()) {
        return Err(reason.to_owned());
    }
    match known.count() {
        0 => Err(facts.gpu_count.reason().unwrap_or("no GPU was found").to_owned()),
        _ => Ok(true),
    }
}
