use std::collections::BTreeMap;

use serde::Serialize;

use super::{Comparison, Row, statistics::median};
use crate::collective::{Ablation, Sweep};

/// Everything that a comparison has to say: what was run, how, and what came of it. It is the shape of `parity.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParityReport {
    /// linkspec's version.
    pub linkspec: String,
    /// What was run.
    pub setup: Setup,
    /// How long the runs took from start to end.
    pub wall: Wall,
    /// The figures, row by row.
    pub comparison: Comparison,
}

/// What both sides ran, and how.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setup {
    /// The sweep, with linkspec's ablations.
    pub sweep: Sweep,
    /// The GPUs in the order of the ranks, `GPU0 0000:1b:00.0`.
    pub gpus: Vec<String>,
    /// On which CPUs both sides ran, in words.
    pub placement: String,
    /// The variables that both sides were given.
    pub environment: BTreeMap<String, String>,
    /// The collective library of linkspec's ranks: `NCCL 2.28.9, /usr/lib/libnccl.so.2.28.9`.
    pub library: String,
    /// The command line of nccl-tests.
    pub reference: Vec<String>,
    /// Whether a library was a stand-in: nothing was measured then.
    pub stand_in: bool,
}

/// How long whole runs took, in seconds, in the order of the runs: from the start of the first process to the end of the
/// last.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Wall {
    /// nccl-tests under its launcher.
    pub theirs: Vec<f64>,
    /// linkspec's session.
    pub ours: Vec<f64>,
}

impl Wall {
    /// linkspec's median, nccl-tests' median, and the first over the second.
    pub fn medians(&self) -> Option<(f64, f64, f64)> {
        let (ours, theirs) = (median(&self.ours)?, median(&self.theirs)?);
        (theirs > 0.0).then_some((ours, theirs, ours / theirs))
    }
}

impl Setup {
    /// The names of what linkspec did otherwise.
    pub fn without(&self) -> Vec<&'static str> {
        let named = |ablation: &Ablation| Ablation::NAMES.iter().find(|(_, known)| known == ablation);
        self.sweep.ablations.iter().filter_map(named).map(|(name, _)| *name).collect()
    }
}

impl Row {
    /// The difference as a percentage of nccl-tests' median, with two decimals or as many as keep it on its side of
    /// what is allowed.
    pub(super) fn shown_difference(&self) -> String {
        let percent = self.difference() * 100.0;
        let allowed = self.allowed / self.their_median * 100.0;
        let beyond = percent.abs() > allowed;
        let is_told = |decimals: &usize| {
            let read = |value: f64| format!("{value:.decimals$}").parse::<f64>().unwrap_or(value);
            (read(percent.abs()) > read(allowed)) == beyond
        };
        let decimals = (2..=12).find(is_told).unwrap_or(12);
        format!("{percent:+.decimals$}")
    }

    /// How far nccl-tests lies from itself, as a percentage of its median.
    pub(super) fn shown_own(&self) -> String {
        self.their_own_difference().map_or_else(|| "-".to_owned(), |own| format!("{:.2}", own * 100.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Agreement, Key};
    use super::*;

    #[test]
    fn a_difference_is_not_rounded_across_its_bound() {
        let of = |ours: f64| {
            Row::of(Key { size: 1 << 20, in_place: false }, vec![1000.0; 7], vec![ours; 7])
                .map(|row| (row.shown_difference(), row.agreement))
        };
        assert_eq!(of(1010.0), Some(("+1.00".into(), Agreement::Within)));
        assert_eq!(of(1010.04), Some(("+1.004".into(), Agreement::Outside)));
        assert_eq!(of(989.96), Some(("-1.004".into(), Agreement::Outside)));
        assert_eq!(of(1000.0), Some(("+0.00".into(), Agreement::Within)));
    }

    #[test]
    fn times_of_whole_runs() {
        let wall = Wall { theirs: vec![4.0, 3.0, 5.0], ours: vec![2.0, 1.0, 9.0] };
        assert_eq!(wall.medians(), Some((2.0, 4.0, 0.5)));
        assert_eq!(Wall::default().medians(), None);
    }
}
