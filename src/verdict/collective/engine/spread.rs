//! Ranks that need much longer for an operation than the others.

use std::collections::BTreeMap;

use crate::{
    evidence::{EngineRun, RankSample},
    units::Size,
    verdict::{FindingCode, collective::falls::FROM, ledger::Ledger, want},
};

/// A slowest rank beyond the mean by more than this is told.
const TOLD: f64 = 0.2;

/// Notes the rank that is farthest behind, at the size where it is. Small sizes vary on every machine.
pub(super) fn tell(engine: &EngineRun, ledger: &mut Ledger<'_>) {
    let mut places: BTreeMap<(u64, bool), Vec<&RankSample>> = BTreeMap::new();
    for sample in engine.samples.iter().filter(|sample| sample.size >= FROM && sample.time.is_finite()) {
        places.entry((sample.size, sample.in_place)).or_default().push(sample);
    }
    let slow = places.values().filter_map(|samples| slowest(samples)).max_by(|(_, a), (_, b)| a.total_cmp(b));
    let Some((sample, beyond)) = slow else { return };
    let place = if sample.in_place { "in place" } else { "out of place" };
    let message = format!(
        "{} needs {:.2} us at {} {place}, {} more than the mean of all ranks",
        engine.named(sample.rank),
        sample.time,
        Size(sample.size),
        want::percent(beyond)
    );
    ledger.note(FindingCode::RankSpread, None, message).device = engine.gpu_of(sample.rank);
}

/// The slowest of the ranks at one size and place with how far it is beyond the mean, where that is far.
fn slowest<'a>(samples: &[&'a RankSample]) -> Option<(&'a RankSample, f64)> {
    let mean = samples.iter().map(|sample| sample.time).sum::<f64>() / samples.len() as f64;
    let slowest = samples.iter().max_by(|a, b| a.time.total_cmp(&b.time))?;
    let beyond = slowest.time / mean - 1.0;
    (beyond > TOLD).then_some((slowest, beyond))
}
