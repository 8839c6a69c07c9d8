//! The kinds of tests by their keys, and how each is read.

use super::{Collective, Kind, Node, P2p, Topology, decoder::Errors};

/// How the value of a kind's key is read.
type Decode = fn(&Node, &mut Errors) -> Option<Kind>;

/// Every kind that a test can be.
pub(super) const KINDS: &[(&str, Decode)] = &[
    ("topology", |node, errors| Topology::decode(node, errors).map(Kind::Topology)),
    ("p2p", |node, errors| P2p::decode(node, errors).map(Kind::P2p)),
    ("collective", |node, errors| Collective::decode(node, errors).map(Kind::Collective)),
];

/// The names of the kinds.
pub(super) fn names() -> Vec<&'static str> {
    KINDS.iter().map(|(name, _)| *name).collect()
}

/// Reads what stands under the key of a kind.
pub(super) fn decode(name: &str, node: &Node, errors: &mut Errors) -> Option<Kind> {
    let (_, decode) = KINDS.iter().find(|(known, _)| *known == name)?;
    decode(node, errors)
}
