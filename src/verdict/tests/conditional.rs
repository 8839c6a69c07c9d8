use std::{collections::BTreeMap, sync::Arc};

use crate::{
    evidence::{Carrier, CollectiveEvidence, Edge, EngineRun, LibraryLog, LogRank, Measurement, Rank},
    facts::{Fact, Facts},
    plan::Case,
    spec::{BoundValue, GpuSelection, Kind, MachineCondition, Node, NodeValue, Operation, Override, Place, Wanted},
    units::Size,
    verdict::{
        Evidence, Finding, FindingCode, Outcome, Severity, Verdict, conditional,
        testing::{case_with, place, saved, server},
        testing_engine, testing_measured,
    },
};

const SIZE: Size = Size(1 << 30);

fn scalar(text: &str) -> Node {
    Node { value: NodeValue::Scalar { text: text.into(), quoted: false }, place: place(), parameter: None }
}

fn map<const N: usize>(entries: [(&str, Node); N]) -> Node {
    let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), place(), value));
    Node { value: NodeValue::Map(entries.collect()), place: place(), parameter: None }
}

fn list(item: Node) -> Node {
    Node { value: NodeValue::List(vec![item]), place: place(), parameter: None }
}

/// An expectation of so much bus bandwidth.
fn floor(bandwidth: &str) -> Node {
    map([("busbw", map([("1G", scalar(bandwidth))]))])
}

/// An override of the floor where a condition holds, in a line of its own.
fn with_floor(line: u32, machine: MachineCondition, bandwidth: &str) -> Override {
    let place = Place { line, ..place() };
    Override { cell: Default::default(), machine, expect: floor(bandwidth), place }
}

/// A case whose floor is 400 GB/s, and others under conditions.
fn case(overrides: Vec<Override>) -> Case {
    let collective = testing_measured::collective(Operation::AllReduce, &["1G"]);
    let conditional = (0..overrides.len()).collect();
    let case = case_with(Kind::Collective(collective), None, |test| {
        let base = [("op", scalar("all_reduce")), ("sizes", list(scalar("1G"))), ("expect", floor("400 GB/s"))];
        test.kind_node = map(base);
        test.overrides = overrides;
    });
    let kind = case.test.as_ref().unwrap().kind_for_cell(&[("op".into(), "all_reduce".into())], &[]).unwrap();
    Case { kind, conditional, ..case }
}

/// The floor of a case.
fn floor_of(case: &Case) -> f64 {
    let Kind::Collective(collective) = &*case.kind else { panic!("a collective") };
    match collective.expect.busbw[&SIZE].value {
        BoundValue::Limits { min: Some(min), .. } => min.0,
        ref other => panic!("{other:?}"),
    }
}

/// The verdict where so much was measured.
fn judged(case: &Case, measured: f64, known: CollectiveEvidence, facts: &Facts) -> Verdict {
    let collectives = BTreeMap::from([("test".to_owned(), known)]);
    let evidence = Evidence { collectives: &collectives, ..saved(facts) };
    conditional::judge(case, &evidence, |case| {
        let floor = floor_of(case);
        let missed = Finding::new(FindingCode::BusBandwidth, Severity::Failure, format!("{measured} is below {floor}"));
        Verdict::from_findings((measured < floor).then_some(missed).into_iter().collect(), Vec::new())
    })
}

fn outcomes(case: &Case, known: &CollectiveEvidence, facts: &Facts) -> [Outcome; 3] {
    [250.0, 350.0, 450.0].map(|measured| judged(case, measured, known.clone(), facts).outcome)
}

const BETWEEN: [Outcome; 3] = [Outcome::Fail, Outcome::Pass, Outcome::Pass];
const ABOVE: [Outcome; 3] = [Outcome::Fail, Outcome::Fail, Outcome::Pass];
const OPEN: [Outcome; 3] = [Outcome::Fail, Outcome::Error, Outcome::Pass];

fn gpus(count: u32) -> MachineCondition {
    MachineCondition { gpus: Some(Wanted::Exact(count)), ..MachineCondition::default() }
}

fn nvls(on: bool) -> MachineCondition {
    MachineCondition { nvls: Some(on), ..MachineCondition::default() }
}

fn library(min: &str) -> MachineCondition {
    MachineCondition { library: Some((Some(min.parse().unwrap()), None)), ..MachineCondition::default() }
}

fn unknown_machine() -> Facts {
    let mut facts = server(2);
    facts.gpu_count = Fact::unknown("the list is cut");
    facts
}

#[test]
fn an_override_counts_only_where_its_condition_holds() {
    let case = case(vec![with_floor(3, gpus(4), "300 GB/s")]);
    let nothing = CollectiveEvidence::default();
    assert_eq!(outcomes(&case, &nothing, &server(4)), BETWEEN);
    assert_eq!(outcomes(&case, &nothing, &server(8)), ABOVE);
}

#[test]
fn an_unknown_condition_makes_neither_a_pass_nor_a_failure() {
    let case = case(vec![with_floor(3, gpus(4), "300 GB/s")]);
    let nothing = CollectiveEvidence::default();
    assert_eq!(outcomes(&case, &nothing, &unknown_machine()), OPEN);
    let verdict = judged(&case, 350.0, nothing, &unknown_machine());
    assert_eq!(verdict.findings.len(), 1, "what fails under one of them only is not told: {:?}", verdict.findings);
    assert_eq!(verdict.findings[0].place.as_ref().unwrap().line, 3);
    assert!(verdict.findings[0].message.ends_with("the number of GPUs: the list is cut"));
}

#[test]
fn every_combination_of_unknown_conditions_is_tried() {
    // With both, the floor is 400 again; with the first alone it is 300.
    let two = vec![with_floor(3, gpus(4), "300 GB/s"), with_floor(4, library("2.27"), "400 GB/s")];
    assert_eq!(outcomes(&case(two), &CollectiveEvidence::default(), &unknown_machine()), OPEN);
    let many = (0..5).map(|at| with_floor(3 + at, gpus(at), "300 GB/s")).collect();
    let verdicts = outcomes(&case(many), &CollectiveEvidence::default(), &unknown_machine());
    assert_eq!(verdicts, [Outcome::Error; 3], "too many to try");
}

#[test]
fn the_ranks_of_one_host_stand_for_its_gpus() {
    let case = case(vec![with_floor(3, gpus(2), "300 GB/s")]);
    let measured = |hosts: [&str; 2]| {
        let rank =
            |(rank, host): (u32, &str)| Rank { rank, host: Some(host.into()), device: None, pci: None, name: None };
        let ranks = (0..).zip(hosts).map(rank).collect();
        let measurement = Measurement { ranks, ..Measurement::default() };
        CollectiveEvidence { measurement: Some(measurement), ..CollectiveEvidence::default() }
    };
    assert_eq!(outcomes(&case, &measured(["a", "a"]), &unknown_machine()), BETWEEN);
    assert_eq!(outcomes(&case, &measured(["a", "b"]), &unknown_machine()), OPEN);
    // Ranks on some of the GPUs do not tell how many there are.
    let mut test = case.test.as_deref().unwrap().clone();
    test.gpus = GpuSelection::Count(2);
    let some = Case { test: Some(Arc::new(test)), ..case };
    assert_eq!(outcomes(&some, &measured(["a", "a"]), &unknown_machine()), OPEN);
}

/// A log of two ranks that are joined by P2P.
fn log(nvls_used: bool) -> LibraryLog {
    let edge = |from, to| Edge { from, to, carrier: Carrier::PeerToPeer("IPC".into()) };
    let rank = LogRank { of: Some(2), ..LogRank::default() };
    LibraryLog {
        ranks: [(0, rank.clone()), (1, rank)].into(),
        edges: [edge(0, 1), edge(1, 0)].into(),
        nvls_used,
        ..LibraryLog::default()
    }
}

#[test]
fn nvls_is_off_only_in_a_whole_log_or_where_it_is_switched_off() {
    let case = case(vec![with_floor(3, nvls(false), "300 GB/s")]);
    let of = |log: LibraryLog| {
        let known = CollectiveEvidence { log: Some(log), ..CollectiveEvidence::default() };
        outcomes(&case, &known, &server(2))
    };
    assert_eq!(outcomes(&case, &CollectiveEvidence::default(), &server(2)), OPEN);
    assert_eq!(of(log(true)), ABOVE);
    assert_eq!(of(log(false)), BETWEEN);
    let mut cut = log(false);
    cut.edges.pop_last();
    assert_eq!(of(cut.clone()), OPEN);
    cut.environment.insert("NCCL_NVLS_ENABLE".into(), ["0".to_owned()].into());
    assert_eq!(of(cut), BETWEEN);
}

#[test]
fn nvls_is_either_on_or_off() {
    let both = vec![with_floor(3, nvls(false), "300 GB/s"), with_floor(4, nvls(true), "300 GB/s")];
    assert_eq!(outcomes(&case(both), &CollectiveEvidence::default(), &server(2)), BETWEEN);
}

#[test]
fn the_library_that_measured_decides_before_the_installed_one() {
    let case = case(vec![with_floor(3, library("2.27"), "300 GB/s")]);
    let mut facts = server(2);
    let measured = |version: &str, logged: &[&str]| {
        let measurement = Measurement { library: Some(version.parse().unwrap()), ..Measurement::default() };
        let libraries = logged.iter().map(|text| (*text).to_owned()).collect();
        let log = LibraryLog { libraries, ..LibraryLog::default() };
        CollectiveEvidence { measurement: Some(measurement), log: Some(log), ..CollectiveEvidence::default() }
    };
    let nothing = CollectiveEvidence::default();
    assert_eq!(outcomes(&case, &nothing, &facts), OPEN);
    // What linkspec's own ranks loaded, also where they came to no figure.
    for (loaded, right) in [("2.26.9", ABOVE), ("2.28.3", BETWEEN)] {
        let libraries = vec![testing_engine::library("CUDA driver", "13.0"), testing_engine::library("NCCL", loaded)];
        let engine = EngineRun { libraries, ..EngineRun::default() };
        let own = CollectiveEvidence { engine: Some(engine), ..CollectiveEvidence::default() };
        assert_eq!(outcomes(&case, &own, &facts), right, "{loaded}");
    }
    facts.libraries.insert("RCCL".into(), Fact::known("2.22.3".into(), "librccl.so.1"));
    facts.libraries.insert("NCCL".into(), Fact::known("2.28.9".into(), "tool.txt"));
    assert_eq!(outcomes(&case, &nothing, &facts), BETWEEN);
    // Of which of the two the GPUs would use, nothing is known.
    facts.vendor = Fact::unknown("no driver is loaded");
    assert_eq!(outcomes(&case, &nothing, &facts), OPEN);
    assert_eq!(outcomes(&case, &measured("2.26.2", &[]), &facts), ABOVE);
    assert_eq!(outcomes(&case, &measured("2.28.9", &["NCCL 2.28.9+cuda12.9"]), &facts), BETWEEN);
    assert_eq!(outcomes(&case, &measured("2.28.9", &["NCCL 2.26.2"]), &facts), OPEN);
}
