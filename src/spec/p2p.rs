use super::{
    Node, Placed,
    decoder::{Errors, MapReader},
    pairs,
    rule::Rule,
    shape::{Key, Shape, key, names},
    values,
};

/// `p2p`: what peers may do with each other's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct P2p {
    /// Only these pairs of GPUs; all without it.
    pub pairs: Option<Placed<Vec<(u32, u32)>>>,
    /// Reads.
    pub read: Option<Placed<P2pWanted>>,
    /// Writes.
    pub write: Option<Placed<P2pWanted>>,
    /// Over NVLink.
    pub nvlink: Option<Placed<P2pWanted>>,
    /// Atomics.
    pub atomics: Option<Placed<P2pWanted>>,
}

/// What a P2P capability should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum P2pWanted {
    /// `ok`.
    Ok,
    /// `not-supported`: NS, CNS, GNS, TNS or DR.
    NotSupported,
}

impl P2pWanted {
    const NAMES: [(&'static str, Self); 2] = [("ok", Self::Ok), ("not-supported", Self::NotSupported)];

    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        values::word(node, "state", &Self::NAMES, errors)
    }
}

const STATE: Shape = Shape::Words(&names(&P2pWanted::NAMES));

/// The keys of `p2p`.
pub(super) const KEYS: &[Key] = &[
    key("pairs", pairs::PAIRS, "only these pairs of GPUs; all without it"),
    key("read", STATE, "reads of a peer's memory"),
    key("write", STATE, "writes to a peer's memory"),
    key("nvlink", STATE, "access over NVLink"),
    key("atomics", STATE, "atomics on a peer's memory"),
];

/// What `p2p` can be: pairs alone ask for nothing.
pub(super) const SHAPE: Shape = Shape::Ruled(KEYS, &[Rule::MoreThan(SELECTION)]);

const SELECTION: &[&str] = &["pairs"];

impl P2p {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = MapReader::open(node, "`p2p`", KEYS, errors)?;
        let pairs = reader.read("pairs", errors, pairs::of_gpus);
        let [read, write, nvlink, atomics] =
            ["read", "write", "nvlink", "atomics"].map(|name| reader.placed(name, errors, P2pWanted::decode));
        if errors.0.len() == before && !reader.says_more_than(SELECTION) {
            errors.at(node, "`p2p` needs `read`, `write`, `nvlink` or `atomics`");
        }
        (errors.0.len() == before).then_some(Self { pairs, read, write, nvlink, atomics })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good},
        *,
    };

    #[test]
    fn every_capability_is_read() {
        let text = "{ read: ok, write: not-supported, nvlink: ok, atomics: not-supported, pairs: [[0, 3]] }";
        let p2p = good(P2p::decode, &flow(text));
        let states = [p2p.read, p2p.write, p2p.nvlink, p2p.atomics].map(|state| state.unwrap().value);
        assert_eq!(states, [P2pWanted::Ok, P2pWanted::NotSupported, P2pWanted::Ok, P2pWanted::NotSupported]);
        assert_eq!(p2p.pairs.unwrap().value, [(0, 3)]);
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            ("{}", "`p2p` needs `read`, `write`, `nvlink` or `atomics`"),
            ("{ pairs: [[0, 1]], read: ~ }", "`p2p` needs `read`, `write`, `nvlink` or `atomics`"),
            ("{ reads: ok }", "unknown key `reads` in `p2p` | did you mean `read`?"),
            ("{ read: OK }", "unknown state `OK`, expected `ok` or `not-supported` | did you mean `ok`?"),
            ("{ read: [ok] }", "expected `ok` or `not-supported`, found a list"),
            ("{ read: ok, pairs: [[1, 1]] }", "GPU 1 is paired with itself"),
            (
                "ok",
                "expected `p2p`, which is a map, found a plain value | its keys are pairs, read, write, nvlink, atomics",
            ),
        ] {
            assert_eq!(bad(P2p::decode, &flow(text)), message, "{text}");
        }
    }
}
