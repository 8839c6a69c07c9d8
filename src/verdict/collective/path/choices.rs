//! What the library chose for the sizes of a test: algorithm and protocol.

use std::collections::BTreeSet;

use super::complete::Graphs;
use crate::{
    collective::Datatype,
    evidence::{Choice, LibraryLog},
    spec::{Collective, Operation, Placed, Wanted},
    units::Size,
    verdict::{
        FindingCode,
        collective::{operation::datatype, view::trimming_step},
        ledger::{Check, Ledger},
        topology::Held,
    },
};

/// The choices for one size of a test: this size, or what it was trimmed to (whole elements, or whole shares of the
/// ranks), for the operation of the test or for one that is not named.
pub(super) fn of_size<'a>(
    log: &'a LibraryLog,
    collective: &Collective,
    size: Size,
) -> impl Iterator<Item = &'a Choice> {
    let operation = collective.operation.value;
    let ranks = log.ranks.values().filter_map(|rank| rank.of).max();
    let share = ranks.and_then(|ranks| trimming_step(operation, ranks));
    let step = share.or_else(|| datatype(collective).map(Datatype::bytes)).unwrap_or(1);
    let is_ours = move |choice: &&Choice| {
        let is_near = size.0.checked_sub(choice.bytes).is_some_and(|trimmed| trimmed < step);
        is_near && choice.operation.as_deref().is_none_or(|name| plain(name) == plain(operation.name()))
    };
    let nearest = log.choices.iter().filter(is_ours).map(|choice| choice.bytes).max();
    log.choices.iter().filter(is_ours).filter(move |choice| Some(choice.bytes) == nearest)
}

/// An operation's name without what the spellings differ in: `AllReduce`, `all_reduce`.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Whether the library tells its choices for an operation: it does for those that it has algorithms for.
pub(super) const fn are_told(operation: Operation) -> bool {
    !matches!(operation, Operation::AllToAll | Operation::Gather | Operation::Scatter | Operation::SendRecv)
}

/// Whether NVLink SHARP carried the traffic of a test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nvls {
    /// Of every size.
    pub every_size: Held,
    /// Of one size at least.
    pub some_size: Held,
    /// Whether anything in the log speaks of it: where nothing does, it excuses no connection.
    pub is_spoken_of: bool,
}

impl Nvls {
    /// By a communicator that is set up for it and by the choices, both. `whole` says that the log would show such a
    /// communicator.
    pub fn of(log: &LibraryLog, collective: &Collective, whole: bool) -> Self {
        let operation = collective.operation.value;
        let sizes = collective.sizes.all();
        let by_size: Vec<Option<BTreeSet<bool>>> = sizes.iter().map(|size| chosen(log, collective, *size)).collect();
        let is = |choice: bool| by_size.iter().any(|size| size.as_ref().is_some_and(|seen| seen.contains(&choice)));
        let is_spoken_of = log.nvls_used || is(true);
        if !are_told(operation) || (whole && !is_spoken_of) {
            return Self { every_size: Held::No, some_size: Held::No, is_spoken_of };
        }
        let all_told = by_size.iter().all(Option::is_some);
        let every_size = match (is(false), all_told && log.nvls_used) {
            (true, _) => Held::No,
            (false, true) => Held::Yes,
            (false, false) => Held::Unknown,
        };
        let some_size = match (is(true) && log.nvls_used, all_told && !is(true)) {
            (true, _) => Held::Yes,
            (false, true) => Held::No,
            (false, false) => Held::Unknown,
        };
        Self { every_size, some_size, is_spoken_of }
    }
}

/// Whether the choices for a size are NVLS; `None` where there is none.
fn chosen(log: &LibraryLog, collective: &Collective, size: Size) -> Option<BTreeSet<bool>> {
    let seen: BTreeSet<bool> =
        of_size(log, collective, size).map(|choice| choice.algorithm.starts_with("NVLS")).collect();
    (!seen.is_empty()).then_some(seen)
}

/// The rings and the trees that a choice for a size of the test names.
pub(super) fn graphs(log: &LibraryLog, collective: &Collective) -> Graphs {
    let sizes = collective.sizes.all();
    let choices = sizes.iter().flat_map(|size| of_size(log, collective, *size));
    let chosen: BTreeSet<&str> = choices.map(|choice| choice.algorithm.as_str()).collect();
    Graphs { rings: chosen.contains("Ring"), trees: chosen.contains("Tree") }
}

/// Judges algorithm and protocol.
pub(super) fn judge(collective: &Collective, log: Result<&LibraryLog, &str>, ledger: &mut Ledger<'_>) {
    let expect = &collective.expect;
    if let Some(wanted) = &expect.algorithm {
        let check = Check::new(FindingCode::Algorithm, "algorithm", "uses the algorithm {}", &wanted.place);
        every_size(&check, wanted, collective, log, |choice| &choice.algorithm, ledger);
    }
    if let Some(wanted) = &expect.protocol {
        let check = Check::new(FindingCode::Protocol, "protocol", "uses the protocol {}", &wanted.place);
        every_size(&check, wanted, collective, log, |choice| &choice.protocol, ledger);
    }
}

fn every_size(
    check: &Check<'_>,
    wanted: &Placed<Wanted<String>>,
    collective: &Collective,
    log: Result<&LibraryLog, &str>,
    field: impl Fn(&Choice) -> &String,
    ledger: &mut Ledger<'_>,
) {
    let operation = collective.operation.value;
    let log = match log {
        Ok(log) if are_told(operation) => log,
        Ok(_) => {
            let reason = format!("the library does not tell what it chooses for {}", operation.name());
            return ledger.unknown(check, "every size", &wanted.to_string(), &reason);
        }
        Err(reason) => return ledger.unknown(check, "every size", &wanted.to_string(), reason),
    };
    let source = log.sources.join(", ");
    for size in collective.sizes.all() {
        let device = size.to_string();
        let seen: BTreeSet<&String> = of_size(log, collective, size).map(&field).collect();
        if seen.is_empty() {
            let reason = "the log has no line on the choice for this size (NCCL_DEBUG_SUBSYS=INIT,TUNING prints it)";
            ledger.unknown(check, &device, &wanted.to_string(), reason);
        }
        for value in seen {
            ledger.check_value(check, &device, wanted, value, &source);
        }
    }
}
