use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::incomplete;
use crate::{
    evidence::{RasAnswer, RasCommunicator, RasSpread},
    facts::Damage,
};

#[derive(Deserialize)]
struct Document {
    nccl_version: Option<String>,
    communicators_count: usize,
    communicators: Vec<Communicator>,
    ras: Option<Service>,
}

#[derive(Deserialize)]
struct Communicator {
    hash: String,
    size: u32,
    ranks_count: usize,
    missing_ranks_count: usize,
    ranks: Vec<Rank>,
    missing_ranks: Vec<MissingRank>,
}

#[derive(Deserialize)]
struct Rank {
    rank: u32,
    status: Status,
    collective_counts: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Status {
    init_state: u32,
    async_error: u32,
    finalize_called: bool,
    destroy_flag: bool,
    abort_flag: bool,
}

#[derive(Deserialize)]
struct MissingRank {
    rank: u32,
    host: String,
    pid: i64,
    status: MissingStatus,
}

#[derive(Deserialize)]
struct MissingStatus {
    unresponsive: bool,
    considered_dead: bool,
}

#[derive(Deserialize)]
struct Service {
    timeouts_count: u64,
}

/// `ncclSuccess` and `ncclInProgress`: every other result is an error.
const NO_ERROR: [u32; 2] = [0, 7];

/// Reads the JSON form, which starts on a line counted from 0.
pub(super) fn read(text: &str, line: usize, answer: &mut RasAnswer) {
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let document: Document = match serde_json::from_str(text.get(start..).unwrap_or_default()) {
        Ok(document) => document,
        Err(error) => {
            let end = if error.is_eof() { "its JSON ends before it is closed" } else { "its JSON is broken" };
            answer.damage.push(Damage::of_file(&answer.source, format!("{end}, {} lines into it", error.line())));
            return incomplete(answer, end);
        }
    };
    answer.library = document.nccl_version.map(|version| format!("NCCL {version}"));
    if document.communicators.len() != document.communicators_count {
        incomplete(answer, "it does not list all its communicators");
    }
    if document.communicators.is_empty() {
        incomplete(answer, "its list of communicators is empty");
    }
    match document.ras {
        Some(Service { timeouts_count: 0 }) => {}
        Some(Service { timeouts_count }) => {
            answer.warnings.push(format!("{timeouts_count} communication timeouts while gathering data"));
        }
        None => incomplete(answer, "it has no account of its gathering"),
    }
    let missing = document.communicators.iter().flat_map(|communicator| &communicator.missing_ranks);
    let dead: BTreeSet<(&str, i64)> =
        missing.filter(|rank| rank.status.considered_dead).map(|rank| (rank.host.as_str(), rank.pid)).collect();
    answer.dead = u32::try_from(dead.len()).ok();
    for communicator in &document.communicators {
        put(communicator, answer);
    }
}

fn put(communicator: &Communicator, answer: &mut RasAnswer) {
    let listed: BTreeSet<u32> = communicator.ranks.iter().map(|rank| rank.rank).collect();
    let lost: BTreeSet<u32> = communicator.missing_ranks.iter().map(|rank| rank.rank).collect();
    let counted = (communicator.ranks_count, communicator.missing_ranks_count) == (listed.len(), lost.len());
    let once = listed.is_disjoint(&lost) && listed.union(&lost).copied().eq(0..communicator.size);
    if !counted || !once {
        incomplete(answer, format!("it does not list every rank of {} once", communicator.hash));
    }
    let operations = |rank: &Rank| rank.collective_counts.keys().cloned().collect::<BTreeSet<String>>();
    if communicator.ranks.iter().map(operations).collect::<BTreeSet<_>>().len() > 1 {
        incomplete(answer, format!("it does not count the same operations of every rank of {}", communicator.hash));
    }
    for rank in &communicator.missing_ranks {
        answer.errors.push(lost_rank(rank, &communicator.hash));
    }
    for Rank { rank, status, .. } in &communicator.ranks {
        let mut told = |what: &str, code: u32| {
            if !NO_ERROR.contains(&code) {
                answer.errors.push(format!("rank {rank} of {} has the {what} error {code}", communicator.hash));
            }
        };
        told("initialisation", status.init_state);
        told("asynchronous", status.async_error);
    }
    let spreads = spreads(communicator);
    let (status, mixed) = status(communicator);
    let failed =
        |rank: &Rank| [rank.status.init_state, rank.status.async_error].iter().any(|code| !NO_ERROR.contains(code));
    let silent = communicator.missing_ranks.iter().filter(|rank| rank.status.unresponsive).count();
    let errors = [
        ("INCOMPLETE", silent > 0),
        ("ERROR", communicator.ranks.iter().any(failed)),
        ("MISMATCH", mixed || !spreads.is_empty()),
    ];
    let errors: Vec<&str> = errors.into_iter().filter_map(|(word, holds)| holds.then_some(word)).collect();
    answer.communicators.push(RasCommunicator {
        count: Some(1),
        ranks: Some(communicator.size),
        missing: u32::try_from(silent).ok(),
        status: status.to_owned(),
        errors: if errors.is_empty() { "OK".to_owned() } else { errors.join(",") },
    });
    answer.spreads.extend(spreads);
}

fn lost_rank(rank: &MissingRank, communicator: &str) -> String {
    let state = match (rank.status.considered_dead, rank.status.unresponsive) {
        (true, _) => "is considered dead",
        (false, true) => "did not answer",
        (false, false) => "is no member any more or not yet",
    };
    format!("rank {} of {communicator}, process {} on {}, {state}", rank.rank, rank.pid, rank.host)
}

/// The state as the text form tells it, the furthest of all ranks, and whether ranks have different ones.
fn status(communicator: &Communicator) -> (&'static str, bool) {
    const STATES: [&str; 5] = ["NOCOMM", "INIT", "RUNNING", "FINALIZE", "ABORT"];
    let of = |rank: &Rank| match rank.status {
        Status { abort_flag: true, .. } => 4,
        Status { finalize_called: true, .. } | Status { destroy_flag: true, .. } => 3,
        Status { init_state: 0, .. } => 2,
        Status { .. } => 1,
    };
    let gone = communicator.missing_ranks.iter().any(|rank| !rank.status.unresponsive);
    let states: BTreeSet<usize> = communicator.ranks.iter().map(of).chain(gone.then_some(0)).collect();
    let furthest = states.last().and_then(|state| STATES.get(*state)).copied();
    (furthest.unwrap_or("UNKNOWN"), states.len() > 1)
}

fn spreads(communicator: &Communicator) -> Vec<RasSpread> {
    let names: BTreeSet<&String> = communicator.ranks.iter().flat_map(|rank| rank.collective_counts.keys()).collect();
    let spread = |operation: &String| {
        let count = |rank: &Rank| rank.collective_counts.get(operation).copied();
        let least = communicator.ranks.iter().filter_map(count).min()?;
        let most = communicator.ranks.iter().filter_map(count).max()?;
        let behind = communicator.ranks.iter().filter(|rank| count(rank) == Some(least)).map(|rank| rank.rank);
        (least < most).then(|| RasSpread {
            communicator: communicator.hash.clone(),
            operation: operation.clone(),
            least,
            most,
            behind: behind.collect(),
        })
    };
    names.into_iter().filter_map(spread).collect()
}
