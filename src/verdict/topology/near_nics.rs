//! `each_gpu_has`: every GPU has NICs near it. NICs that are far from every GPU are no fault: a front end is.

use super::{class::is_at_most, pairs::class};
use crate::{
    facts::{Facts, Nic},
    spec::{EachGpuHas, Placed, Wanted},
    verdict::{
        FindingCode,
        gpu_set::{GpuSet, is_absent},
        sheet::{Sheet, Standing, Subject},
        want::meets,
    },
};

pub(super) fn judge(each: &Placed<EachGpuHas>, nics: &[Nic], set: &GpuSet, facts: &Facts, sheet: &mut Sheet<'_>) {
    let farthest = each.value.at_most;
    let expected = format!("{} NICs at most {farthest} away", each.value.count);
    for gpu in set.indices.iter().copied().filter(|gpu| !is_absent(facts, *gpu)) {
        let classes: Vec<_> = nics.iter().map(|nic| (nic, class(gpu, nic, facts))).collect();
        let mut near = Vec::new();
        let mut unsure = Vec::new();
        for (nic, class) in &classes {
            match class.value().map(|class| is_at_most(*class, farthest)) {
                Some(Some(true)) => near.push(nic.name()),
                Some(Some(false)) => {}
                Some(None) | None => unsure.push(nic.name()),
            }
        }
        let subject = Subject {
            code: FindingCode::NearNics,
            device: Some(format!("GPU{gpu}")),
            what: "number of near NICs",
            unit: Some("NICs"),
            hint: "look for a NIC in the wrong slot, or a PCIe switch that is missing from `lspci -tv`",
        };
        let standing = standing(&each.value.count, &near, &unsure);
        sheet.settle(&subject, &expected, &each.place, standing);
    }
}

/// The number of NICs that are near lies between those that are known to be and those that may be.
fn standing(wanted: &Wanted<u32>, near: &[&str], unsure: &[&str]) -> Standing {
    let count = |names: usize| u32::try_from(names).unwrap_or(u32::MAX);
    let (least, most) = (count(near.len()), count(near.len() + unsure.len()));
    let shown = if near.is_empty() { least.to_string() } else { format!("{least} ({})", near.join(", ")) };
    let possible: Vec<bool> = (least..=most).map(|count| meets(wanted, &count)).collect();
    if possible.iter().all(|met| *met) {
        Standing::Right { actual: shown, margin: None }
    } else if possible.iter().any(|met| *met) {
        Standing::Unknown { reason: format!("{shown} known, and unknown for {}", unsure.join(", ")) }
    } else {
        Standing::Wrong { actual: shown, margin: None, source: None }
    }
}
