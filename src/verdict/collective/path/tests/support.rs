//! A collective over the GPUs of one small server, and a log in which NVLink carries it.

use std::collections::BTreeMap;

use crate::{
    evidence::{Carrier, Choice, CollectiveEvidence, Edge, GpuPath, LibraryLog, LogRank},
    facts::Facts,
    plan::Case,
    spec::{Collective, CollectiveExpect, Kind, Operation, Placed, Test, TransportExpect},
    units::Size,
    verdict::{
        Evidence, Finding, FindingCode, Outcome, Severity, Verdict,
        collective::path::judge,
        ledger::Ledger,
        testing::{case_with, placed, saved, server},
        testing_measured,
    },
};

pub(super) const SIZE: Size = Size(1 << 30);

pub(super) fn collective(expect: CollectiveExpect) -> Collective {
    Collective { expect, ..testing_measured::collective(Operation::AllReduce, &["1G"]) }
}

fn names(names: &[&str]) -> Vec<Placed<String>> {
    names.iter().map(|name| placed((*name).to_owned())).collect()
}

pub(super) fn transport(require: &[&str], forbid: &[&str]) -> CollectiveExpect {
    let expect = TransportExpect { require: names(require), forbid: names(forbid) };
    CollectiveExpect { transport: Some(placed(expect)), ..CollectiveExpect::default() }
}

pub(super) fn p2p() -> Carrier {
    Carrier::PeerToPeer("CUMEM".into())
}

pub(super) fn network(name: &str, device: u32, gpudirect: bool) -> Carrier {
    Carrier::Network { name: name.into(), device: Some(device), gpudirect, proxy: None }
}

/// The PCI address of a GPU of [`server`] as the library writes it.
pub(super) fn bus(gpu: u32) -> String {
    format!("{:x}000", 0x10 * (gpu + 1))
}

/// A whole log of one ring over so many ranks of one host, every connection alike. It has no matrix of paths.
pub(super) fn log(ranks: u32, carrier: &Carrier) -> LibraryLog {
    let rank = |rank| LogRank {
        host: Some("node".into()),
        of: Some(ranks),
        device: Some(rank),
        bus: Some(bus(rank)),
        complete: true,
    };
    let edge = |from| Edge { from, to: (from + 1) % ranks, carrier: carrier.clone() };
    LibraryLog {
        sources: vec!["nccl-log/test.txt".into()],
        ranks: (0..ranks).map(|number| (number, rank(number))).collect(),
        communicators: ["0xa".to_owned()].into(),
        nodes: [1].into(),
        edges: (0..ranks).map(edge).collect(),
        rings: [(0..ranks).collect()].into(),
        ..LibraryLog::default()
    }
}

/// A row of the library's own matrix of paths.
pub(super) fn path(from: u32, to: u32, class: &str) -> GpuPath {
    GpuPath { host: Some("node".into()), from: bus(from), to: bus(to), class: class.into() }
}

pub(super) fn choice(size: Size, algorithm: &str, protocol: &str) -> Choice {
    Choice {
        operation: Some("AllReduce".into()),
        bytes: size.0,
        algorithm: algorithm.into(),
        protocol: protocol.into(),
        channels: None,
    }
}

/// A server on which nothing is known of what joins the GPUs.
pub(super) fn unjoined(gpus: u32) -> Facts {
    let mut facts = server(gpus);
    facts.gpu_pairs.clear();
    facts
}

pub(super) fn of_log(log: LibraryLog) -> CollectiveEvidence {
    CollectiveEvidence { log: Some(log), ..CollectiveEvidence::default() }
}

/// The findings on what carried a case's traffic, judged on a machine; nothing is asked of its figures.
pub(super) fn judged_case(case: &Case, known: Option<CollectiveEvidence>, facts: &Facts, live: bool) -> Verdict {
    let mut collectives = BTreeMap::new();
    if let Some(known) = known {
        collectives.insert(case.short_name(), known);
    }
    let evidence = Evidence { collectives: &collectives, live, ..saved(facts) };
    let Kind::Collective(collective) = &*case.kind else { panic!("a collective") };
    let mut ledger = Ledger::new(None);
    judge(case, collective, &evidence, &mut ledger);
    ledger.verdict()
}

pub(super) fn judged(expect: CollectiveExpect, log: LibraryLog, facts: &Facts) -> Verdict {
    judged_case(&test_case(collective(expect), |_| {}), Some(of_log(log)), facts, false)
}

pub(super) fn test_case(collective: Collective, change: impl FnOnce(&mut Test)) -> Case {
    case_with(Kind::Collective(collective), None, change)
}

/// The outcome, the codes that decide it, and the devices that they are of.
pub(super) fn decided(verdict: &Verdict) -> (Outcome, Vec<FindingCode>, Vec<&str>) {
    let deciding = |finding: &&Finding| matches!(finding.severity, Severity::Failure | Severity::Error);
    let findings: Vec<&Finding> = verdict.findings.iter().filter(deciding).collect();
    let devices = findings.iter().filter_map(|finding| finding.device.as_deref());
    (verdict.outcome, findings.iter().map(|finding| finding.code).collect(), devices.collect())
}
