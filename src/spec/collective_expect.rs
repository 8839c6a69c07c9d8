use std::collections::BTreeMap;

use super::{
    Bound, Node, NodeValue, ParameterKind, Placed, SpecError, Wanted,
    bound::{self, Plain},
    collective::name_of,
    decoder::{Errors, MapReader},
    shape::{Key, Shape, key, names},
    values,
};
use crate::units::{Bandwidth, Size, Span};

/// `expect` of a collective. Wrong data and missing ranks fail a case where nothing is written of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollectiveExpect {
    /// Bus bandwidth per size; a plain value is a floor.
    pub busbw: BTreeMap<Size, Bound<Bandwidth>>,
    /// Latency per size; a plain value is a ceiling.
    pub latency: BTreeMap<Size, Bound<Span>>,
    /// `wrong: unchecked` leaves the data unchecked.
    pub wrong: Option<Placed<Unchecked>>,
    /// `ranks: unchecked` leaves the set of ranks unchecked.
    pub ranks: Option<Placed<Unchecked>>,
    /// How far the bandwidth may fall as the size grows, 0.2 for `20%`.
    pub max_drop: Option<Placed<f64>>,
    /// The algorithm that the library must choose.
    pub algorithm: Option<Placed<Wanted<String>>>,
    /// The protocol that the library must choose.
    pub protocol: Option<Placed<Wanted<String>>>,
    /// The transports of the edges.
    pub transport: Option<Placed<TransportExpect>>,
    /// The number of channels.
    pub channels: Option<Placed<Wanted<u32>>>,
    /// The number of NICs that carried traffic.
    pub nics_used: Option<Placed<Wanted<u32>>>,
    /// `warnings: none`: the log holds no warning.
    pub no_warnings: Option<Placed<bool>>,
}

/// Whether something is left unchecked: `0` (the default, checked) or `unchecked`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unchecked {
    /// Checked.
    No,
    /// Left unchecked.
    Yes,
}

/// `transport`: names as in the spec language: `NVLink`, `XGMI`, `PCIe`, `P2P`, `NVLS`, `SHM`, `IB`, `IB/GDRDMA`,
/// `Socket`, `NET`, `CollNet`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransportExpect {
    /// Every edge uses one of these.
    pub require: Vec<Placed<String>>,
    /// No edge uses one of these.
    pub forbid: Vec<Placed<String>>,
}

/// The transports, as the language names them.
const TRANSPORTS: &[&str] =
    &["NVLink", "XGMI", "PCIe", "P2P", "NVLS", "SHM", "IB", "IB/GDRDMA", "Socket", "NET", "CollNet"];

/// The algorithms of NCCL and RCCL.
pub(super) const ALGORITHMS: &[&str] = &["Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"];

/// The protocols of NCCL and RCCL.
pub(super) const PROTOCOLS: &[&str] = &["LL", "LL128", "Simple"];

const WRONG: [(&str, Unchecked); 2] = [("0", Unchecked::No), ("unchecked", Unchecked::Yes)];
const RANKS: [(&str, Unchecked); 2] = [("checked", Unchecked::No), ("unchecked", Unchecked::Yes)];
const NAMES: Shape = Shape::List(&Shape::Words(TRANSPORTS));

const TRANSPORT: &[Key] =
    &[key("require", NAMES, "every edge uses one of these"), key("forbid", NAMES, "no edge uses one of these")];

/// The keys of `expect` of a collective.
pub(super) const KEYS: &[Key] = &[
    key("busbw", Shape::MapOf(&bound::BANDWIDTH), "bus bandwidth per size; a plain value is a floor"),
    key("latency", Shape::MapOf(&bound::LATENCY), "time per size; a plain value is a ceiling"),
    key("wrong", Shape::Words(&names(&WRONG)), "wrong elements: 0, or unchecked"),
    key("ranks", Shape::Words(&names(&RANKS)), "whether every rank has to be seen once; unchecked leaves it open"),
    key("max_drop", Shape::Percent, "from 8 MiB up, how far a size may stay below the best smaller one"),
    key("algorithm", Shape::Wanted(&Shape::Words(ALGORITHMS)), "the algorithm that the library chooses"),
    key("protocol", Shape::Wanted(&Shape::Words(PROTOCOLS)), "the protocol that the library chooses"),
    key("transport", Shape::NotEmpty(TRANSPORT), "what carries the traffic between ranks"),
    key("channels", Shape::Wanted(&Shape::Integer), "the number of channels"),
    key("nics_used", Shape::Wanted(&Shape::Integer), "the number of NICs that carry traffic"),
    key("warnings", Shape::Words(&["none"]), "none: the library's log holds no warning"),
];

impl CollectiveExpect {
    /// Reads what must hold. `visited` are the sizes of the test, where they are known.
    pub(super) fn decode(node: &Node, visited: Option<&[Size]>, errors: &mut Errors) -> Option<Self> {
        let reader = MapReader::open(node, "`expect` of a collective", KEYS, errors)?;
        let busbw = reader.read("busbw", errors, |node, errors| {
            per_size(node, visited, errors, |node, errors| Bound::decode(node, errors, Plain::Floor, bandwidth))
        });
        let latency = reader.read("latency", errors, |node, errors| {
            per_size(node, visited, errors, |node, errors| Bound::decode(node, errors, Plain::Ceiling, span))
        });
        let text = |known: &'static [&'static str], what: &'static str| {
            move |node: &Node, errors: &mut Errors| {
                values::one_or_several(node, errors, |node, errors| name_of(node, what, known, errors))
            }
        };
        let number = |node: &Node, errors: &mut Errors| values::wanted(node, errors, values::integer::<u32>);
        Some(Self {
            busbw: busbw.unwrap_or_default(),
            latency: latency.unwrap_or_default(),
            wrong: reader.placed("wrong", errors, |node, errors| values::word(node, "value", &WRONG, errors)),
            ranks: reader.placed("ranks", errors, |node, errors| values::word(node, "value", &RANKS, errors)),
            max_drop: reader.placed("max_drop", errors, values::percent),
            algorithm: reader.placed("algorithm", errors, text(ALGORITHMS, "algorithm")),
            protocol: reader.placed("protocol", errors, text(PROTOCOLS, "protocol")),
            transport: reader.placed("transport", errors, TransportExpect::decode),
            channels: reader.placed("channels", errors, number),
            nics_used: reader.placed("nics_used", errors, number),
            no_warnings: reader
                .placed("warnings", errors, |node, errors| values::word(node, "value", &[("none", true)], errors)),
        })
    }
}

impl TransportExpect {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let reader = MapReader::open(node, "`transport`", TRANSPORT, errors)?;
        let name = |node: &Node, errors: &mut Errors| name_of(node, "transport", TRANSPORTS, errors);
        let list = |node: &Node, errors: &mut Errors| values::placed_list(node, "transports", errors, name);
        let found = (reader.read("require", errors, list), reader.read("forbid", errors, list));
        if reader.get("require").is_none() && reader.get("forbid").is_none() {
            errors.at(node, "`transport` needs `require` or `forbid`");
        }
        Some(Self { require: found.0.unwrap_or_default(), forbid: found.1.unwrap_or_default() })
    }
}

/// A bandwidth.
pub(super) fn bandwidth(node: &Node, errors: &mut Errors) -> Option<Bandwidth> {
    values::unit(node, ParameterKind::Bandwidth, "a bandwidth such as 440 GB/s", errors)
}

/// A time.
pub(super) fn span(node: &Node, errors: &mut Errors) -> Option<Span> {
    values::unit(node, ParameterKind::Duration, "a time such as 20 us or 5m", errors)
}

/// A map from sizes that the test visits; a size whose value is `~` is not there.
fn per_size<T>(
    node: &Node,
    visited: Option<&[Size]>,
    errors: &mut Errors,
    read: impl Fn(&Node, &mut Errors) -> Option<T>,
) -> Option<BTreeMap<Size, T>> {
    let NodeValue::Map(entries) = &node.value else {
        let message = format!("expected a map from sizes to bounds, found {}", node.kind());
        errors.at_with_help(node, message, "such as { 1G: 440 GB/s }");
        return None;
    };
    let mut bounds = BTreeMap::new();
    for (text, place, value) in entries.iter().filter(|(_, _, value)| value.value != NodeValue::Null) {
        let bound = read(value, errors);
        match known_size(text, visited) {
            Err(message) => {
                let error = SpecError::new(place, text.chars().count(), message);
                errors.0.push(match visited {
                    Some(visited) => error.with_help(shown(visited)),
                    None => error,
                });
            }
            Ok(size) if bounds.contains_key(&size) => {
                errors.0.push(SpecError::new(place, text.chars().count(), format!("the size {size} has two bounds")));
            }
            Ok(size) => {
                bound.map(|bound| bounds.insert(size, bound));
            }
        }
    }
    Some(bounds)
}

fn known_size(text: &str, visited: Option<&[Size]>) -> Result<Size, String> {
    let size: Size = text.parse().map_err(|_| format!("expected a size such as 64K or 8M, found `{text}`"))?;
    match visited {
        Some(visited) if !visited.contains(&size) => Err(format!("the test does not visit the size {size}")),
        _ => Ok(size),
    }
}

/// The sizes of a test in a few words.
fn shown(visited: &[Size]) -> String {
    match visited {
        [first, .., last] if visited.len() > 8 => format!("its {} sizes go from {first} to {last}", visited.len()),
        _ => {
            let visited: Vec<String> = visited.iter().map(ToString::to_string).collect();
            format!("its sizes are {}", visited.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{
        BoundValue,
        testing::{bad, flow, good},
    };

    fn decode(node: &Node, errors: &mut Errors) -> Option<CollectiveExpect> {
        CollectiveExpect::decode(node, Some(&[Size(1 << 20), Size(1 << 30)]), errors)
    }

    #[test]
    fn a_bound_is_a_floor_of_bandwidth_and_a_ceiling_of_latency() {
        let expect = good(decode, &flow("{ busbw: { 1M: 40 GB/s, 1G: ~ }, latency: { 1024K: 20 us } }"));
        let [(size, bound)] = &expect.busbw.into_iter().collect::<Vec<_>>()[..] else { panic!("one bound") };
        assert_eq!(*size, Size(1 << 20));
        assert_eq!(bound.value, BoundValue::Limits { min: Some(Bandwidth(40.0)), max: None });
        let BoundValue::Limits { min: None, max: Some(span) } = &expect.latency[&Size(1 << 20)].value else {
            panic!("a ceiling")
        };
        assert!((span.microseconds() - 20.0).abs() < 1e-9);
    }

    #[test]
    fn every_key_is_read() {
        let expect = good(
            decode,
            &flow(
                "{ wrong: 0, ranks: unchecked, max_drop: 20%, algorithm: [Ring, Tree], protocol: LL128, \
                 transport: { require: [NVLink], forbid: [SHM, NET] }, channels: { min: 8 }, nics_used: 8, \
                 warnings: none }",
            ),
        );
        assert_eq!(expect.wrong.unwrap().value, Unchecked::No);
        assert_eq!(expect.ranks.unwrap().value, Unchecked::Yes);
        assert_eq!(expect.max_drop.unwrap().value, 0.2);
        assert_eq!(expect.algorithm.unwrap().value, Wanted::OneOf(vec!["Ring".into(), "Tree".into()]));
        let transport = expect.transport.unwrap();
        assert_eq!((transport.require.len(), transport.forbid.len()), (1, 2));
        assert_eq!(expect.channels.unwrap().value, Wanted::Range { min: Some(8), max: None });
        assert!(expect.no_warnings.unwrap().value);
    }

    #[test]
    fn wrong_expectations_are_one_error_each() {
        for (text, message) in [
            ("{ busbw: { 2G: 1 GB/s } }", "the test does not visit the size 2G | its sizes are 1M, 1G"),
            ("{ busbw: { big: 1 GB/s } }", "expected a size such as 64K or 8M, found `big` | its sizes are 1M, 1G"),
            ("{ busbw: { 1M: 1 GB/s, 1024K: 2 GB/s } }", "the size 1M has two bounds"),
            (
                "{ busbw: 1 GB/s }",
                "expected a map from sizes to bounds, found a plain value | such as { 1G: 440 GB/s }",
            ),
            ("{ busbw: { 1M: 40 } }", "expected a bandwidth such as 440 GB/s, found `40`"),
            ("{ wrong: 1 }", "unknown value `1`, expected `0` or `unchecked`"),
            ("{ warnings: 0 }", "unknown value `0`, expected `none`"),
            ("{ transport: {} }", "`transport` needs `require` or `forbid`"),
        ] {
            assert_eq!(bad(decode, &flow(text)), message, "{text}");
        }
    }
}
