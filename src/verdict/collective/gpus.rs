//! Whether the ranks ran on GPUs of the machine that the suite is for, each on one of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problem, View};
use crate::{
    evidence::{Measurement, Rank},
    facts::{Facts, Vendor},
    spec::GpuSelection,
    verdict::FindingCode,
};

/// What shows that it was another machine, or not all of its GPUs, each a sentence.
///
/// AMD's GPUs are left out where it is about one name or address: its tools name a product in several ways, and the
/// partitions of a GPU share its address.
pub(super) fn problems(view: &View<'_>, facts: &Facts) -> Vec<Problem> {
    let other = other_product(view, facts).or_else(|| other_address(view.measurement, facts));
    let mut problems: Vec<Problem> =
        other.into_iter().map(|message| Problem::new(FindingCode::WrongMachine, message)).collect();
    if view.wants_ranks() {
        let shared = shared(view.measurement).or_else(|| too_few(view, facts));
        problems.extend(shared.map(|message| Problem::new(FindingCode::Ranks, message)));
    }
    problems
}

/// A rank on a GPU of another product than the machine has, or than the suite is for where the machine's are not known.
fn other_product(view: &View<'_>, facts: &Facts) -> Option<String> {
    let suite = view.case.suite.machine.as_ref();
    let vendor = facts.vendor.value().copied().or_else(|| suite?.vendor.as_ref().map(|vendor| vendor.value));
    if vendor != Some(Vendor::Nvidia) {
        return None;
    }
    let named = |rank: &'_ Rank| rank.name.as_deref().map(plain).map(str::to_owned);
    let known: BTreeSet<&str> = facts.gpus.iter().filter_map(|gpu| gpu.name.value()).map(|name| plain(name)).collect();
    let glob = suite.and_then(|machine| machine.gpu.as_ref()).filter(|_| known.is_empty());
    let is_other = |name: &str| match glob {
        Some(glob) => !glob.matches(name) && !glob.matches(&format!("{NVIDIA}{name}")),
        None => !known.is_empty() && !known.contains(name),
    };
    let (rank, name) = view.measurement.ranks.iter().find_map(|rank| {
        let name = named(rank)?;
        is_other(&name).then_some((rank.rank, name))
    })?;
    Some(match (glob, known.first()) {
        (None, Some(known)) => format!("rank {rank} ran on a GPU named {name:?}, the machine's are {known:?}"),
        _ => format!("rank {rank} ran on a GPU named {name:?}, for which this suite is not"),
    })
}

const NVIDIA: &str = "NVIDIA ";

/// Drivers before 470 leave the vendor out of the name.
fn plain(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix(NVIDIA).unwrap_or(name)
}

/// A rank on a GPU at an address that the machine does not have, where all ranks are on one host.
fn other_address(measurement: &Measurement, facts: &Facts) -> Option<String> {
    let own: Option<BTreeSet<String>> =
        facts.gpus.iter().map(|gpu| gpu.pci_address.value().map(|address| bus(address))).collect();
    let own = own.filter(|own| !own.is_empty() && measurement.hosts() == Some(1))?;
    let stranger = measurement.ranks.iter().find(|rank| address(rank).is_some_and(|bus| !own.contains(&bus)))?;
    let (rank, address) = (stranger.rank, stranger.pci.as_deref().unwrap_or_default());
    Some(format!("rank {rank} ran on the GPU at {address}, and no GPU of the machine is there"))
}

/// Two ranks of one host on one GPU: the others' links carried nothing.
fn shared(measurement: &Measurement) -> Option<String> {
    let mut seen: BTreeMap<(Option<&str>, String), u32> = BTreeMap::new();
    measurement.ranks.iter().filter(|rank| is_alone(rank)).find_map(|rank| {
        let before = seen.insert((rank.host.as_deref(), address(rank)?), rank.rank)?;
        let address = rank.pci.as_deref().unwrap_or_default();
        Some(format!("ranks {before} and {} ran on one GPU, at {address}", rank.rank))
    })
}

/// Fewer GPUs than the machine has, where the case asks for all and the ranks are on several hosts. Containers of one
/// machine have names of their own, so that only the addresses tell how many GPUs of a host took part.
fn too_few(view: &View<'_>, facts: &Facts) -> Option<String> {
    let measurement = view.measurement;
    let count = *facts.gpu_count.value().filter(|_| view.case.gpus() == GpuSelection::All)?;
    let ranks = measurement.whole_ranks().filter(|_| measurement.hosts().is_some_and(|hosts| hosts > 1))?;
    let addresses: Option<BTreeSet<String>> =
        measurement.ranks.iter().map(|rank| address(rank).filter(|_| is_alone(rank))).collect();
    let most = addresses.map_or(ranks as usize, |addresses| addresses.len());
    (most < count as usize).then(|| format!("the ranks ran on {most} GPUs of a host, the machine has {count}"))
}

/// Whether nothing but the GPU itself has its address.
fn is_alone(rank: &Rank) -> bool {
    rank.name.as_deref().is_some_and(|name| !name.starts_with("AMD"))
}

/// The rank's domain, bus and device; `None` where an old output shows the bus alone.
fn address(rank: &Rank) -> Option<String> {
    rank.pci.as_deref().filter(|pci| pci.contains(':')).map(bus)
}

/// An address without its function, in one spelling.
fn bus(address: &str) -> String {
    address.split('.').next().unwrap_or_default().to_ascii_lowercase()
}
