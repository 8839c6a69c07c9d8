//! Whether every rank ran where it was to run: what was asked for against what the kernel said.

use crate::{
    evidence::{EngineRun, RankPlacement, TroubleKind},
    facts::Facts,
    plan::Case,
    spec::{Pin, Place},
    units::IndexList,
    verdict::{Finding, FindingCode, ledger::Ledger},
};

/// Judges the placement of every rank.
pub(super) fn judge(case: &Case, engine: &EngineRun, facts: &Facts, ledger: &mut Ledger<'_>) {
    let place = case.test.as_ref().map(|test| &test.place);
    for placement in &engine.placements {
        match deviation(placement) {
            Some(_) if is_told(engine, placement) => {}
            Some(deviation) => deviation.tell(placement, place, ledger),
            None => {
                if let Some(how) = other_pin(&case.pin(), placement, facts) {
                    tell(placement, place, how, ledger);
                }
            }
        }
    }
}

/// Whether the placements leave open where the ranks ran, though the case asks for a place.
pub(in crate::verdict::collective) fn is_unproved(case: &Case, engine: &EngineRun) -> bool {
    let is_placed = |placement: &RankPlacement| {
        let asked = placement.asked_cpus.is_some() || placement.asked_nodes.is_some();
        asked && deviation(placement).is_none()
    };
    case.pin() != Pin::None && (engine.placements.is_empty() || !engine.placements.iter().all(is_placed))
}

/// What keeps a placement of the run from being the one that was asked for, as a sentence.
pub(super) fn first_deviation(engine: &EngineRun) -> Option<String> {
    engine.placements.iter().find_map(|placement| {
        let rank = engine.named(placement.rank);
        deviation(placement).map(|deviation| format!("{rank} {}", deviation.how()))
    })
}

/// What was asked for and is not so.
struct Deviation<'a> {
    what: &'static str,
    asked: &'a IndexList,
    found: Option<&'a IndexList>,
    read: bool,
}

fn deviation(placement: &RankPlacement) -> Option<Deviation<'_>> {
    let cpus = ("CPUs", &placement.asked_cpus, &placement.cpus);
    let nodes = ("the memory of NUMA nodes", &placement.asked_nodes, &placement.nodes);
    [cpus, nodes].into_iter().find_map(|(what, asked, found)| {
        let asked = asked.as_ref().filter(|asked| found.as_ref() != Some(*asked))?;
        Some(Deviation { what, asked, found: found.as_ref(), read: placement.cpus.is_some() })
    })
}

/// Whether the trouble of the run tells it: the rank did not come so far, or its pin is what failed.
fn is_told(engine: &EngineRun, placement: &RankPlacement) -> bool {
    engine.trouble.as_ref().is_some_and(|trouble| match trouble.kind {
        TroubleKind::NotFree => false,
        TroubleKind::Pin => trouble.rank.is_none_or(|rank| rank == placement.rank) || placement.cpus.is_none(),
        _ => placement.cpus.is_none(),
    })
}

impl Deviation<'_> {
    fn how(&self) -> String {
        let Self { what, asked, found, read } = self;
        match (found, read) {
            (Some(found), _) => format!("was to use {what} {asked}, and uses {found}"),
            (None, true) => format!("was to use {what} {asked}, and is bound to none"),
            (None, false) => format!("was to use {what} {asked}, which was not read back"),
        }
    }

    fn tell(&self, placement: &RankPlacement, place: Option<&Place>, ledger: &mut Ledger<'_>) {
        let finding = tell(placement, place, self.how(), ledger);
        finding.expected = Some(self.asked.to_string());
        finding.actual = self.found.map(ToString::to_string);
    }
}

fn tell<'l>(
    placement: &RankPlacement,
    place: Option<&Place>,
    how: String,
    ledger: &'l mut Ledger<'_>,
) -> &'l mut Finding {
    let device = format!("GPU{}", placement.gpu);
    let finding = ledger.error(FindingCode::Pin, place, format!("rank {} ({device}) {how}", placement.rank));
    finding.device = Some(device);
    finding
}

/// What of a placement contradicts a pin, whatever the run itself asked for: a measurement can be judged under another
/// spec. On machines that leave room for doubt nothing does.
fn other_pin(pin: &Pin, placement: &RankPlacement, facts: &Facts) -> Option<String> {
    let used = placement.cpus.as_ref()?;
    let disjoint = |cpus: &IndexList| !cpus.0.is_empty() && used.0.is_disjoint(&cpus.0);
    match pin {
        Pin::None => {
            let asked = placement.asked_cpus.as_ref()?;
            Some(format!("was placed on CPUs {asked}, and the case asks for no placement"))
        }
        Pin::Cpus(cpus) => (used != cpus).then(|| format!("uses CPUs {used}, and the case asks for {cpus}")),
        Pin::Node(node) => {
            let cpus = node_cpus(facts, *node).filter(|cpus| disjoint(cpus))?;
            Some(format!("uses CPUs {used}, and the case asks for node {node}, which has {cpus}"))
        }
        Pin::GpuLocal => {
            let cpus = near(facts, placement).filter(|cpus| disjoint(cpus))?;
            Some(format!("uses CPUs {used}, and those of its GPU's node are {cpus}"))
        }
        Pin::GpuRemote => {
            let within = |cpus: &&IndexList| !is_one_node(facts) && used.0.is_subset(&cpus.0);
            let cpus = near(facts, placement).filter(within)?;
            Some(format!("uses CPUs {used}, and the case asks for another node than its GPU's, which has {cpus}"))
        }
    }
}

/// The CPUs near a rank's GPU.
fn near<'a>(facts: &'a Facts, placement: &RankPlacement) -> Option<&'a IndexList> {
    facts.gpu(placement.gpu)?.cpus.value()
}

fn node_cpus(facts: &Facts, node: u32) -> Option<&IndexList> {
    facts.host.numa_nodes.value()?.iter().find(|known| known.index == node).map(|node| &node.cpus)
}

fn is_one_node(facts: &Facts) -> bool {
    facts.host.numa_nodes.value().is_some_and(|nodes| nodes.len() == 1)
}
