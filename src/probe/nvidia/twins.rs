use std::collections::BTreeMap;

use super::fill_gpu::SOURCE;
use crate::facts::{Fact, Gpu};

type Identity = fn(&mut Gpu) -> &mut Fact<String>;

/// What tells one GPU from every other.
const IDENTITIES: [(&str, Identity); 2] = [("PCI address", |gpu| &mut gpu.pci_address), ("UUID", |gpu| &mut gpu.uuid)];

/// Two GPUs with one identity are one GPU that is numbered twice, or two that nothing tells apart.
pub(super) fn contradict(gpus: &mut [Gpu]) {
    for (what, identity) in IDENTITIES {
        let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for gpu in &mut *gpus {
            if let Some(own) = identity(gpu).value() {
                owners.entry(own.clone()).or_default().push(format!("GPU{}", gpu.index));
            }
        }
        for gpu in &mut *gpus {
            let fact = identity(gpu);
            let Some(shared) = fact.value().and_then(|own| owners.get(own)).filter(|owners| owners.len() > 1) else {
                continue;
            };
            *fact = Fact::Conflict { reason: format!("{SOURCE} gives {} the same {what}", shared.join(" and ")) };
        }
    }
}
