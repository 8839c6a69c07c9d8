//! What the readers of AMD's topology share: links in both directions become pairs of GPUs.

use std::collections::BTreeMap;

use crate::facts::{Damage, Fact, Facts, LinkClass, Vendor};

/// One direction of a link, as far as the output shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::probe) struct Link {
    /// `XGMI`, `PCIE` or another word.
    pub(in crate::probe) kind: Option<String>,
    /// Whether one GPU reaches the other's memory.
    pub(in crate::probe) status: Status,
    /// The weight.
    pub(in crate::probe) weight: Option<u32>,
    /// The hops.
    pub(in crate::probe) hops: Option<u32>,
}

/// Whether a link works. A dead XGMI link still has its type, so the type alone does not prove a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::probe) enum Status {
    /// The tool prints it, this output does not show it.
    #[default]
    Missing,
    /// The tool has no such table (`rocm-smi --showtopo`).
    Untold,
    /// As the tool prints it: `ENABLED` or `DISABLED`.
    Told(String),
}

/// Links by source and target GPU.
pub(in crate::probe) type Links = BTreeMap<(u32, u32), Link>;

/// Writes each pair's facts: what both directions show and agree on.
pub(in crate::probe) fn write(links: &Links, file: &str, facts: &mut Facts) {
    for (&(a, b), there) in links.iter().filter(|((a, b), _)| a < b) {
        let back = links.get(&(b, a)).cloned().unwrap_or_default();
        let class = both(&class(there), &class(&back), file, facts, (a, b));
        let weight = both(&number(there.weight, "weight"), &number(back.weight, "weight"), file, facts, (a, b));
        let hops = both(&number(there.hops, "hops"), &number(back.hops, "hops"), file, facts, (a, b));
        let pair = facts.pair_mut(a, b);
        pair.class.merge(class);
        pair.weight.merge(weight);
        pair.hops.merge(hops);
    }
    for &(a, b) in links.keys().filter(|(a, b)| a > b && !links.contains_key(&(*b, *a))) {
        let reason = || format!("{file} shows only the direction from GPU {a} to GPU {b}");
        let pair = facts.pair_mut(a, b);
        pair.class.merge(Fact::unknown(reason()));
        pair.weight.merge(Fact::unknown(reason()));
        pair.hops.merge(Fact::unknown(reason()));
    }
    if !links.is_empty() {
        facts.vendor.merge(Fact::known(Vendor::Amd, file));
    }
}

/// The class of one direction, or why there is none.
fn class(link: &Link) -> Result<LinkClass, String> {
    match (link.kind.as_deref(), &link.status) {
        (Some("XGMI"), Status::Missing) => Err("an XGMI link whose status is not shown".to_owned()),
        (Some("XGMI"), Status::Told(status)) if status != "ENABLED" => Err(format!("the XGMI link is {status}")),
        (Some("XGMI"), Status::Told(_) | Status::Untold) => Ok(LinkClass::Xgmi),
        (Some("PCIE"), _) => Ok(LinkClass::Pcie),
        (Some(other), _) => Err(format!("link type {other}")),
        (None, _) => Err("link type not shown".to_owned()),
    }
}

fn number(value: Option<u32>, name: &str) -> Result<u32, String> {
    value.ok_or_else(|| format!("{name} not shown"))
}

/// Both directions joined. A disagreement is damage: a link has one class.
fn both<T: Copy + PartialEq + std::fmt::Display>(
    there: &Result<T, String>,
    back: &Result<T, String>,
    file: &str,
    facts: &mut Facts,
    (a, b): (u32, u32),
) -> Fact<T> {
    match (there, back) {
        (Ok(there), Ok(back)) if there == back => Fact::known(*there, file),
        (Ok(there), Ok(back)) => {
            let reason = format!("GPU {a} to GPU {b} is {there}, GPU {b} to GPU {a} is {back}");
            facts.damage.push(Damage::of_file(file, reason.clone()));
            Fact::Conflict { reason: format!("{file}: {reason}") }
        }
        (Err(reason), _) => Fact::unknown(format!("{file}: GPU {a} to GPU {b}: {reason}")),
        (_, Err(reason)) => Fact::unknown(format!("{file}: GPU {b} to GPU {a}: {reason}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Origin;

    fn link(kind: &str, status: &str, weight: u32) -> Link {
        Link { kind: Some(kind.into()), status: Status::Told(status.into()), weight: Some(weight), hops: Some(1) }
    }

    fn written(there: Link, back: Option<Link>) -> Facts {
        let mut facts = Facts::new(Origin::Fake);
        let mut links = Links::from([((0, 1), there)]);
        links.extend(back.map(|back| ((1, 0), back)));
        write(&links, "file", &mut facts);
        facts
    }

    #[test]
    fn both_directions_agree() {
        let facts = written(link("XGMI", "ENABLED", 15), Some(link("XGMI", "ENABLED", 15)));
        let pair = facts.pair(1, 0).unwrap();
        assert_eq!((pair.class.value(), pair.weight.value()), (Some(&LinkClass::Xgmi), Some(&15)));
        assert_eq!(facts.vendor.value(), Some(&Vendor::Amd));
    }

    #[test]
    fn a_disabled_fabric_link() {
        let facts = written(link("XGMI", "ENABLED", 15), Some(link("XGMI", "DISABLED", 15)));
        assert_eq!(facts.pair(0, 1).unwrap().class.reason(), Some("file: GPU 1 to GPU 0: the XGMI link is DISABLED"));
    }

    #[test]
    fn directions_that_disagree_or_are_missing() {
        let facts = written(link("XGMI", "ENABLED", 15), Some(link("PCIE", "ENABLED", 15)));
        let reason = "GPU 0 to GPU 1 is XGMI, GPU 1 to GPU 0 is PCIe";
        assert_eq!(facts.pair(0, 1).unwrap().class.reason(), Some(format!("file: {reason}").as_str()));
        assert_eq!(facts.damage[0].reason, reason);
        let facts = written(link("XGMI", "ENABLED", 15), None);
        assert_eq!(facts.pair(0, 1).unwrap().weight.reason(), Some("file: GPU 1 to GPU 0: weight not shown"));
    }
}
