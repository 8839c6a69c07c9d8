//! Elements that arrived wrong: at which rank and GPU, where, and what they should have been.

use super::checked;
use crate::{
    evidence::{EngineRun, LINKSPEC, Measurement, RankSample, Row, WrongElement},
    spec::Collective,
    units::Size,
    verdict::{
        FindingCode,
        collective::{Placement, data::wrong_elements},
        ledger::{Check, Ledger},
    },
};

/// Fails the case for every sample with wrong elements, of sizes that the test does not name too.
pub(in crate::verdict::collective) fn elements(collective: &Collective, engine: &EngineRun, ledger: &mut Ledger<'_>) {
    for sample in engine.samples.iter().filter(|sample| sample.wrong_elements() > 0) {
        let (size, placement) = (Size(sample.size), placement(sample));
        let what = format!("data at {size} {placement}");
        let check = Check::new(FindingCode::WrongData, &what, "{}", &collective.sizes.place).unit("elements");
        let count = sample.wrong_elements();
        let (device, at_fault) = (engine.gpu_of(sample.rank).unwrap_or_default(), engine.named(sample.rank));
        let first = sample.first_wrong.as_ref().map(|first| named(collective, engine, sample, first));
        let message =
            format!("{what}: {} at {at_fault}, expected 0{}", wrong_elements(count), first.unwrap_or_default());
        ledger.failure(&check, &device, message, "0", &count.to_string(), LINKSPEC);
    }
}

/// Whether the wrong elements of a row of the engine's own are those that its ranks name.
pub(in crate::verdict::collective) fn is_told(
    collective: &Collective,
    engine: &EngineRun,
    row: &Row,
    place: Placement,
) -> bool {
    let of_row = |size| checked::layout(collective, engine, size).is_some_and(|(layout, _)| layout.size() == row.size);
    let here = |sample: &&RankSample| placement(sample) == place && of_row(sample.size);
    row.source == LINKSPEC && engine.samples.iter().filter(here).any(|sample| sample.wrong_elements() > 0)
}

/// Whether the wrong elements that a footer counts are those that the engine's ranks name.
pub(in crate::verdict::collective) fn tells_all(engine: &EngineRun, measurement: &Measurement) -> bool {
    let named: u64 = engine.samples.iter().map(RankSample::wrong_elements).sum();
    named > 0 && measurement.out_of_bounds.is_some_and(|footer| footer.count <= named)
}

/// `; the first is element 12345 (byte 49380), 3.5 instead of 36`.
fn named(collective: &Collective, engine: &EngineRun, sample: &RankSample, first: &WrongElement) -> String {
    let WrongElement { offset, expected, found } = first;
    let guard = match received(collective, engine, sample.size) {
        Some(elements) if *offset >= elements => ", beyond the data: a guard was overwritten",
        _ => "",
    };
    format!("; the first is element {offset}{guard}, {found} instead of {expected}")
}

/// How many elements a rank receives.
fn received(collective: &Collective, engine: &EngineRun, size: u64) -> Option<u64> {
    let (layout, datatype) = checked::layout(collective, engine, size)?;
    Some(layout.receive / datatype.bytes())
}

fn placement(sample: &RankSample) -> Placement {
    if sample.in_place { Placement::InPlace } else { Placement::OutOfPlace }
}
