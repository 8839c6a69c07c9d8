//! Whether the ranks are those that the case asks for: 0 to n-1, once each, as many as its GPUs.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problem, View};
use crate::{
    evidence::{Measurement, Rank},
    facts::Facts,
    spec::GpuSelection,
    verdict::FindingCode,
};

/// What is wrong with the ranks, each a sentence.
pub(super) fn problems(view: &View<'_>, facts: &Facts) -> Vec<Problem> {
    let measurement = view.measurement;
    let mut messages = Vec::new();
    if measures_one_rank(measurement) {
        messages.push(single(measurement));
    } else if view.wants_ranks() {
        match measurement.whole_ranks() {
            Some(ranks) => messages.extend(number(view, ranks, facts)),
            None => messages.push(format!("the ranks are not known to be 0 to n-1: {}", not_whole(measurement))),
        }
    }
    messages.into_iter().map(|message| Problem::new(FindingCode::Ranks, message)).collect()
}

/// Whether what was measured is one rank, or several jobs of one rank each: neither has a bus bandwidth.
pub(super) fn measures_one_rank(measurement: &Measurement) -> bool {
    let only_rank_0 = !measurement.ranks.is_empty() && measurement.ranks.iter().all(|rank| rank.rank == 0);
    only_rank_0 && (measurement.ranks.len() > 1 || measurement.ranks_doubt.is_none())
}

fn single(measurement: &Measurement) -> String {
    match measurement.ranks.len() {
        1 => "the measurement is of one rank, which has no bus bandwidth".to_owned(),
        count => {
            format!("rank 0 is there {count} times: these are separate jobs of one rank, which have no bus bandwidth")
        }
    }
}

/// Why the list is not whole, as a fragment.
fn not_whole(measurement: &Measurement) -> String {
    if let Some(doubt) = &measurement.ranks_doubt {
        return doubt.clone();
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = measurement.ranks.iter().find(|rank| !seen.insert(rank.rank)) {
        return format!("rank {} is there twice", twice.rank);
    }
    match (0..).zip(&seen).find(|(expected, rank)| expected != *rank) {
        Some((missing, _)) => format!("rank {missing} is missing"),
        None => "the output lists none".to_owned(),
    }
}

/// The number of ranks, and where the spec lists GPUs which they ran on.
fn number(view: &View<'_>, ranks: u32, facts: &Facts) -> Vec<String> {
    let measurement = view.measurement;
    let selection = view.case.gpus();
    let (asked, whose) = match &selection {
        GpuSelection::All => match facts.gpu_count.value().filter(|_| measurement.hosts() == Some(1)) {
            Some(count) => (*count, "the machine has"),
            None => return Vec::new(),
        },
        GpuSelection::Count(count) => (*count, "the case asks for"),
        GpuSelection::List(list) => (u32::try_from(list.0.len()).unwrap_or(u32::MAX), "the case asks for"),
    };
    let mut messages: Vec<String> = per_host(measurement, ranks)
        .into_iter()
        .filter(|(_, count)| *count != asked)
        .map(|(host, count)| format!("{count} ranks ran{host}, {whose} {asked} GPUs"))
        .collect();
    if let GpuSelection::List(list) = &selection {
        let listed: BTreeSet<u32> = list.0.iter().copied().collect();
        let stranger = |rank: &&Rank| gpu(rank, measurement, facts).is_some_and(|gpu| !listed.contains(&gpu));
        let strangers = measurement.ranks.iter().filter(stranger);
        messages.extend(strangers.map(|rank| {
            let gpu = gpu(rank, measurement, facts).unwrap_or_default();
            format!("rank {} ran on GPU{gpu}, the case asks for GPUs {list}", rank.rank)
        }));
    }
    messages
}

/// The number of ranks of each host, or of all where a host is not shown.
fn per_host(measurement: &Measurement, ranks: u32) -> Vec<(String, u32)> {
    let mut hosts: BTreeMap<&str, u32> = BTreeMap::new();
    for rank in &measurement.ranks {
        let Some(host) = rank.host.as_deref() else { return vec![(String::new(), ranks)] };
        *hosts.entry(host).or_default() += 1;
    }
    hosts.into_iter().map(|(host, count)| (format!(" on {host}"), count)).collect()
}

/// The GPU of a rank by the driver tool's index. The PCI address tells it where the machine's are known; CUDA's index is
/// the same unless the visible devices are renumbered, which is undone where the output shows it.
fn gpu(rank: &Rank, measurement: &Measurement, facts: &Facts) -> Option<u32> {
    let by_address = rank.pci.as_deref().filter(|pci| pci.contains(':')).and_then(|pci| {
        let bus = pci.split('.').next().unwrap_or_default();
        let same = |address: &String| address.split('.').next().is_some_and(|known| known.eq_ignore_ascii_case(bus));
        facts.gpus.iter().find(|gpu| gpu.pci_address.value().is_some_and(same))
    });
    if let Some(gpu) = by_address {
        return Some(gpu.index);
    }
    let device = rank.device?;
    let variables = ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"];
    let environment = measurement.environment.as_ref();
    let visible = environment.and_then(|set| variables.iter().find_map(|name| set.get(*name)));
    match visible {
        Some(visible) => visible.split(',').nth(usize::try_from(device).ok()?)?.trim().parse().ok(),
        None => Some(device),
    }
}
