//! Small measurements of linkspec's own engine for the judge's tests.

use std::collections::BTreeMap;

use super::{
    Evidence, Verdict, judge,
    testing::saved,
    testing_measured::{case_among, nothing_known, size},
};
use crate::{
    collective::Sweep,
    evidence::{
        CollectiveEvidence, EngineRun, LoadedLibrary, RankPlacement, RankSample, Trouble, TroubleKind, measurement_of,
    },
    facts::Facts,
    plan::Case,
    spec::{Collective, Kind},
};

pub(super) fn placement(rank: u32) -> RankPlacement {
    RankPlacement {
        rank,
        gpu: rank,
        pci: format!("0000:{:02x}:00.0", 0x10 * (rank + 1)),
        name: Some("NVIDIA H200".into()),
        pid: 4000 + rank,
        asked_cpus: Some([0, 1, 2, 3].into_iter().collect()),
        asked_nodes: Some([0].into_iter().collect()),
        cpus: Some([0, 1, 2, 3].into_iter().collect()),
        nodes: Some([0].into_iter().collect()),
    }
}

pub(super) fn library(name: &str, version: &str) -> LoadedLibrary {
    LoadedLibrary { name: name.into(), path: format!("/usr/lib/{name}"), version: version.into(), fake: false }
}

/// A sweep of all_reduce over some sizes.
pub(super) fn sweep(sizes: &[&str]) -> Sweep {
    Sweep::over(&sizes.iter().map(|text| size(text).0).collect::<Vec<u64>>())
}

/// What so many ranks measured where every size has the bus bandwidth in both places on all of them.
pub(super) fn run(ranks: u32, rows: &[(&str, f64)]) -> EngineRun {
    let factor = 2.0 * (f64::from(ranks) - 1.0) / f64::from(ranks);
    let mut samples = Vec::new();
    for (text, busbw) in rows {
        let bytes = size(text).0;
        let time = bytes as f64 * factor / busbw / 1e3;
        for in_place in [false, true] {
            let sample = |rank| RankSample {
                rank,
                size: bytes,
                in_place,
                time,
                checked: Some(bytes),
                wrong: 0,
                first_wrong: None,
            };
            samples.extend((0..ranks).map(sample));
        }
    }
    EngineRun {
        libraries: vec![library("CUDA driver", "13.0"), library("NCCL", "2.28.3")],
        placements: (0..ranks).map(placement).collect(),
        samples,
        ..EngineRun::default()
    }
}

pub(super) fn trouble(kind: TroubleKind, rank: Option<u32>, message: &str) -> Trouble {
    Trouble { kind, rank, message: message.into(), details: Vec::new() }
}

/// The evidence of a run over the sizes of a sweep; without a sample there is no measurement.
pub(super) fn evidence(sweep: &Sweep, run: EngineRun) -> CollectiveEvidence {
    let unfinished = run.trouble.as_ref().filter(|trouble| trouble.kind != TroubleKind::NotFree);
    let unfinished = unfinished.map(|trouble| trouble.message.clone());
    let environment = BTreeMap::new();
    let measurement = measurement_of(
        sweep,
        &run.placements,
        Some("node0"),
        &run.samples,
        run.libraries.last(),
        environment,
        unfinished,
    );
    let measurement = Some(measurement).filter(|_| !run.samples.is_empty());
    CollectiveEvidence { measurement, engine: Some(run), ..CollectiveEvidence::default() }
}

/// The verdict of a case under its evidence, on a machine, live or saved.
pub(super) fn judged_case(case: &Case, known: CollectiveEvidence, facts: &Facts, live: bool) -> Verdict {
    let collectives = BTreeMap::from([(case.short_name(), known)]);
    judge(case, &Evidence { collectives: &collectives, live, ..saved(facts) })
}

/// The verdict of a collective over the sizes that it names, the same live and judged again.
pub(super) fn judged(collective: &Collective, run: EngineRun) -> Verdict {
    let sizes: Vec<String> = collective.sizes.all().iter().map(ToString::to_string).collect();
    let sizes: Vec<&str> = sizes.iter().map(String::as_str).collect();
    let case = case_among(Kind::Collective(collective.clone()), &[]);
    let known = evidence(&sweep(&sizes), run);
    let text = serde_json::to_string(&known).unwrap();
    let live = judged_case(&case, known, &nothing_known(), true);
    let again = judged_case(&case, serde_json::from_str(&text).unwrap(), &nothing_known(), false);
    assert_eq!(live, again, "judged again");
    live
}
