use crate::{
    facts::{Fact, Facts, RdmaDevice},
    spec::{NearGpu, Placed},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        topology::{Held, within},
    },
};

/// Judges how near the nearest GPU is to a device, by the topology matrix.
pub(super) fn judge(wanted: &Placed<NearGpu>, device: &RdmaDevice, facts: &Facts, ledger: &mut Ledger<'_>) {
    let check =
        Check::new(FindingCode::NearGpu, "distance of the nearest GPU", "has its nearest GPU at {}", &wanted.place);
    let expected = format!("at most {}", wanted.at_most);
    let name = device.name.as_str();
    let nics = facts.nics.value().map(Vec::as_slice).unwrap_or_default();
    let label = nics.iter().find(|nic| nic.name() == name).map_or(name, |nic| nic.label.as_str());
    let cells: Vec<_> = facts.gpu_nics.iter().filter(|cell| cell.nic == label).collect();
    let known = cells.iter().filter_map(|cell| cell.class.value());
    let nearest = known.min_by_key(|class| class.distance().unwrap_or(u8::MAX));
    let source = cells.iter().find_map(|cell| cell.class.source()).unwrap_or_default();
    let held = |held: Held| {
        cells.iter().any(|cell| cell.class.value().map(|class| within(wanted.at_most, *class)) == Some(held))
    };
    if let Some(nearest) = nearest.filter(|_| held(Held::Yes)) {
        return ledger.met(&check, name, &expected, &nearest.to_string(), None);
    }
    let unknown = cells.iter().find_map(|cell| cell.class.reason()).or(match &facts.gpu_count {
        Fact::Known { value, .. } => {
            (usize::try_from(*value) != Ok(cells.len())).then_some("the topology matrix does not show it for every GPU")
        }
        count => count.reason(),
    });
    match (nearest, unknown) {
        (Some(nearest), None) if !held(Held::Unknown) => {
            ledger.violated(&check, name, &expected, &nearest.to_string(), source);
        }
        (_, reason) => {
            ledger.unknown(&check, name, &expected, reason.unwrap_or("the source gives no PCIe distance"));
        }
    }
}
