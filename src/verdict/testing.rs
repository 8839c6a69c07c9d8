//! Small machines and specs for the judge's tests.

use std::{collections::BTreeMap, sync::Arc};

use super::{Evidence, FindingCode, Outcome, Severity, Verdict, judge};
use crate::{
    evidence::CollectiveEvidence,
    facts::{Fact, Facts, Gpu, GpuNic, LinkClass, Nic, NvLink, Origin, Vendor},
    plan::Case,
    spec::{
        Glob, Globs, GpuSelection, Kind, Level, MachineExpect, Node, NodeValue, Pin, Place, Placed, SkipWhen, Suite,
        Test, Wanted,
    },
    units::Bandwidth,
};

pub(super) fn place() -> Place {
    Place { file: "spec.yaml".into(), line: 7, column: 3, text: "require: NV18".into() }
}

pub(super) fn placed<T>(value: T) -> Placed<T> {
    Placed { value, place: place() }
}

/// A plain value, as an expectation.
pub(super) fn exact<T>(value: T) -> Option<Placed<Wanted<T>>> {
    Some(placed(Wanted::Exact(value)))
}

pub(super) fn at_least<T>(value: T) -> Option<Placed<Wanted<T>>> {
    Some(placed(Wanted::Range { min: Some(value), max: None }))
}

pub(super) fn glob(text: &str) -> Glob {
    Glob::new(text).unwrap()
}

pub(super) fn globs(texts: &[&str]) -> Option<Placed<Globs>> {
    Some(placed(Globs(texts.iter().map(|text| glob(text)).collect())))
}

pub(super) fn known<T>(value: T) -> Fact<T> {
    Fact::known(value, "tool.txt")
}

pub(super) fn class(text: &str) -> LinkClass {
    text.parse().unwrap()
}

/// A machine with so many GPUs, each with 18 NVLinks, every pair NV18.
pub(super) fn server(count: u32) -> Facts {
    let mut facts = Facts::new(Origin::Saved { path: "ticket".into() });
    facts.vendor = known(Vendor::Nvidia);
    facts.gpu_count = known(count);
    for index in 0..count {
        let gpu = facts.gpu_mut(index);
        gpu.name = known("NVIDIA H200".into());
        gpu.pci_address = known(format!("0000:{:02x}:00.0", 0x10 * (index + 1)));
        gpu.nvlinks = known(links(18, 18));
        for other in index + 1..count {
            facts.pair_mut(index, other).class = known(class("NV18"));
        }
    }
    facts
}

/// NVLinks, the first of them up.
pub(super) fn links(active: u32, all: u32) -> Vec<NvLink> {
    let speed = |index| (index < active).then_some(Bandwidth(26.562));
    (0..all).map(|index| NvLink::new(index, index < active, speed(index))).collect()
}

/// NICs by name, and for each GPU the class to each of them; `?` is a cell that is unknown.
pub(super) fn with_nics(mut facts: Facts, names: &[&str], rows: &[&[&str]]) -> Facts {
    let nics = names.iter().enumerate();
    facts.nics =
        known(nics.map(|(at, name)| Nic { label: format!("NIC{at}"), device: Some((*name).into()) }).collect());
    for (gpu, row) in (0..).zip(rows) {
        for (at, cell) in row.iter().enumerate() {
            let class = if *cell == "?" { Fact::unknown("the cell is cut") } else { known(class(cell)) };
            facts.gpu_nics.push(GpuNic { gpu, nic: format!("NIC{at}"), class });
        }
    }
    facts
}

pub(super) fn machine() -> MachineExpect {
    MachineExpect {
        vendor: Some(placed(Vendor::Nvidia)),
        gpu: Some(placed(glob("NVIDIA H200"))),
        gpus: Some(placed(8)),
    }
}

/// A case of a suite that is for [`machine`]; what is passed in changes the test.
pub(super) fn case_with(kind: Kind, machine: Option<MachineExpect>, change: impl FnOnce(&mut Test)) -> Case {
    let kind = Arc::new(kind);
    let mut test = Test {
        name: "test".into(),
        title: None,
        level: Level::Quick,
        tags: Vec::new(),
        environment: Default::default(),
        default_environment: Default::default(),
        pin: Pin::GpuLocal,
        gpus: GpuSelection::All,
        timeout: None,
        duration: None,
        retries: None,
        skip_when: None,
        ignore: None,
        hint: None,
        matrix: None,
        overrides: Vec::new(),
        kind: Arc::clone(&kind),
        kind_node: Node { value: NodeValue::Null, place: place(), parameter: None },
        place: place(),
    };
    change(&mut test);
    let suite = Suite {
        name: "suite".into(),
        title: None,
        file: "spec.yaml".into(),
        machine: machine.map(placed),
        tests: Vec::new(),
        sources: Default::default(),
    };
    let guard = matches!(*kind, Kind::Machine(_));
    let test = (!guard).then(|| Arc::new(test));
    Case { suite: Arc::new(suite), test, cell: Vec::new(), kind, conditional: Vec::new() }
}

pub(super) fn case(kind: Kind) -> Case {
    case_with(kind, None, |_| {})
}

/// The measurements of a run without collectives.
static NOTHING_MEASURED: BTreeMap<String, CollectiveEvidence> = BTreeMap::new();

pub(super) fn saved(facts: &Facts) -> Evidence<'_> {
    Evidence { before: facts, after: None, command: None, collectives: &NOTHING_MEASURED, operator: None, live: false }
}

pub(super) fn live(facts: &Facts) -> Evidence<'_> {
    Evidence { live: true, ..saved(facts) }
}

/// The verdict of a kind of check on a recorded machine.
pub(super) fn verdict(kind: Kind, facts: &Facts) -> Verdict {
    judge(&case(kind), &saved(facts))
}

pub(super) fn outcome(kind: Kind, facts: &Facts) -> Outcome {
    verdict(kind, facts).outcome
}

/// The codes of the failures.
pub(super) fn failures(verdict: &Verdict) -> Vec<FindingCode> {
    let failures = verdict.findings.iter().filter(|finding| finding.severity == Severity::Failure);
    failures.map(|finding| finding.code).collect()
}

pub(super) fn skip_when() -> SkipWhen {
    SkipWhen {
        reason: "one NUMA node only".into(),
        gpus: None,
        numa_nodes: None,
        vendor: None,
        gpu: None,
        virtual_machine: None,
        rdma_devices: None,
    }
}

/// A machine with its second GPU changed.
pub(super) fn on_second(change: impl FnOnce(&mut Gpu), mut facts: Facts) -> Facts {
    change(facts.gpu_mut(1));
    facts
}
