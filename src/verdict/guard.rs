//! The guard of a suite: is this the machine that it is for?

use super::{
    Finding, FindingCode, Severity,
    gpu_set::{GpuSet, lost},
    sheet::{Sheet, Subject},
};
use crate::{
    facts::{Fact, Facts, Vendor},
    plan::Case,
    spec::{MachineExpect, Place, Wanted},
};

/// Why the case cannot be judged on this machine. `SUITE::machine` itself is judged by [`machine`].
///
/// Another machine makes every case an error. One that cannot be identified does so live; saved outputs are judged all
/// the same, since most of them do not hold a name.
pub(super) fn findings(case: &Case, facts: &Facts, live: bool) -> Vec<Finding> {
    let (Some(_), Some(expect)) = (&case.test, &case.suite.machine) else { return Vec::new() };
    let identity = identity(expect, facts);
    identity.into_iter().filter(|finding| live || finding.code == FindingCode::WrongMachine).collect()
}

/// Judges `SUITE::machine`.
pub(super) fn machine(expect: &MachineExpect, facts: &Facts, sheet: &mut Sheet<'_>) {
    identity(expect, facts).into_iter().for_each(|finding| sheet.add(finding));
    if let Some(gpus) = &expect.gpus {
        lost(facts, &gpus.place, sheet);
        let subject = Subject {
            code: FindingCode::GpuCount,
            device: None,
            what: "number of GPUs",
            unit: Some("GPUs"),
            hint: "compare with the PCI devices (`lspci -d 10de:` or `lspci -d 1002:`) and look for Xid 79 in the kernel log",
        };
        let wanted = crate::spec::Placed { value: Wanted::Exact(gpus.value), place: gpus.place.clone() };
        sheet.wanted(&subject, &wanted, &facts.gpu_count);
    }
}

/// What says that this is another machine, or does not say which one it is.
fn identity(expect: &MachineExpect, facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(vendor) = &expect.vendor {
        compare("GPU vendor", None, vendor.value.to_string(), &vendor.place, &vendor_of(facts), &mut findings, |found| {
            *found == vendor.value
        });
    }
    if let Some(name) = &expect.gpu {
        let set = GpuSet::all(facts);
        if set.indices.is_empty() {
            let reason = set.gap.clone().unwrap_or_else(|| "this machine has no GPU".to_owned());
            findings.push(unknown("GPU name", None, &name.value.to_string(), &name.place, &reason));
        }
        for index in set.indices {
            let fact = facts.gpu(index).map_or_else(Fact::default, |gpu| gpu.name.clone());
            let device = Some(format!("GPU{index}"));
            compare("name", device, name.value.to_string(), &name.place, &fact, &mut findings, |found| {
                name.value.matches(found)
            });
        }
    }
    findings
}

fn vendor_of(facts: &Facts) -> Fact<Vendor> {
    facts.vendor.clone()
}

fn compare<T: std::fmt::Display>(
    what: &str,
    device: Option<String>,
    expected: String,
    place: &Place,
    fact: &Fact<T>,
    findings: &mut Vec<Finding>,
    right: impl Fn(&T) -> bool,
) {
    match fact {
        Fact::Known { value, .. } if right(value) => {}
        Fact::Known { value, source } => {
            let name = device.as_ref().map_or_else(|| what.to_owned(), |device| format!("{device}: {what}"));
            let message = format!("another machine: {name} is {value}, the suite is for {expected}");
            findings.push(Finding {
                device,
                expected: Some(expected),
                actual: Some(value.to_string()),
                place: Some(place.clone()),
                source: Some(source.clone()),
                hint: Some("choose the spec that is for this machine".to_owned()),
                ..Finding::new(FindingCode::WrongMachine, Severity::Error, message)
            });
        }
        Fact::Unknown { reason } | Fact::Conflict { reason } => {
            findings.push(unknown(what, device, &expected, place, reason));
        }
    }
}

fn unknown(what: &str, device: Option<String>, expected: &str, place: &Place, reason: &str) -> Finding {
    let name = device.as_ref().map_or_else(|| what.to_owned(), |device| format!("{device}: {what}"));
    let message = format!("the machine cannot be identified: {name} is unknown: {reason} (the suite is for {expected})");
    Finding {
        device,
        expected: Some(expected.to_owned()),
        place: Some(place.clone()),
        ..Finding::new(FindingCode::Unknown, Severity::Error, message)
    }
}
