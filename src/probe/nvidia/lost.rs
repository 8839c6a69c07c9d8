use std::collections::BTreeMap;

use super::{
    answer::Part,
    fill_gpu::{SOURCE, address},
    gathered::Gathered,
};
use crate::facts::{Facts, LostGpu};

/// Names the GPUs that NVML says are lost. NVML gives no address for most of them: where the kernel's driver lists as many
/// more GPUs as are lost, those are they, since NVML numbers its GPUs in the order of their addresses.
pub(super) fn note(all: &Gathered, facts: &mut Facts) {
    let mut known = Vec::new();
    let mut lost: BTreeMap<u32, (Option<String>, String)> = BTreeMap::new();
    for (index, parts) in &all.gpus {
        for part in parts {
            let Part::Identity(identity) = part else { continue };
            let own = identity.pci_address.as_deref().ok().and_then(address);
            known.extend(own.clone());
            let gone = all.no_gpu.get(index).filter(|(_, lost)| *lost).map(|(reason, _)| reason);
            if identity.lost || gone.is_some() {
                let why = identity.name.as_ref().err().or(identity.pci_address.as_ref().err()).or(gone);
                lost.insert(*index, (own, why.cloned().unwrap_or_default()));
            }
        }
    }
    for (index, (reason, _)) in all.no_gpu.iter().filter(|(_, (_, lost))| *lost) {
        lost.entry(*index).or_insert_with(|| (None, reason.clone()));
    }
    let left: Vec<String> =
        all.listed.iter().filter_map(|text| address(text)).filter(|address| !known.contains(address)).collect();
    // Any GPU without an address may be one of those that are left, lost or not.
    let nameless = all.indices().len().saturating_sub(known.len());
    let mut left = left.into_iter();
    let all_are_lost = nameless == left.len() && nameless == lost.values().filter(|(own, _)| own.is_none()).count();
    for (index, (own, why)) in lost {
        let found = own.or_else(|| left.next().filter(|_| all_are_lost));
        facts.lost_gpus.push(LostGpu {
            pci_address: found.unwrap_or_else(|| format!("an unknown address (GPU{index})")),
            source: SOURCE.to_owned(),
            quote: format!("GPU{index}: {why}"),
        });
    }
}
