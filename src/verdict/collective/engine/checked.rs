//! How much of each size was checked: large sizes are checked in windows.

use std::collections::BTreeMap;

use crate::{
    collective::{Datatype, Layout},
    evidence::EngineRun,
    spec::{Collective, Unchecked},
    units::Size,
    verdict::{FindingCode, collective::operation, ledger::Ledger},
};

/// Notes once of which sizes not every byte was checked.
pub(super) fn tell(collective: &Collective, engine: &EngineRun, ledger: &mut Ledger<'_>) {
    if collective.expect.wrong.as_ref().is_some_and(|wrong| wrong.value != Unchecked::No) {
        return;
    }
    // What a rank checked least, by size.
    let mut least: BTreeMap<u64, u64> = BTreeMap::new();
    for sample in &engine.samples {
        let Some((layout, _)) = layout(collective, engine, sample.size) else { continue };
        if let Some(checked) = sample.checked.filter(|checked| (1..layout.receive).contains(checked)) {
            let known = least.entry(sample.size).or_insert(checked);
            *known = (*known).min(checked);
        }
    }
    if least.is_empty() {
        return;
    }
    let parts: Vec<String> =
        least.into_iter().map(|(size, checked)| format!("{} of {}", Size(checked), Size(size))).collect();
    let message = format!("of large sizes each rank checked a part of its data: {}", parts.join(", "));
    ledger.note(FindingCode::DataUnchecked, None, message).hint = None;
}

/// How a size lies in the buffers of a rank, and its type; `None` where no rank is known.
pub(super) fn layout(collective: &Collective, engine: &EngineRun, size: u64) -> Option<(Layout, Datatype)> {
    let datatype = operation::datatype(collective)?;
    let ranks = u32::try_from(engine.placements.len()).ok().filter(|ranks| *ranks > 0)?;
    Some((Layout::of(collective.operation.value, size, ranks, datatype), datatype))
}
