use std::collections::BTreeMap;

use super::{
    answer::{Pair, Told},
    fill_gpu::fact,
    joined::{Ends, nvlinks},
    lane, words,
};
use crate::{
    facts::{Fact, Facts, GpuPair, LinkClass, P2pStatus},
    probe::live::Silence,
};

/// Adds every pair of GPUs.
pub(super) fn pairs(
    told: &BTreeMap<(u32, u32), Pair>,
    indices: &[u32],
    ends: &Ends,
    facts: &mut Facts,
    silence: &Silence,
) {
    for (at, a) in indices.iter().enumerate() {
        for b in indices.iter().skip(at + 1) {
            let pair = facts.pair_mut(*a, *b);
            match told.get(&(*a, *b)) {
                Some(told) => asked(pair, told),
                None => pair.ancestor.explain(&silence.why(&lane::gpu(*a))),
            }
            pair.nvlinks = fact(nvlinks(*a, *b, ends, &pair.p2p_nvlink));
            pair.class = class(pair);
        }
    }
}

/// What the driver was asked of the pair itself.
fn asked(pair: &mut GpuPair, told: &Pair) {
    let Pair { ancestor, read, write, nvlink, atomics } = told;
    let level = |level: u32| {
        words::ancestor(level).ok_or_else(|| format!("nvmlDeviceGetTopologyCommonAncestor: level {level} is not known"))
    };
    pair.ancestor = fact(ancestor.clone().and_then(level));
    pair.p2p_read = status(read);
    pair.p2p_write = status(write);
    pair.p2p_nvlink = status(nvlink);
    pair.p2p_atomics = status(atomics);
}

fn status(told: &Told<u32>) -> Fact<P2pStatus> {
    let word = |status: u32| match status {
        6 => Err("nvmlDeviceGetP2PStatus: unknown to the driver".to_owned()),
        status => words::p2p(status).ok_or_else(|| format!("nvmlDeviceGetP2PStatus: status {status} is not known")),
    };
    fact(told.clone().and_then(word))
}

/// The class that nvidia-smi prints: NVLinks where there are any, else the PCIe class. Where the NVLinks are unknown,
/// so is the class: the PCIe class would be a claim that there are none.
fn class(pair: &GpuPair) -> Fact<LinkClass> {
    match &pair.nvlinks {
        Fact::Known { value: 0, .. } => pair.ancestor.clone(),
        Fact::Known { value: count @ 1..=99, source } => Fact::known(LinkClass::NvLink(*count), source),
        Fact::Known { value, .. } => Fact::unknown(format!("NVML tells of {value} NVLinks between two GPUs")),
        Fact::Unknown { reason } | Fact::Conflict { reason } => Fact::unknown(reason),
    }
}
