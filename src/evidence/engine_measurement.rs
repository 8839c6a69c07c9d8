use std::collections::{BTreeMap, BTreeSet};

use super::{
    Figure, LoadedLibrary, Measurement, OutOfBounds, Rank, RankPlacement, RankSample, Row, Sample, SizeRange, Wrong,
};
use crate::{
    collective::{Layout, Sweep, bus_factor},
    spec::Operation,
};

/// The source of what linkspec measured itself.
pub const LINKSPEC: &str = "linkspec";

/// Figures are not printed on their way to the judge, so that they are exact: this is where reports round them.
const ROUNDING: f64 = 0.0005;

/// More gaps than this are not listed one by one.
const LISTED: usize = 8;

/// What the ranks of linkspec's own engine measured, as one measurement: the time of a size is the mean over the ranks,
/// as in nccl-tests. A row has only what every rank measured; what a rank lacks says that the measurement did not come
/// to its end. `host` is that of all ranks, `environment` the library's variables in their processes, and `unfinished`
/// what is known to have kept the measurement from its end.
pub fn measurement_of(
    sweep: &Sweep,
    ranks: &[RankPlacement],
    host: Option<&str>,
    samples: &[RankSample],
    library: Option<&LoadedLibrary>,
    environment: BTreeMap<String, String>,
    unfinished: Option<String>,
) -> Measurement {
    let run = Ranks { sweep, ranks, samples };
    let wrong = samples.iter().map(RankSample::wrong_elements).sum();
    Measurement {
        sources: vec![LINKSPEC.to_owned()],
        tool: Some(format!("{LINKSPEC} {}", env!("CARGO_PKG_VERSION"))),
        operation: Some(sweep.operation.clone()),
        library: library.and_then(|library| library.version.parse().ok()),
        range: sweep.sizes.first().map(|from| SizeRange { from: *from, to: sweep.largest() }),
        iterations: Some(sweep.iterations),
        warmup: Some(sweep.warmup),
        validation: Some(sweep.checked),
        ranks: ranks.iter().map(|placement| rank(placement, host)).collect(),
        rows: Operation::named(&sweep.operation).map(|operation| run.rows(operation)).unwrap_or_default(),
        out_of_bounds: sweep.checked.then_some(OutOfBounds { count: wrong, ok: wrong == 0 }),
        unfinished: unfinished.or_else(|| run.gaps()),
        environment: Some(environment),
        ..Measurement::default()
    }
}

fn rank(placement: &RankPlacement, host: Option<&str>) -> Rank {
    Rank {
        rank: placement.rank,
        host: host.map(str::to_owned),
        device: Some(placement.gpu),
        // The library and nccl-tests leave the function out.
        pci: placement.pci.split('.').next().map(str::to_owned),
        name: placement.name.clone(),
    }
}

/// What each rank measured of a sweep.
struct Ranks<'a> {
    sweep: &'a Sweep,
    ranks: &'a [RankPlacement],
    samples: &'a [RankSample],
}

impl Ranks<'_> {
    fn rows(&self, operation: Operation) -> Vec<Row> {
        let sizes: BTreeSet<u64> = self.samples.iter().map(|sample| sample.size).collect();
        sizes.into_iter().filter_map(|size| self.row(operation, size)).collect()
    }

    fn row(&self, operation: Operation, size: u64) -> Option<Row> {
        let count = u32::try_from(self.ranks.len()).ok()?;
        let layout = Layout::of(operation, size, count, self.sweep.datatype);
        let factor = bus_factor(operation, count);
        let sample = |in_place| Some(sample(&self.of_every_rank(size, in_place)?, layout.moved, factor));
        let (out_of_place, in_place) = (sample(false), sample(true));
        (out_of_place.is_some() || in_place.is_some()).then(|| Row {
            size: layout.size(),
            count: Some(layout.count),
            datatype: Some(self.sweep.datatype.name().to_owned()),
            redop: Some(if operation.reduces() { self.sweep.reduction.name() } else { "none" }.to_owned()),
            root: Some(if operation.has_root() { i64::from(self.sweep.root) } else { -1 }),
            out_of_place,
            in_place,
            doubt: None,
            source: LINKSPEC.to_owned(),
            line: 0,
        })
    }

    /// One sample of each rank; `None` where a rank has none, or more than one.
    fn of_every_rank(&self, size: u64, in_place: bool) -> Option<Vec<&RankSample>> {
        let here = || self.samples.iter().filter(|sample| sample.size == size && sample.in_place == in_place);
        let usable = |sample: &&RankSample| sample.time.is_finite() && sample.time > 0.0;
        let of_rank = |placement: &RankPlacement| {
            let mut own = here().filter(|sample| sample.rank == placement.rank).filter(usable);
            own.next().filter(|_| own.next().is_none())
        };
        let every: Vec<&RankSample> = self.ranks.iter().map(of_rank).collect::<Option<_>>()?;
        (!every.is_empty() && every.len() == here().count()).then_some(every)
    }

    /// What is missing though the sweep has it, as a fragment.
    fn gaps(&self) -> Option<String> {
        let places = [(self.sweep.out_of_place, false, "out of place"), (self.sweep.in_place, true, "in place")];
        let missing = |size: u64| {
            let wanted = places.into_iter().filter(|(wanted, ..)| *wanted);
            let lacking = wanted.filter(move |(_, in_place, _)| self.of_every_rank(size, *in_place).is_none());
            lacking.map(move |(.., place)| format!("{size} bytes {place}"))
        };
        let missing: Vec<String> = self.sweep.sizes.iter().flat_map(|size| missing(*size)).collect();
        let more = match missing.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let listed = missing.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
        (!missing.is_empty()).then(|| format!("not every rank measured {listed}{more}"))
    }
}

/// The mean over the ranks; `moved` are the bytes that algorithm bandwidth counts.
fn sample(of_ranks: &[&RankSample], moved: u64, factor: f64) -> Sample {
    let figure = |value| Figure { value, rounding: ROUNDING };
    let time = of_ranks.iter().map(|sample| sample.time).sum::<f64>() / of_ranks.len() as f64;
    // Bytes per microsecond are MB/s of 10^6 bytes.
    let algbw = moved as f64 / time / 1000.0;
    let wrong: u64 = of_ranks.iter().map(|sample| sample.wrong_elements()).sum();
    // Nothing is checked where there is something to check and a rank checked none of it.
    let checked = of_ranks.iter().all(|sample| sample.checked.is_some_and(|bytes| bytes > 0 || moved == 0));
    let wrong = if checked || wrong > 0 { Wrong::Elements(wrong) } else { Wrong::Unchecked };
    Sample { time: figure(time), algbw: figure(algbw), busbw: figure(algbw * factor), wrong }
}

impl RankSample {
    /// The wrong elements; one that is named counts, whatever the number beside it says.
    pub fn wrong_elements(&self) -> u64 {
        self.wrong.max(u64::from(self.first_wrong.is_some()))
    }
}

#[cfg(test)]
mod tests;
