use std::fmt;

use super::{
    Globs, Node, NodeValue, Placed, Wanted,
    decoder::{Errors, MapReader},
    link_class, pairs,
    rule::Rule,
    shape::{Key, Shape, key, required},
    values,
};
use crate::facts::LinkClass;

/// `topology`: how GPUs are joined to each other or to NICs.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// What is joined: `[gpu, gpu]` or `[gpu, nic]`.
    pub between: Placed<Between>,
    /// Only these pairs; all without it. The second of a pair is a GPU, or the number of a NIC's column.
    pub pairs: Option<Placed<Vec<(u32, u32)>>>,
    /// The NICs, by device name where the matrix gives it, else by `NIC<n>`; all without it.
    pub nics: Option<Placed<Globs>>,
    /// Every pair is one of these.
    pub require: Option<Placed<Vec<LinkWanted>>>,
    /// No pair is one of these.
    pub forbid: Option<Placed<Vec<LinkWanted>>>,
    /// No pair is farther than this.
    pub at_most: Option<Placed<LinkClass>>,
    /// Every GPU has near NICs.
    pub each_gpu_has: Option<Placed<EachGpuHas>>,
}

/// The two kinds of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// GPUs with GPUs.
    GpuGpu,
    /// GPUs with NICs.
    GpuNic,
}

/// A link class as a spec names it: a class of the matrix, or `NVLink` for any width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkWanted {
    /// `NVLink`: any number of links.
    AnyNvLink,
    /// Exactly this class.
    Class(LinkClass),
}

impl fmt::Display for LinkWanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AnyNvLink => f.pad("NVLink"),
            Self::Class(class) => class.fmt(f),
        }
    }
}

/// `each_gpu_has`: how many NICs every GPU has near.
#[derive(Clone, Debug, PartialEq)]
pub struct EachGpuHas {
    /// Near means this class or nearer.
    pub at_most: LinkClass,
    /// How many; a plain number is the least, so it is never [`Wanted::Exact`].
    pub count: Wanted<u32>,
}

const CLASSES: Shape = Shape::Any(&[link_class::WANTED, Shape::List(&link_class::WANTED)]);

/// The keys of `topology`.
pub(super) const KEYS: &[Key] = &[
    required("between", Shape::List(&Shape::Words(&["gpu", "nic"])), "what is joined: [gpu, gpu] or [gpu, nic]"),
    key("pairs", pairs::PAIRS, "only these pairs; all without it"),
    key(
        "nics",
        Shape::Any(&[Shape::Text, Shape::List(&Shape::Text)]),
        "the NICs by device name, a glob or a list; all",
    ),
    key("require", CLASSES, "every pair is this class, or one of these"),
    key("forbid", CLASSES, "no pair is this class, or one of these"),
    key("at_most", link_class::FARTHEST, "no pair is farther than this"),
    key("each_gpu_has", Shape::Map(EACH_GPU_HAS), "every GPU has NICs that are near"),
];

/// What can be required of the pairs stands beside these keys, which choose them.
const SELECTION: &[&str] = &["between", "pairs", "nics"];

/// The keys that need NICs.
const NIC_KEYS: &[&str] = &["nics", "each_gpu_has"];

/// What `topology` can be.
pub(super) const SHAPE: Shape = Shape::Ruled(
    KEYS,
    &[Rule::MoreThan(SELECTION), Rule::NotWhereAll { keys: NIC_KEYS, list: "between", word: "gpu" }],
);

const EACH_GPU_HAS: &[Key] = &[
    required("at_most", link_class::FARTHEST_NIC, "near means this far or nearer"),
    required(
        "count",
        Shape::Any(&[Shape::Integer, Shape::NotEmpty(COUNT)]),
        "how many NICs; a plain number is the least",
    ),
];

const COUNT: &[Key] =
    &[key("min", Shape::Integer, "the least, included"), key("max", Shape::Integer, "the most, included")];

impl Topology {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = MapReader::open(node, "`topology`", KEYS, errors)?;
        let between = reader.placed("between", errors, Between::decode);
        let gpus_only = between.as_ref().is_some_and(|between| between.value == Between::GpuGpu);
        let read_pairs = if gpus_only { pairs::of_gpus } else { pairs::of_gpus_and_nics };
        let pairs = reader.read("pairs", errors, read_pairs);
        let nics = reader.placed("nics", errors, values::globs);
        let require = reader.placed("require", errors, classes);
        let forbid = reader.placed("forbid", errors, classes);
        let at_most = reader.placed("at_most", errors, link_class::farthest);
        let each_gpu_has = reader.placed("each_gpu_has", errors, EachGpuHas::decode);
        if gpus_only {
            refuse_nic_keys(&reader, errors);
        }
        if errors.0.len() == before && !reader.says_more_than(SELECTION) {
            errors.at(node, "`topology` needs `require`, `forbid`, `at_most` or `each_gpu_has`");
        }
        let between = between?;
        (errors.0.len() == before).then_some(Self { between, pairs, nics, require, forbid, at_most, each_gpu_has })
    }
}

fn refuse_nic_keys(reader: &MapReader<'_>, errors: &mut Errors) {
    for name in NIC_KEYS {
        if let Some(node) = reader.get(name) {
            errors.at_with_help(node, format!("`{name}` needs NICs"), "between: [gpu, nic]");
        }
    }
}

/// A class or a list of them.
fn classes(node: &Node, errors: &mut Errors) -> Option<Vec<LinkWanted>> {
    match &node.value {
        NodeValue::List(_) => values::list(node, "link classes", errors, link_class::wanted),
        NodeValue::Null | NodeValue::Scalar { .. } | NodeValue::Map(_) => {
            link_class::wanted(node, errors).map(|class| vec![class])
        }
    }
}

impl Between {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        const EXPECTED: &str = "[gpu, gpu] or [gpu, nic]";
        let items = node.list(EXPECTED, errors)?;
        let end = |node: &Node, errors: &mut Errors| {
            values::word(node, "kind of device", &[("gpu", true), ("nic", false)], errors)
        };
        let ends: Vec<Option<bool>> = items.iter().map(|item| end(item, errors)).collect();
        match ends.into_iter().collect::<Option<Vec<bool>>>()?.as_slice() {
            [true, true] => Some(Self::GpuGpu),
            [true, false] => Some(Self::GpuNic),
            _ => {
                errors.at(node, format!("expected {EXPECTED}"));
                None
            }
        }
    }
}

impl EachGpuHas {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let reader = MapReader::open(node, "`each_gpu_has`", EACH_GPU_HAS, errors)?;
        let at_most = reader.read("at_most", errors, link_class::farthest_nic);
        let count = reader.read("count", errors, count);
        Some(Self { at_most: at_most?, count: count? })
    }
}

/// `{min, max}`, or a number that is the least. At least none would ask nothing.
fn count(node: &Node, errors: &mut Errors) -> Option<Wanted<u32>> {
    let (min, max) = match &node.value {
        NodeValue::Map(_) => values::range(node, errors, values::integer)?,
        NodeValue::Null | NodeValue::Scalar { .. } | NodeValue::List(_) => (values::integer(node, errors), None),
    };
    if min.is_none() && max.is_none() {
        return None;
    }
    if min == Some(0) && max.is_none() {
        errors.at_with_help(node, "at least 0 NICs holds always", "`count: { max: 0 }` asks for none");
        return None;
    }
    Some(Wanted::Range { min, max })
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good},
        *,
    };

    fn gpus(rest: &str) -> Topology {
        good(Topology::decode, &flow(&format!("{{ between: [gpu, gpu], {rest} }}")))
    }

    fn nics(rest: &str) -> Topology {
        good(Topology::decode, &flow(&format!("{{ between: [gpu, nic], {rest} }}")))
    }

    #[test]
    fn classes_are_one_or_a_list() {
        let topology = gpus("require: NV18, forbid: [SYS, NVLink], at_most: PXB, pairs: [[0, 1]]");
        assert_eq!(topology.between.value, Between::GpuGpu);
        assert_eq!(topology.require.unwrap().value, [LinkWanted::Class(LinkClass::NvLink(18))]);
        assert_eq!(topology.forbid.unwrap().value, [LinkWanted::Class(LinkClass::Sys), LinkWanted::AnyNvLink]);
        assert_eq!(topology.at_most.unwrap().value, LinkClass::Pxb);
        assert_eq!(topology.pairs.unwrap().value, [(0, 1)]);
    }

    #[test]
    fn nics_are_chosen_and_counted() {
        let topology = nics("nics: mlx5_*, each_gpu_has: { at_most: PXB, count: 1 }, pairs: [[0, 0]]");
        assert_eq!(topology.between.value, Between::GpuNic);
        assert!(topology.nics.unwrap().matches("mlx5_3"));
        let each = topology.each_gpu_has.unwrap().value;
        assert_eq!(each, EachGpuHas { at_most: LinkClass::Pxb, count: Wanted::Range { min: Some(1), max: None } });
        assert_eq!(topology.pairs.unwrap().value, [(0, 0)]);
    }

    #[test]
    fn a_count_may_have_both_sides() {
        for (text, min, max) in [("{ min: 1, max: 2 }", Some(1), Some(2)), ("{ max: 0 }", None, Some(0))] {
            assert_eq!(good(count, &flow(text)), Wanted::Range { min, max }, "{text}");
        }
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            ("{ require: NV18 }", "`topology` lacks the key `between` | what is joined: [gpu, gpu] or [gpu, nic]"),
            ("{ between: [nic, gpu], require: PIX }", "expected [gpu, gpu] or [gpu, nic]"),
            ("{ between: gpu, require: PIX }", "expected [gpu, gpu] or [gpu, nic], found a plain value"),
            (
                "{ between: [gpu, nik], require: PIX }",
                "unknown kind of device `nik`, expected `gpu` or `nic` | did you mean `nic`?",
            ),
            ("{ between: [gpu, gpu] }", "`topology` needs `require`, `forbid`, `at_most` or `each_gpu_has`"),
            ("{ between: [gpu, nic], nics: x }", "`topology` needs `require`, `forbid`, `at_most` or `each_gpu_has`"),
            (
                "{ between: [gpu, gpu], requires: NV18 }",
                "unknown key `requires` in `topology` | did you mean `require`?",
            ),
            ("{ between: [gpu, gpu], require: PIX, nics: x }", "`nics` needs NICs | between: [gpu, nic]"),
            (
                "{ between: [gpu, gpu], each_gpu_has: { at_most: PIX, count: 1 } }",
                "`each_gpu_has` needs NICs | between: [gpu, nic]",
            ),
            (
                "{ between: [gpu, nic], each_gpu_has: { at_most: PIX } }",
                "`each_gpu_has` lacks the key `count` | how many NICs; a plain number is the least",
            ),
            (
                "{ between: [gpu, nic], each_gpu_has: { at_most: PIX, count: 0 } }",
                "at least 0 NICs holds always | `count: { max: 0 }` asks for none",
            ),
            ("{ between: [gpu, gpu], require: [] }", "expected a list of link classes, found an empty one"),
            (
                "{ between: [gpu, gpu], at_most: PCIe }",
                "`PCIe` is no distance | the distances over PCIe are PIX, PXB, PHB, NODE, SYS",
            ),
            ("{ between: [gpu, gpu], require: PIX, pairs: [[1, 1]] }", "GPU 1 is paired with itself"),
        ] {
            assert_eq!(bad(Topology::decode, &flow(text)), message, "{text}");
        }
    }
}
