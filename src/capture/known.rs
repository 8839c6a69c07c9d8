use std::collections::BTreeMap;

use super::{forms::is_zero, stand_ins::Kind, vocabulary::Vocabulary};
use crate::facts::{Fact, Facts};

/// A shorter number is found in texts that do not mean it.
const SHORTEST_NUMBER: usize = 6;

/// Names that many machines have, or none.
const NO_HOSTS: [&str; 3] = ["localhost", "localhost.localdomain", "(none)"];

/// What tools print where there is no identifier, in lower case and without brackets.
const PLACEHOLDERS: [&str; 9] = [
    "n/a",
    "none",
    "unknown",
    "unknown error",
    "not supported",
    "not available",
    "not specified",
    "insufficient permissions",
    "gpu access blocked",
];

/// Variables of NCCL that hold a host's name or address, with a port or without.
pub(super) const HOST_VARIABLES: [&str; 3] = ["NCCL_COMM_ID", "NCCL_HOSTID", "NCCL_RAS_ADDR"];

/// Whether a text stands in the place of an identifier that is not there.
pub(super) fn is_placeholder(text: &str) -> bool {
    let plain = text.trim().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    is_zero(&plain) || PLACEHOLDERS.contains(&plain.as_str())
}

/// The identifiers that have no form to tell them by, in lower case: wherever else they stand, they are replaced.
pub(super) fn known(facts: &Facts) -> BTreeMap<String, Kind> {
    let mut known = BTreeMap::new();
    for name in said(&facts.host.name) {
        add_host(&name, &mut known);
    }
    for (name, value) in variables(facts).filter(|(name, _)| HOST_VARIABLES.contains(name)) {
        let host = if name == "NCCL_HOSTID" { value } else { value.rsplit_once(':').map_or(value, |(host, _)| host) };
        add_host(host, &mut known);
    }
    for gpu in &facts.gpus {
        add_numbers(&gpu.serial, Kind::Serial, &mut known);
        for uuid in said(&gpu.uuid) {
            add_number(uuid.trim_start_matches("GPU-"), Kind::Uuid, &mut known);
        }
        add_numbers(&gpu.fabric_cluster, Kind::Uuid, &mut known);
    }
    for device in &facts.rdma_devices {
        add_numbers(&device.node_guid, Kind::Guid, &mut known);
        for guid in said(&device.node_guid) {
            // The same without separators, as some drivers log it.
            add_number(&guid.trim_start_matches("0x").replace(':', ""), Kind::Guid, &mut known);
        }
    }
    let vocabulary = Vocabulary::new(facts);
    known.retain(|name, _| !vocabulary.has(name));
    known
}

fn variables(facts: &Facts) -> impl Iterator<Item = (&str, &str)> {
    let maps = [&facts.host.nccl_environment, &facts.host.nccl_configured];
    maps.into_iter().filter_map(Fact::value).flatten().map(|(name, value)| (name.as_str(), value.as_str()))
}

/// What sources said a text is: one, or two that contradict each other.
fn said(fact: &Fact<String>) -> Vec<String> {
    match fact {
        Fact::Known { value, .. } => vec![value.trim().to_owned()],
        Fact::Unknown { .. } => Vec::new(),
        // `{source} says {value}, {source} says {value}`.
        Fact::Conflict { reason } => {
            let mut said = reason.split(" says ").skip(1).map(str::to_owned).collect::<Vec<_>>();
            let last = said.len().saturating_sub(1);
            for value in &mut said[..last] {
                value.truncate(value.rfind(", ").unwrap_or(value.len()));
            }
            said
        }
    }
}

/// A host by its name, as the logical volumes of some installers spell it too, and by its name without the domain.
fn add_host(name: &str, known: &mut BTreeMap<String, Kind>) {
    let short = name.split('.').next().unwrap_or_default();
    let is_address = name.parse::<std::net::IpAddr>().is_ok();
    for name in [name.to_owned(), short.to_owned(), short.replace('-', "--")] {
        let name = name.to_lowercase();
        let is_named = name.len() > 1 && name.chars().any(char::is_alphabetic) && !NO_HOSTS.contains(&name.as_str());
        if is_named && !is_address && !is_placeholder(&name) {
            known.insert(name, Kind::Host);
        }
    }
}

fn add_numbers(fact: &Fact<String>, kind: Kind, known: &mut BTreeMap<String, Kind>) {
    said(fact).iter().for_each(|number| add_number(number, kind, known));
}

fn add_number(number: &str, kind: Kind, known: &mut BTreeMap<String, Kind>) {
    if number.len() >= SHORTEST_NUMBER && !is_placeholder(number) {
        known.insert(number.to_lowercase(), kind);
    }
}
