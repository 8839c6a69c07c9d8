//! Which GPUs and pairs a case is about, and what is known to be missing.

use crate::{
    facts::{Fact, Facts, Gpu},
    spec::GpuSelection,
};

/// The GPUs that a case is about.
#[derive(Debug)]
pub(super) struct Gpus {
    /// Those to look at, in order: some may not be known to any source, and then each of their facts is unknown.
    pub indices: Vec<u32>,
    /// Those that the spec names and the machine does not have.
    pub missing: Vec<u32>,
    /// Why there may be others.
    pub incomplete: Option<String>,
}

impl Gpus {
    /// What those are called that there may be besides the ones to look at.
    pub(super) const fn others(&self) -> &'static str {
        if self.indices.is_empty() { "GPUs" } else { "other GPUs" }
    }
}

/// The GPUs that a selection means on a machine.
pub(super) fn gpus(facts: &Facts, selection: &GpuSelection) -> Gpus {
    let asked: Option<Vec<u32>> = match selection {
        GpuSelection::All => None,
        GpuSelection::Count(count) => Some((0..*count).collect()),
        GpuSelection::List(list) => Some(list.0.iter().copied().collect()),
    };
    let lost = facts.lost_gpus.first().map(|lost| format!("{} names a GPU that is lost: {}", lost.source, lost.quote));
    match (&facts.gpu_count, asked) {
        (Fact::Known { value, .. }, Some(asked)) => {
            let (indices, missing) = asked.into_iter().partition(|index| index < value);
            Gpus { indices, missing, incomplete: None }
        }
        (Fact::Known { value, .. }, None) => {
            let mut indices: Vec<u32> = (0..*value).chain(named(facts)).collect();
            indices.sort_unstable();
            indices.dedup();
            Gpus { indices, missing: Vec::new(), incomplete: lost }
        }
        (_, Some(asked)) => Gpus { indices: asked, missing: Vec::new(), incomplete: None },
        (count, None) => {
            let reason = count.reason().unwrap_or_default();
            let incomplete = lost.unwrap_or_else(|| format!("the number of GPUs is unknown: {reason}"));
            Gpus { indices: named(facts), missing: Vec::new(), incomplete: Some(incomplete) }
        }
    }
}

/// Every GPU that a source named, in order.
pub(super) fn named(facts: &Facts) -> Vec<u32> {
    let pairs = facts.gpu_pairs.iter().flat_map(|pair| [pair.a, pair.b]);
    let cells = facts.gpu_nics.iter().map(|cell| cell.gpu);
    let mut named: Vec<u32> = facts.gpus.iter().map(|gpu| gpu.index).chain(pairs).chain(cells).collect();
    named.sort_unstable();
    named.dedup();
    named
}

/// Why the facts of a GPU may be of two: sources that give it different identities are of different machines, or number
/// their GPUs differently.
pub(super) fn mixed(gpu: &Gpu) -> Option<String> {
    let identities =
        [("UUID", &gpu.uuid), ("PCI address", &gpu.pci_address), ("serial number", &gpu.serial), ("name", &gpu.name)];
    identities.into_iter().find_map(|(what, identity)| match identity {
        Fact::Conflict { reason } => Some(format!("the sources do not speak of the same GPU: of its {what} {reason}")),
        Fact::Known { .. } | Fact::Unknown { .. } => None,
    })
}

/// The pairs of GPUs that a case is about.
#[derive(Debug)]
pub(super) struct Pairs {
    /// Those to look at.
    pub pairs: Vec<(u32, u32)>,
    /// Those that the spec names and the machine does not have, with the reason.
    pub missing: Vec<((u32, u32), String)>,
    /// Why there may be others.
    pub incomplete: Option<String>,
}

/// The pairs that a spec lists, or all pairs of the selected GPUs.
///
/// A listed pair is absent where the number of GPUs is known and too small: a complete source shows that, so it fails.
pub(super) fn gpu_pairs(facts: &Facts, selection: &GpuSelection, listed: Option<&[(u32, u32)]>) -> Pairs {
    if let Some(listed) = listed {
        let count = facts.gpu_count.value();
        let absent = |pair: &(u32, u32)| count.is_some_and(|count| pair.0.max(pair.1) >= *count);
        let (missing, pairs) = listed.iter().copied().partition(absent);
        let missing: Vec<(u32, u32)> = missing;
        let reason = format!("the machine has {} GPUs", count.copied().unwrap_or_default());
        let missing = missing.into_iter().map(|pair| (pair, reason.clone())).collect();
        return Pairs { pairs, missing, incomplete: None };
    }
    let gpus = gpus(facts, selection);
    let mut pairs = Vec::new();
    for (at, first) in gpus.indices.iter().enumerate() {
        pairs.extend(gpus.indices[at + 1..].iter().map(|second| (*first, *second)));
    }
    let asked = |at: usize| gpus.indices.iter().chain(&gpus.missing[..at]);
    let missing = gpus.missing.iter().enumerate().flat_map(|(at, gone)| asked(at).map(|other| (*other, *gone)));
    let reason = "the GPU is not there".to_owned();
    Pairs { pairs, missing: missing.map(|pair| (pair, reason.clone())).collect(), incomplete: gpus.incomplete }
}

/// The name of a pair, whichever way round the spec lists it.
pub(super) fn pair_name(pair: (u32, u32)) -> String {
    format!("GPU{}-GPU{}", pair.0.min(pair.1), pair.0.max(pair.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{facts::Origin, spec::GpuSelection};

    #[test]
    fn pairs_of_gpus_that_are_both_gone_are_missing_too() {
        let mut facts = Facts::new(Origin::Live);
        facts.gpu_count = Fact::known(2, "tool.txt");
        let missing = |selection| {
            let pairs = gpu_pairs(&facts, &selection, None);
            pairs.missing.into_iter().map(|(pair, _)| pair).collect::<Vec<_>>()
        };
        assert_eq!(missing(GpuSelection::Count(4)), [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]);
        assert_eq!(missing(GpuSelection::Count(2)), []);
    }
}
