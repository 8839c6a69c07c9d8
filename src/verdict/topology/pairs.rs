//! The pairs that a topology check is about.

use super::Pair;
use crate::{
    facts::{Fact, Facts, Nic},
    spec::Topology,
    verdict::{
        gpu_set::{GpuSet, absent, is_absent},
        sheet::Sheet,
    },
};

/// Pairs of GPUs: those that the spec lists, or all of the set.
pub(super) fn gpu_pairs(expect: &Topology, set: &GpuSet, facts: &Facts, sheet: &mut Sheet<'_>) -> Vec<Pair> {
    let listed: Vec<(u32, u32)> = match &expect.pairs {
        Some(pairs) => pairs.value.clone(),
        None => all_pairs(&set.indices),
    };
    if let Some(pairs) = &expect.pairs {
        let mut missing: Vec<u32> = pairs.value.iter().flat_map(|(a, b)| [*a, *b]).collect();
        missing.sort_unstable();
        missing.dedup();
        missing.into_iter().filter(|index| is_absent(facts, *index)).for_each(|index| {
            absent(index, facts, &pairs.place, sheet);
        });
    }
    let there = listed.into_iter().filter(|(a, b)| !is_absent(facts, *a) && !is_absent(facts, *b));
    there
        .map(|(a, b)| Pair {
            device: format!("GPU{}-GPU{}", a.min(b), a.max(b)),
            class: facts.pair(a, b).map_or_else(Fact::default, |pair| pair.class.clone()),
        })
        .collect()
}

pub(in crate::verdict) fn all_pairs(indices: &[u32]) -> Vec<(u32, u32)> {
    indices.iter().enumerate().flat_map(|(at, a)| indices[at + 1..].iter().map(|b| (*a, *b))).collect()
}

/// Pairs of a GPU and a NIC: those that the spec lists, by the NIC's column, or all of the set and the chosen NICs.
pub(super) fn gpu_nics(
    expect: &Topology,
    nics: &[Nic],
    set: &GpuSet,
    facts: &Facts,
    sheet: &mut Sheet<'_>,
) -> Vec<Pair> {
    let Some(listed) = &expect.pairs else {
        let all = set.indices.iter().filter(|gpu| !is_absent(facts, **gpu));
        return all.flat_map(|gpu| nics.iter().map(|nic| pair(*gpu, nic, facts))).collect();
    };
    let columns = facts.nics.value().map_or(&[][..], Vec::as_slice);
    let mut pairs = Vec::new();
    for (gpu, column) in &listed.value {
        match columns.get(*column as usize) {
            _ if is_absent(facts, *gpu) => absent(*gpu, facts, &listed.place, sheet),
            Some(nic) => pairs.push(pair(*gpu, nic, facts)),
            None => super::nothing(&format!("the matrix has no NIC column {column}"), &listed.place, sheet),
        }
    }
    pairs
}

fn pair(gpu: u32, nic: &Nic, facts: &Facts) -> Pair {
    Pair { device: format!("GPU{gpu}-{}", nic.name()), class: class(gpu, nic, facts) }
}

/// The class of a GPU and a NIC.
pub(super) fn class(gpu: u32, nic: &Nic, facts: &Facts) -> Fact<crate::facts::LinkClass> {
    let found = facts.gpu_nics.iter().find(|pair| pair.gpu == gpu && pair.nic == nic.label);
    found.map_or_else(Fact::default, |pair| pair.class.clone())
}
