//! Whether a log shows every connection that the traffic takes: what is not seen may be of another kind.

use std::collections::BTreeSet;

use crate::{
    evidence::{LibraryLog, Measurement},
    spec::Operation,
};

/// How many are named where many are missing.
const NAMED: usize = 3;

/// The number of ranks, where log and measurement agree on one.
pub(super) fn rank_count(log: &LibraryLog, measurement: Option<&Measurement>) -> Result<u32, String> {
    let told = log.ranks.values().filter_map(|rank| rank.of);
    let counts: BTreeSet<u32> = told.chain(measurement.and_then(Measurement::whole_ranks)).collect();
    let counts: Vec<u32> = counts.into_iter().collect();
    match &counts[..] {
        [] => Err("the log does not tell the number of ranks".to_owned()),
        [1] => Err("one rank has no connection to another".to_owned()),
        [count] => Ok(*count),
        several => {
            let several: Vec<String> = several.iter().map(ToString::to_string).collect();
            Err(format!("the number of ranks is said to be {}", several.join(" and ")))
        }
    }
}

/// Why a log may lack lines of some rank: what is not there cannot have warned.
pub(super) fn unheard(log: &LibraryLog, measurement: Option<&Measurement>) -> Option<String> {
    let count = match rank_count(log, measurement) {
        Ok(count) => count,
        Err(reason) => return Some(reason),
    };
    let unheard = (0..count).filter(|rank| log.ranks.get(rank).is_none_or(|rank| !rank.complete));
    let named: Vec<String> = unheard.map(|rank| format!("rank {rank}")).collect();
    (!named.is_empty()).then(|| format!("the log does not show the start of {}", some_of(&named)))
}

/// What the library chose among what joins the ranks, as far as the log tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Graphs {
    /// Rings, for a size of the test at least.
    pub rings: bool,
    /// Trees, likewise.
    pub trees: bool,
}

/// Why a log does not show every connection; `None` where it does.
///
/// Rings are what the library says it will use; its trees do where no ring was connected, as newer versions connect only
/// what they use. What the log shows to be connected or chosen has to be there in full, rings and trees both. Operations
/// between pairs of ranks have pairs of their own, which are in no ring.
pub(super) fn gap(log: &LibraryLog, ranks: u32, operation: Operation, root: u32, chosen: Graphs) -> Option<String> {
    if let Some(damage) = log.damage.first() {
        return Some(format!("{}: {}, and a connection may have stood there", damage.file, damage.reason));
    }
    // What joins a rank to a network that reduces stands at both ends and joins it to no other rank.
    let joins_two = log.edges.iter().filter(|edge| edge.from != edge.to);
    let seen: BTreeSet<(u32, u32)> = joins_two.map(|edge| (edge.from, edge.to)).collect();
    if let Some(pairs) = own_pairs(operation, ranks, root) {
        return missing_pairs(&seen, pairs);
    }
    let trees = log.trees.iter().flat_map(|(child, parent)| [(*child, *parent), (*parent, *child)]).collect();
    let by_trees = missing_pairs(&seen, trees);
    let needed_trees = by_trees.clone().filter(|_| chosen.trees || log.trees_connected);
    if log.rings.is_empty() {
        return silent_rank(&seen, ranks).or(needed_trees);
    }
    let joined: BTreeSet<u32> = log.trees.iter().flat_map(|(child, parent)| [*child, *parent]).collect();
    let trees_stand = by_trees.is_none() && joined.into_iter().eq(0..ranks);
    let needs_rings = chosen.rings || log.rings_connected || !trees_stand;
    rings(log, &seen, ranks).filter(|_| needs_rings).or(needed_trees)
}

/// The pairs of an operation that goes from rank to rank without rings.
fn own_pairs(operation: Operation, ranks: u32, root: u32) -> Option<Vec<(u32, u32)>> {
    let others = || (0..ranks).filter(move |rank| *rank != root);
    Some(match operation {
        Operation::SendRecv => (0..ranks).map(|rank| (rank, (rank + 1) % ranks)).collect(),
        Operation::AllToAll => {
            (0..ranks).flat_map(|from| (0..ranks).filter(move |to| *to != from).map(move |to| (from, to))).collect()
        }
        Operation::Gather => others().map(|rank| (rank, root)).collect(),
        Operation::Scatter => others().map(|rank| (root, rank)).collect(),
        Operation::AllReduce
        | Operation::AllGather
        | Operation::ReduceScatter
        | Operation::Broadcast
        | Operation::Reduce => return None,
    })
}

fn missing_pairs(seen: &BTreeSet<(u32, u32)>, pairs: Vec<(u32, u32)>) -> Option<String> {
    let missing: BTreeSet<(u32, u32)> = pairs.into_iter().filter(|pair| !seen.contains(pair)).collect();
    let named: Vec<String> = missing.iter().map(|(from, to)| format!("rank {from} to rank {to}")).collect();
    (!named.is_empty()).then(|| format!("the log shows no connection from {}", some_of(&named)))
}

fn silent_rank(seen: &BTreeSet<(u32, u32)>, ranks: u32) -> Option<String> {
    let silent =
        |has: &dyn Fn(u32) -> bool| (0..ranks).filter(|rank| !has(*rank)).map(|rank| format!("rank {rank}")).collect();
    let from: Vec<String> = silent(&|rank| seen.iter().any(|pair| pair.0 == rank));
    let to: Vec<String> = silent(&|rank| seen.iter().any(|pair| pair.1 == rank));
    match (from.is_empty(), to.is_empty()) {
        (false, _) => Some(format!("the log shows no connection from {}", some_of(&from))),
        (true, false) => Some(format!("the log shows no connection to {}", some_of(&to))),
        (true, true) => None,
    }
}

fn rings(log: &LibraryLog, seen: &BTreeSet<(u32, u32)>, ranks: u32) -> Option<String> {
    let whole = |ring: &&Vec<u32>| {
        let mut ring = (*ring).clone();
        ring.sort_unstable();
        ring.into_iter().eq(0..ranks)
    };
    if let Some(ring) = log.rings.iter().find(|ring| !whole(ring)) {
        return Some(format!("the log shows a ring of {} ranks, and there are {ranks}", ring.len()));
    }
    let next = |ring: &Vec<u32>| ring.iter().copied().zip(ring.iter().copied().cycle().skip(1)).collect::<Vec<_>>();
    missing_pairs(seen, log.rings.iter().flat_map(next).collect())
}

/// The first of some names, and how many more there are.
fn some_of(names: &[String]) -> String {
    let first = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(NAMED) {
        Some(more) if more > 0 => format!("{first} and {more} more"),
        _ => first,
    }
}
