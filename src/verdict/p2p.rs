//! `p2p`: what peers may do with each other's memory.

use super::{
    Finding, FindingCode, Severity,
    gpu_set::{GpuSet, absent, is_absent},
    sheet::{Sheet, Subject},
    topology::all_pairs,
};
use crate::{
    facts::{Fact, Facts, GpuPair, P2pStatus},
    plan::Case,
    spec::{P2p, P2pWanted, Place, Placed},
};

type Capability<'a> = (&'static str, &'a Option<Placed<P2pWanted>>, fn(&GpuPair) -> &Fact<P2pStatus>);

pub(super) fn judge(case: &Case, expect: &P2p, facts: &Facts, sheet: &mut Sheet<'_>) {
    let capabilities: [Capability<'_>; 4] = [
        ("P2P read", &expect.read, |pair| &pair.p2p_read),
        ("P2P write", &expect.write, |pair| &pair.p2p_write),
        ("P2P over NVLink", &expect.nvlink, |pair| &pair.p2p_nvlink),
        ("P2P atomics", &expect.atomics, |pair| &pair.p2p_atomics),
    ];
    let first = capabilities.iter().find_map(|(_, wanted, _)| wanted.as_ref());
    let Some(place) = expect.pairs.as_ref().map(|pairs| &pairs.place).or(first.map(|wanted| &wanted.place)) else {
        return;
    };
    let pairs = pairs(case, expect, facts, place, sheet);
    for (what, wanted, fact) in capabilities {
        let Some(wanted) = wanted else { continue };
        for (a, b) in &pairs {
            let unknown = Fact::default();
            let found = facts.pair(*a, *b).map_or(&unknown, fact);
            let subject = Subject {
                code: FindingCode::P2p,
                device: Some(format!("GPU{a}-GPU{b}")),
                what,
                unit: None,
                hint: "look at IOMMU and ACS (docs/findings.md), at the fabric's state, and at what the driver allows",
            };
            let (expected, right): (_, fn(&P2pStatus) -> bool) = match wanted.value {
                P2pWanted::Ok => ("OK", |status| *status == P2pStatus::Ok),
                P2pWanted::NotSupported => ("not supported", |status| *status != P2pStatus::Ok),
            };
            sheet.holds(&subject, expected, &wanted.place, found, right);
        }
    }
}

fn pairs(case: &Case, expect: &P2p, facts: &Facts, place: &Place, sheet: &mut Sheet<'_>) -> Vec<(u32, u32)> {
    let Some(listed) = &expect.pairs else {
        let set = GpuSet::of(case, facts);
        set.tell_gaps(facts, place, sheet);
        let there: Vec<u32> = set.indices.iter().copied().filter(|index| !is_absent(facts, *index)).collect();
        let pairs = all_pairs(&there);
        if pairs.is_empty() && set.gap.is_none() {
            let finding = Finding::new(FindingCode::NothingSelected, Severity::Error, "there is no pair to check");
            sheet.add(Finding { place: Some(place.clone()), ..finding });
        }
        return pairs;
    };
    let mut missing: Vec<u32> = listed.value.iter().flat_map(|(a, b)| [*a, *b]).collect();
    missing.sort_unstable();
    missing.dedup();
    missing.into_iter().filter(|index| is_absent(facts, *index)).for_each(|index| absent(index, facts, place, sheet));
    let ordered = listed.value.iter().map(|(a, b)| (*a.min(b), *a.max(b)));
    ordered.filter(|(a, b)| !is_absent(facts, *a) && !is_absent(facts, *b)).collect()
}
