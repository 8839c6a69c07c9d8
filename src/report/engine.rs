//! What linkspec's own engine says of a measurement beside its figures, in words for the reports.

use crate::{
    evidence::{EngineRun, LoadedLibrary, RankPlacement, RankSample},
    record::RunRecord,
    units::{IndexList, Size},
};

/// A rank as reports show it.
#[derive(Debug)]
pub(super) struct RankLine {
    /// Its number.
    pub rank: u32,
    /// Its GPU: `GPU3`.
    pub gpu: String,
    /// Its GPU's PCI address.
    pub pci: String,
    /// The placement that was asked for: `CPUs 0-31, memory of nodes 0`.
    pub asked: String,
    /// The placement that was read back.
    pub found: String,
    /// Times of one operation at the largest size, out of place and in place, in microseconds.
    pub times: [Option<f64>; 2],
}

/// The ranks of a run.
pub(super) fn ranks(engine: &EngineRun) -> Vec<RankLine> {
    let largest = largest(engine);
    let line = |placement: &RankPlacement| {
        let own = |in_place| {
            let of = |sample: &&RankSample| sample.rank == placement.rank && sample.in_place == in_place;
            let here = engine.samples.iter().filter(|sample| Some(sample.size) == largest);
            here.filter(of).map(|sample| sample.time).next()
        };
        RankLine {
            rank: placement.rank,
            gpu: format!("GPU{}", placement.gpu),
            pci: placement.pci.clone(),
            asked: placed(&placement.asked_cpus, &placement.asked_nodes, "anywhere"),
            found: match placement.cpus {
                Some(_) => placed(&placement.cpus, &placement.nodes, ""),
                None => "not read back".to_owned(),
            },
            times: [own(false), own(true)],
        }
    };
    engine.placements.iter().map(line).collect()
}

fn placed(cpus: &Option<IndexList>, nodes: &Option<IndexList>, nothing: &str) -> String {
    match (cpus, nodes) {
        (None, None) => nothing.to_owned(),
        (Some(cpus), None) => format!("CPUs {cpus}, memory of any node"),
        (None, Some(nodes)) => format!("memory of nodes {nodes}"),
        (Some(cpus), Some(nodes)) => format!("CPUs {cpus}, memory of nodes {nodes}"),
    }
}

/// The largest size that any rank measured.
pub(super) fn largest(engine: &EngineRun) -> Option<u64> {
    engine.samples.iter().map(|sample| sample.size).max()
}

/// `NCCL 2.28.3 (/usr/lib/libnccl.so.2.28.3)`.
pub(super) fn library(library: &LoadedLibrary) -> String {
    format!("{} {}", library.name, version(library))
}

/// The same without the name.
pub(super) fn version(library: &LoadedLibrary) -> String {
    let stand_in = if library.fake { ", a stand-in" } else { "" };
    format!("{} ({}{stand_in})", library.version, library.path)
}

/// The libraries that the ranks of a run loaded, each once.
pub(super) fn libraries(record: &RunRecord) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for loaded in record.cases.iter().filter_map(|case| case.engine()).flat_map(|engine| &engine.libraries) {
        let loaded = library(loaded);
        if !told.contains(&loaded) {
            told.push(loaded);
        }
    }
    told
}

/// How much of each rank's data was checked at the largest size: `96M of 1G`.
pub(super) fn checked(engine: &EngineRun) -> Option<String> {
    let size = largest(engine)?;
    let samples = engine.samples.iter().filter(|sample| sample.size == size);
    let least: Option<u64> = samples.map(|sample| sample.checked).min().flatten();
    Some(match least {
        Some(checked) if checked < size => format!("{} of {}", Size(checked), Size(size)),
        Some(_) => format!("all of {}", Size(size)),
        None => format!("nothing of {}", Size(size)),
    })
}
