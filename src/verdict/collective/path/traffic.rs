use std::collections::BTreeSet;

use super::{
    choices::{self, Nvls},
    complete,
    ranks::Ranks,
    used::Used,
};
use crate::{
    evidence::{LibraryLog, Measurement},
    facts::Facts,
    spec::Collective,
    verdict::topology::Held,
};

/// What a log shows of the connections that carried a collective.
pub(super) struct Traffic<'a> {
    /// The log.
    pub log: &'a LibraryLog,
    /// The files that it was read from.
    pub source: String,
    /// What is joined by what, each once: both directions of two GPUs are one.
    pub connections: BTreeSet<Connection>,
    /// Why there may be connections that the log does not show.
    pub gap: Option<String>,
    /// Whether NVLink SHARP carried the traffic.
    pub nvls: Nvls,
}

/// Two ranks and what joins them.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Connection {
    /// `GPU0-GPU1`, `rank 0-rank 9`.
    pub device: String,
    pub used: Used,
}

impl<'a> Traffic<'a> {
    /// Reads the connections of a log; the error says why they cannot be told apart.
    pub fn of(
        log: &'a LibraryLog,
        collective: &Collective,
        measurement: Option<&Measurement>,
        facts: &Facts,
    ) -> Result<Self, String> {
        let ranks = Ranks::new(log, facts);
        let connection = |edge: &crate::evidence::Edge| Connection {
            device: ranks.name(edge.from, edge.to),
            used: Used::of(&edge.carrier, || ranks.link(edge.from, edge.to)),
        };
        let mut connections: BTreeSet<Connection> = log.edges.iter().map(connection).collect();
        one_communicator(log, &connections)?;
        let operation = collective.operation.value;
        let root = collective.root.as_ref().map_or(0, |root| root.value);
        let count = complete::rank_count(log, measurement);
        let chosen = choices::graphs(log, collective);
        let is_counted = count.is_ok();
        let mut gap = count.map_or_else(Some, |count| complete::gap(log, count, operation, root, chosen));
        let nvls = Nvls::of(log, collective, gap.is_none());
        if nvls.some_size == Held::Yes {
            connections.insert(Connection { device: "traffic".to_owned(), used: Used::Nvls });
        }
        // What NVLS carries within one host needs no other connection.
        if nvls.every_size == Held::Yes && ranks.are_on_one_host() && is_counted && log.damage.is_empty() {
            gap = None;
        }
        Ok(Self { log, source: log.sources.join(", "), connections, gap, nvls })
    }
}

/// Whose a connection is cannot be told where there are several communicators; where all are alike, it need not be.
fn one_communicator(log: &LibraryLog, connections: &BTreeSet<Connection>) -> Result<(), String> {
    let kinds: BTreeSet<&Used> = connections.iter().map(|connection| &connection.used).collect();
    let count = log.communicators.len();
    if count > 1 && kinds.len() > 1 {
        return Err(format!("the log holds {count} communicators, whose connections are not alike"));
    }
    Ok(())
}
