//! Figures that were measured several times and lie on both sides of their bound.

use crate::{
    collective::bus_factor,
    evidence::{EngineRun, RankSample},
    spec::{BoundValue, Collective, Place},
    units::Size,
    verdict::{FindingCode, ledger::Ledger},
};

/// Which figure of a size.
#[derive(Clone, Copy)]
enum Figure {
    BusBandwidth,
    Latency,
}

impl Figure {
    /// Its name and its unit.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::BusBandwidth => ("busbw", "GB/s"),
            Self::Latency => ("latency", "us"),
        }
    }

    /// Its value for a size that takes so many microseconds. Bytes per microsecond are MB/s of 10^6 bytes.
    fn of(self, time: f64, size: Size, factor: f64) -> f64 {
        match self {
            Self::BusBandwidth => size.0 as f64 / time / 1000.0 * factor,
            Self::Latency => time,
        }
    }
}

/// What a figure is held against, in its unit.
struct Limits<'a> {
    figure: Figure,
    size: Size,
    min: Option<f64>,
    max: Option<f64>,
    place: &'a Place,
}

impl Limits<'_> {
    fn holds(&self, value: f64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }
}

/// Warns of each figure whose measurements lie on both sides of its bound. The verdict is that of the median.
pub(super) fn tell(collective: &Collective, engine: &EngineRun, ledger: &mut Ledger<'_>) {
    if engine.repeats.len() < 2 {
        return;
    }
    let ranks = u32::try_from(engine.placements.len()).unwrap_or(u32::MAX).max(1);
    let factor = bus_factor(collective.operation.value, ranks);
    for limits in limits(collective) {
        for in_place in [false, true] {
            let times = engine.repeats.iter().filter_map(|samples| time(samples, limits.size, in_place));
            let values: Vec<f64> = times.map(|time| limits.figure.of(time, limits.size, factor)).collect();
            let outside = values.iter().filter(|value| !limits.holds(**value)).count();
            if outside == 0 || outside == values.len() {
                continue;
            }
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let place = if in_place { "in place" } else { "out of place" };
            let ((what, unit), size) = (limits.figure.words(), limits.size);
            let message = format!(
                "{what} at {size} {place} was {least:.2} to {most:.2} {unit} in {} measurements, {outside} of them outside \
                 its bound; the median counts",
                values.len()
            );
            ledger.warning(FindingCode::Marginal, Some(limits.place), message);
        }
    }
}

fn limits(collective: &Collective) -> Vec<Limits<'_>> {
    let expect = &collective.expect;
    let mut limits = Vec::new();
    for (size, bound) in &expect.busbw {
        if let BoundValue::Limits { min, max } = bound.value {
            let [min, max] = [min, max].map(|limit| limit.map(|limit| limit.gigabytes_per_second()));
            limits.push(Limits { figure: Figure::BusBandwidth, size: *size, min, max, place: &bound.place });
        }
    }
    for (size, bound) in &expect.latency {
        if let BoundValue::Limits { min, max } = bound.value {
            let [min, max] = [min, max].map(|limit| limit.map(|limit| limit.0.as_secs_f64() * 1e6));
            limits.push(Limits { figure: Figure::Latency, size: *size, min, max, place: &bound.place });
        }
    }
    limits
}

/// The mean over the ranks, in microseconds.
fn time(samples: &[RankSample], size: Size, in_place: bool) -> Option<f64> {
    let own = samples.iter().filter(|sample| sample.size == size.0 && sample.in_place == in_place);
    let times: Vec<f64> = own.map(|sample| sample.time).filter(|time| *time > 0.0).collect();
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}
