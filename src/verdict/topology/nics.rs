//! The NICs that a topology check is about.

use crate::{
    facts::{Facts, Nic},
    spec::Topology,
    verdict::{Finding, FindingCode, Severity, sheet::Sheet},
};

/// The chosen NICs; `None` where they are unknown, or a name of the spec chooses none, and the sheet says so.
pub(super) fn chosen(expect: &Topology, facts: &Facts, sheet: &mut Sheet<'_>) -> Option<Vec<Nic>> {
    let place = expect.nics.as_ref().map_or(&expect.between.place, |nics| &nics.place);
    let nics = match facts.nics.require() {
        Ok(nics) => nics,
        Err(reason) => {
            let message = format!("the NICs of the topology matrix are unknown: {reason}");
            let finding = Finding::new(FindingCode::Unknown, Severity::Error, message);
            sheet.add(Finding { place: Some(place.clone()), ..finding });
            return None;
        }
    };
    let Some(wanted) = &expect.nics else { return Some(nics.clone()) };
    let mut missing = false;
    for glob in &wanted.value.0 {
        if !nics.iter().any(|nic| glob.matches(nic.name())) {
            missing = true;
            let names: Vec<&str> = nics.iter().map(Nic::name).collect();
            let there = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
            super::nothing(&format!("no NIC of the topology matrix is {glob}: {there}"), place, sheet);
        }
    }
    (!missing).then(|| nics.iter().filter(|nic| wanted.value.matches(nic.name())).cloned().collect())
}
