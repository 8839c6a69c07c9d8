//! `topology`: how GPUs are joined to each other and to NICs.

mod class;
mod near_nics;
mod nics;
mod pairs;

pub(super) use pairs::all_pairs;

use super::{Finding, FindingCode, Severity, gpu_set::GpuSet, sheet::{Sheet, Subject}};
use crate::{
    facts::{Fact, Facts, LinkClass},
    plan::Case,
    spec::{Between, Place, Topology},
};

/// A pair that is looked at.
struct Pair {
    /// `GPU0-GPU1`, `GPU0-mlx5_0`.
    device: String,
    class: Fact<LinkClass>,
}

pub(super) fn judge(case: &Case, expect: &Topology, facts: &Facts, sheet: &mut Sheet<'_>) {
    let set = GpuSet::of(case, facts);
    let place = &expect.between.place;
    set.tell_gaps(facts, place, sheet);
    let pairs = match expect.between.value {
        Between::GpuGpu => pairs::gpu_pairs(expect, &set, facts, sheet),
        Between::GpuNic => {
            let Some(nics) = nics::chosen(expect, facts, sheet) else { return };
            if let Some(each) = &expect.each_gpu_has {
                near_nics::judge(each, &nics, &set, facts, sheet);
            }
            if expect.require.is_none() && expect.forbid.is_none() && expect.at_most.is_none() {
                return;
            }
            pairs::gpu_nics(expect, &nics, &set, facts, sheet)
        }
    };
    if pairs.is_empty() && set.gap.is_none() && expect.pairs.is_none() {
        nothing("there is no pair to check", place, sheet);
    }
    let what = match expect.between.value {
        Between::GpuGpu => "link between GPUs",
        Between::GpuNic => "path between GPU and NIC",
    };
    for pair in &pairs {
        let subject = Subject {
            code: FindingCode::LinkClass,
            device: Some(pair.device.clone()),
            what,
            unit: None,
            hint: "compare `nvidia-smi nvlink -s` of the GPUs (or `amd-smi xgmi`), the fabric's state, and the kernel log",
        };
        class::judge(&subject, expect, &pair.class, sheet);
    }
}

fn nothing(message: &str, place: &Place, sheet: &mut Sheet<'_>) {
    let finding = Finding::new(FindingCode::NothingSelected, Severity::Error, message);
    sheet.add(Finding { place: Some(place.clone()), ..finding });
}
