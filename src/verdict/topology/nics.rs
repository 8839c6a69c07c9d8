use super::{near, rules};
use crate::{
    facts::{Fact, Facts, LinkClass, Nic},
    spec::{Globs, GpuSelection, Topology},
    verdict::{FindingCode, ledger::Ledger, subjects},
};

/// The NICs that a case is about.
pub(super) struct Nics {
    pub nics: Vec<Nic>,
    /// All columns of the matrix, also those that the spec does not choose: a number in `pairs` counts these.
    columns: Vec<Nic>,
    /// Why there may be others.
    pub incomplete: Option<String>,
}

/// Judges GPUs with NICs.
pub(super) fn judge(topology: &Topology, facts: &Facts, selection: &GpuSelection, ledger: &mut Ledger<'_>) {
    let Some(nics) = chosen(topology, facts, ledger) else { return };
    let gpus = subjects::gpus(facts, selection);
    for rule in rules(topology) {
        let check = rule.check();
        let incomplete = match &topology.pairs {
            Some(pairs) => {
                for (gpu, number) in &pairs.value {
                    listed(facts, &nics, (*gpu, *number), &rule, ledger);
                }
                None
            }
            None => {
                for (gpu, nic) in gpus.indices.iter().flat_map(|gpu| nics.nics.iter().map(move |nic| (*gpu, nic))) {
                    rule.judge(&check, &format!("GPU{gpu}-{}", nic.name()), cell(facts, gpu, nic), ledger);
                }
                gpus.incomplete.as_ref().or(nics.incomplete.as_ref())
            }
        };
        if let Some(reason) = incomplete {
            ledger.unknown(&check, "other pairs", &rule.expected, reason);
        }
    }
    if let Some(wanted) = &topology.each_gpu_has {
        near::judge(wanted, &gpus, &nics, facts, ledger);
    }
    let place = &topology.between.place;
    for gone in &gpus.missing {
        let check = crate::verdict::ledger::Check::new(FindingCode::DeviceMissing, "GPU", "is {}", place);
        let device = format!("GPU{gone}");
        ledger.violated(&check, &device, "there", "not there", "");
    }
    if gpus.indices.is_empty() && gpus.missing.is_empty() && gpus.incomplete.is_none() {
        let message = "there is no GPU to check".to_owned();
        ledger.error(FindingCode::NothingSelected, Some(place), message);
    }
}

/// A pair that the spec lists: a GPU and the number of a NIC's column.
fn listed(facts: &Facts, nics: &Nics, pair: (u32, u32), rule: &super::Rule<'_>, ledger: &mut Ledger<'_>) {
    let check = rule.check();
    let label = format!("NIC{}", pair.1);
    let at = usize::try_from(pair.1).unwrap_or(usize::MAX);
    let nic = nics.columns.iter().find(|nic| nic.label == label).or_else(|| nics.columns.get(at));
    if let Some(nic) = nic.filter(|nic| !nics.nics.contains(nic)) {
        let message = format!("pairs lists GPU{}-{}, and nics does not choose that NIC", pair.0, nic.name());
        ledger.error(FindingCode::NothingSelected, Some(rule.place), message);
        return;
    }
    let no_gpu = facts.gpu_count.value().is_some_and(|count| pair.0 >= *count);
    match nic {
        Some(nic) if !no_gpu => {
            rule.judge(&check, &format!("GPU{}-{}", pair.0, nic.name()), cell(facts, pair.0, nic), ledger);
        }
        None if !no_gpu && nics.incomplete.is_some() => {
            let reason = nics.incomplete.as_deref().unwrap_or_default();
            ledger.unknown(&check, &format!("GPU{}-{label}", pair.0), &rule.expected, reason);
        }
        _ => {
            let check = crate::verdict::ledger::Check { code: FindingCode::DeviceMissing, ..check };
            ledger.violated(&check, &format!("GPU{}-{label}", pair.0), "there", "not there", "");
        }
    }
}

/// The class of a GPU and a NIC.
pub(super) fn cell<'a>(facts: &'a Facts, gpu: u32, nic: &Nic) -> Option<&'a Fact<LinkClass>> {
    facts.gpu_nics.iter().find(|cell| cell.gpu == gpu && cell.nic == nic.label).map(|cell| &cell.class)
}

/// The NICs that the spec chooses; `None` where nothing is left to look at.
fn chosen(topology: &Topology, facts: &Facts, ledger: &mut Ledger<'_>) -> Option<Nics> {
    let (all, mut incomplete) = match &facts.nics {
        Fact::Known { value, .. } => (value.clone(), None),
        unknown => (seen(facts), unknown.reason().map(|reason| format!("the NICs are unknown: {reason}"))),
    };
    let matches = |globs: Option<&Globs>, nic: &Nic| globs.is_none_or(|globs| globs.matches(nic.name()));
    let globs = topology.nics.as_ref().map(|globs| &globs.value);
    let place = topology.nics.as_ref().map_or(&topology.between.place, |globs| &globs.place);
    if incomplete.is_none() {
        for glob in globs.into_iter().flat_map(|globs| &globs.0) {
            if all.iter().any(|nic| glob.matches(nic.name())) {
                continue;
            }
            if let Some(nic) = all.iter().find(|nic| nic.device.is_none()) {
                let reason = format!("no legend names the device of {}, which may be {glob}", nic.label);
                incomplete = Some(reason);
            } else {
                let message = format!("no NIC of the topology matrix is named {glob}");
                ledger.error(FindingCode::NothingSelected, Some(place), message);
            }
        }
    }
    let nics: Vec<Nic> = all.iter().filter(|nic| matches(globs, nic)).cloned().collect();
    // A complete matrix without a NIC still answers `each_gpu_has`: no GPU has one.
    if nics.is_empty() && incomplete.is_none() && globs.is_none() && topology.each_gpu_has.is_none() {
        let message = "there is no NIC to check: the topology matrix has none".to_owned();
        ledger.error(FindingCode::NothingSelected, Some(place), message);
        return None;
    }
    Some(Nics { nics, columns: all, incomplete })
}

/// The NICs of the cells that are there, where the list of NICs is not.
fn seen(facts: &Facts) -> Vec<Nic> {
    let mut nics: Vec<Nic> = Vec::new();
    for cell in &facts.gpu_nics {
        if !nics.iter().any(|nic| nic.label == cell.nic) {
            nics.push(Nic { label: cell.nic.clone(), device: None });
        }
    }
    nics
}
