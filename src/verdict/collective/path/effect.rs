//! What a log shows of the effect of the library's variables.

use std::collections::BTreeSet;

use super::choices::of_size;
use crate::{
    evidence::{Carrier, Choice, Edge, LibraryLog},
    spec::Collective,
};

/// What a log shows of a setting's effect.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It took effect.
    Shown,
    /// It did not, and what shows it, as a fragment.
    Contradicted(String),
    /// The log does not show it.
    NotShown,
}

/// The effect of a variable with a value. `whole` says that the log shows every connection.
pub(super) fn of(name: &str, value: &str, collective: &Collective, log: &LibraryLog, whole: bool) -> Effect {
    let by_edge =
        |is_wrong: fn(&Carrier) -> bool, what: &str| match log.edges.iter().find(|edge| is_wrong(&edge.carrier)) {
            Some(Edge { from, to, .. }) => {
                Effect::Contradicted(format!("the log shows {what} from rank {from} to rank {to}"))
            }
            None if whole => Effect::Shown,
            None => Effect::NotShown,
        };
    match (name, value) {
        ("NCCL_P2P_DISABLE", value) if is_on(value) => {
            by_edge(|carrier| matches!(carrier, Carrier::PeerToPeer(_) | Carrier::Indirect(_)), "P2P")
        }
        ("NCCL_SHM_DISABLE", value) if is_on(value) => {
            by_edge(|carrier| matches!(carrier, Carrier::SharedMemory), "shared memory")
        }
        ("NCCL_IB_DISABLE", value) if is_on(value) => {
            by_edge(|carrier| matches!(carrier, Carrier::Network { name, .. } if name.starts_with("IB")), "InfiniBand")
        }
        ("NCCL_NVLS_ENABLE", "0") if log.nvls_used => {
            Effect::Contradicted("the log shows a communicator that uses NVLS".to_owned())
        }
        ("NCCL_NVLS_ENABLE", "0") if whole => Effect::Shown,
        // LOC is the level at which the library never does it, and 0 its number.
        ("NCCL_P2P_LEVEL", "LOC" | "0") => by_edge(|carrier| matches!(carrier, Carrier::PeerToPeer(_)), "P2P"),
        ("NCCL_NET_GDR_LEVEL", "LOC" | "0") => {
            by_edge(|carrier| matches!(carrier, Carrier::Network { gpudirect: true, .. }), "GPUDirect RDMA")
        }
        ("NCCL_NET", value) => by_network(value, log),
        ("NCCL_MAX_NCHANNELS", value) => by_channels(value, log),
        ("NCCL_ALGO", value) => by_choice(value, "algorithm", collective, log, |choice| &choice.algorithm),
        ("NCCL_PROTO", value) => by_choice(value, "protocol", collective, log, |choice| &choice.protocol),
        _ => Effect::NotShown,
    }
}

/// The effect of a plain name: lists, exclusions and lists by operation leave the library a choice.
/// How the nodes that the library counts contradict the identities that ranks were given: as many identities are as many
/// nodes to it.
pub(super) fn other_nodes(name: &str, values: &[String], log: &LibraryLog) -> Option<String> {
    let asked = values.iter().collect::<BTreeSet<_>>().len();
    let counted = log.nodes.iter().find(|nodes| **nodes as usize != asked).filter(|_| name == "NCCL_HOSTID")?;
    Some(format!("the log counts {counted} nodes, and {asked} identities were asked for"))
}

/// Any number but 0 switches a path off.
fn is_on(value: &str) -> bool {
    value.parse::<i64>().is_ok_and(|value| value != 0)
}

fn by_network(value: &str, log: &LibraryLog) -> Effect {
    let other = log.edges.iter().find_map(|edge| match &edge.carrier {
        Carrier::Network { name, .. } if !value.is_empty() && !name.eq_ignore_ascii_case(value) => Some(name),
        _ => None,
    });
    other.map_or(Effect::NotShown, |name| Effect::Contradicted(format!("the log shows the network {name}")))
}

fn by_channels(value: &str, log: &LibraryLog) -> Effect {
    let most: Option<u32> = value.parse().ok().filter(|most| *most > 0);
    match most.and_then(|most| log.channels.iter().find(|channels| **channels > most)) {
        Some(channels) => Effect::Contradicted(format!("the log shows {channels} channels")),
        None => Effect::NotShown,
    }
}

fn by_choice(
    value: &str,
    what: &str,
    collective: &Collective,
    log: &LibraryLog,
    field: fn(&Choice) -> &String,
) -> Effect {
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Effect::NotShown;
    }
    let asked = value.to_ascii_lowercase();
    let is_asked = |chosen: &str| {
        let chosen = chosen.to_ascii_lowercase();
        // `CollNet` was one algorithm in older versions and is two in newer ones.
        chosen == asked || (asked == "collnet" && chosen.starts_with("collnet"))
    };
    let mut every_size = true;
    for size in collective.sizes.all() {
        let mut choices = of_size(log, collective, size).peekable();
        every_size &= choices.peek().is_some();
        if let Some(other) = choices.find(|choice| !is_asked(field(choice))) {
            return Effect::Contradicted(format!("the log shows the {what} {} at {size}", field(other)));
        }
    }
    if every_size { Effect::Shown } else { Effect::NotShown }
}
