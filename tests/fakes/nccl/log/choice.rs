//! What the library chooses for a size, as `NCCL_ALGO` and `NCCL_PROTO` let it.

use std::env;

use super::info;
use crate::{team::Team, version};

/// An algorithm and a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Whether the ranks are joined by trees, not by rings.
    pub is_tree: bool,
    /// The protocol as the log has it.
    pub protocol: &'static str,
}

/// Up to here it chooses LL, in bytes.
const LL: u64 = 64 << 10;
/// Up to here LL128.
const LL128: u64 = 4 << 20;

const ALGORITHMS: &[&str] =
    &["TREE", "RING", "COLLNETDIRECT", "COLLNETCHAIN", "NVLS", "NVLSTREE", "PAT", "COLLNET_DIRECT", "COLLNET_CHAIN"];
const PROTOCOLS: &[&str] = &["LL", "LL128", "SIMPLE"];

impl Choice {
    /// The choice for a size; the error says why there is none.
    pub fn of(bytes: u64) -> Result<Self, String> {
        let allowed = |name: &'static str, all| allowed(&env::var(name).unwrap_or_default(), all);
        let algorithms = allowed("NCCL_ALGO", ALGORITHMS)?;
        let protocols = allowed("NCCL_PROTO", PROTOCOLS)?;
        let can = |algorithm: &&&str| algorithms.contains(*algorithm);
        let algorithm = ["RING", "TREE"].iter().find(can);
        let best = if bytes <= LL {
            ["LL", "LL128", "SIMPLE"]
        } else if bytes <= LL128 {
            ["LL128", "SIMPLE", "LL"]
        } else {
            ["SIMPLE", "LL128", "LL"]
        };
        let protocol = best.into_iter().find(|protocol| protocols.contains(protocol));
        match (algorithm, protocol) {
            (Some(algorithm), Some(protocol)) => Ok(Self { is_tree: *algorithm == "TREE", protocol }),
            _ => {
                let named = env::var("NCCL_ALGO").unwrap_or_default();
                Err(format!(
                    "Error : no algorithm/protocol available for function AllReduce with datatype ncclFloat32. \
                     NCCL_ALGO was set to {named}."
                ))
            }
        }
    }
}

/// What a list such as `Ring,Tree`, `^NVLS` or `allreduce:ring` allows.
fn allowed(list: &str, all: &'static [&'static str]) -> Result<Vec<&'static str>, String> {
    let list = list.split(';').find_map(|part| part.strip_prefix("allreduce:")).unwrap_or(list);
    if list.is_empty() {
        return Ok(all.to_vec());
    }
    let (is_inverted, list) = list.strip_prefix('^').map_or((false, list), |list| (true, list));
    let words: Vec<String> = list.split(',').map(|word| word.trim().to_ascii_uppercase()).collect();
    match words.iter().find(|word| !all.contains(&word.as_str())) {
        Some(word) => Err(format!("Unrecognized element token \"{word}\" when parsing \"{list}\"")),
        None => Ok(all.iter().copied().filter(|name| words.iter().any(|word| word == name) != is_inverted).collect()),
    }
}

/// The line of a call, which the first rank prints. Versions before 2.24 say numbers, and those before 2.23 no function.
pub fn chosen(team: &Team, bytes: u64, choice: &Choice) {
    if team.rank > 0 {
        return;
    }
    let (protocol, last, version) = (choice.protocol, team.channels() - 1, version::code());
    let function = if version < 22_300 { "" } else { "AllReduce: " };
    let text = if version < 22_400 {
        let algorithm = u8::from(!choice.is_tree);
        let protocol = PROTOCOLS.iter().position(|name| *name == protocol).unwrap_or_default();
        format!("{function}{bytes} Bytes -> Algo {algorithm} proto {protocol} time 12.500000")
    } else {
        let algorithm = if choice.is_tree { "TREE" } else { "RING" };
        format!("{function}{bytes} Bytes -> Algo {algorithm} proto {protocol} channel{{Lo..Hi}}={{0..{last}}}")
    };
    info(&["TUNING"], &text);
}
