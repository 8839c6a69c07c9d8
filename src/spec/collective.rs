use super::{
    CollectiveExpect, Node, Placed, Sizes, collective_expect,
    decoder::{Errors, MapReader},
    shape::{Key, Shape, key, names, required},
    sizes, values,
};

/// `collective`: an operation of NCCL or RCCL over a range of sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    /// The operation.
    pub operation: Placed<Operation>,
    /// The data type as nccl-tests names it; `float` where it is not written.
    pub datatype: Option<Placed<String>>,
    /// The reduction; `sum` where it is not written.
    pub redop: Option<Placed<String>>,
    /// The root rank; 0 where it is not written.
    pub root: Option<Placed<u32>>,
    /// The sizes.
    pub sizes: Placed<Sizes>,
    /// Timed iterations.
    pub iterations: Option<Placed<u32>>,
    /// Iterations before the timed ones.
    pub warmup: Option<Placed<u32>>,
    /// In place, out of place, or both, which is what holds where it is not written.
    pub in_place: Option<Placed<InPlace>>,
    /// Who measures; linkspec where it is not written.
    pub engine: Option<Placed<Engine>>,
    /// What must hold.
    pub expect: CollectiveExpect,
}

/// The operations of NCCL, by their names in nccl-tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// `all_reduce`.
    AllReduce,
    /// `all_gather`.
    AllGather,
    /// `reduce_scatter`.
    ReduceScatter,
    /// `broadcast`.
    Broadcast,
    /// `reduce`.
    Reduce,
    /// `alltoall`.
    AllToAll,
    /// `gather`.
    Gather,
    /// `scatter`.
    Scatter,
    /// `sendrecv`.
    SendRecv,
}

impl Operation {
    /// Every operation with its name.
    pub const NAMES: [(&'static str, Self); 9] = [
        ("all_reduce", Self::AllReduce),
        ("all_gather", Self::AllGather),
        ("reduce_scatter", Self::ReduceScatter),
        ("broadcast", Self::Broadcast),
        ("reduce", Self::Reduce),
        ("alltoall", Self::AllToAll),
        ("gather", Self::Gather),
        ("scatter", Self::Scatter),
        ("sendrecv", Self::SendRecv),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, operation)| *operation == self).map_or("", |(name, _)| name)
    }

    /// The operation of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, operation)| *operation)
    }

    /// Whether it reduces the elements of all ranks.
    pub const fn reduces(self) -> bool {
        matches!(self, Self::AllReduce | Self::ReduceScatter | Self::Reduce)
    }

    /// Whether one of its ranks is the root.
    pub const fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Reduce | Self::Gather | Self::Scatter)
    }
}

/// Which placements of the buffers are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InPlace {
    /// Both.
    Both,
    /// In place only.
    Only,
    /// Out of place only.
    Never,
}

impl InPlace {
    /// Every choice with its name.
    pub(super) const NAMES: [(&'static str, Self); 3] =
        [("both", Self::Both), ("only", Self::Only), ("never", Self::Never)];
}

/// Who measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// linkspec itself.
    Linkspec,
    /// The external binary.
    NcclTests,
}

impl Engine {
    /// Every engine with its name.
    pub(super) const NAMES: [(&'static str, Self); 2] = [("linkspec", Self::Linkspec), ("nccl-tests", Self::NcclTests)];
}

/// The data types, as nccl-tests and rccl-tests name them.
pub(super) const DATATYPES: &[&str] = &[
    "int8", "uint8", "int32", "uint32", "int64", "uint64", "half", "float", "double", "bfloat16", "fp8_e4m3",
    "fp8_e5m2",
];

const REDOPS: &[&str] = &["sum", "prod", "min", "max", "avg"];

/// The keys of a collective.
pub(super) const KEYS: &[Key] = &[
    required("op", Shape::Words(&names(&Operation::NAMES)), "the operation, such as all_reduce"),
    key("datatype", Shape::Words(DATATYPES), "the type of the elements; float"),
    key("redop", Shape::Words(REDOPS), "the reduction; sum"),
    key("root", Shape::Integer, "the root rank; 0"),
    required("sizes", sizes::SHAPE, "a list of sizes, or { from, to, factor } or { from, to, step }"),
    key("iterations", Shape::AtLeast(1), "timed iterations per size, 1 at least"),
    key("warmup", Shape::Integer, "iterations before the timed ones"),
    key("in_place", Shape::Words(&names(&InPlace::NAMES)), "whether in place, out of place or both are measured; both"),
    key("engine", Shape::Words(&names(&Engine::NAMES)), "who measures; linkspec"),
    key("expect", Shape::Map(collective_expect::KEYS), "what must hold; wrong data and missing ranks always fail"),
];

/// The operation by its name.
pub(super) fn operation(node: &Node, errors: &mut Errors) -> Option<Operation> {
    values::word(node, "operation", &Operation::NAMES, errors)
}

/// A data type by its name.
pub(super) fn datatype(node: &Node, errors: &mut Errors) -> Option<String> {
    name_of(node, "data type", DATATYPES, errors)
}

/// One of some names, kept as text.
pub(super) fn name_of(node: &Node, what: &str, known: &[&'static str], errors: &mut Errors) -> Option<String> {
    let pairs: Vec<(&str, &str)> = known.iter().map(|name| (*name, *name)).collect();
    values::word(node, what, &pairs, errors).map(str::to_owned)
}

impl Collective {
    /// Reads a collective.
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = MapReader::open(node, "a collective", KEYS, errors)?;
        let operation = reader.placed("op", errors, operation);
        let datatype = reader.placed("datatype", errors, datatype);
        let redop = reader.placed("redop", errors, |node, errors| name_of(node, "reduction", REDOPS, errors));
        let root = reader.placed("root", errors, values::integer);
        let sizes = reader.placed("sizes", errors, Sizes::decode);
        let iterations = reader.placed("iterations", errors, iterations);
        let warmup = reader.placed("warmup", errors, values::integer);
        let in_place =
            reader.placed("in_place", errors, |node, errors| values::word(node, "value", &InPlace::NAMES, errors));
        let engine =
            reader.placed("engine", errors, |node, errors| values::word(node, "engine", &Engine::NAMES, errors));
        let visited = sizes.as_ref().map(|sizes| sizes.all());
        let expect = reader
            .read("expect", errors, |node, errors| CollectiveExpect::decode(node, visited.as_deref(), errors))
            .unwrap_or_default();
        let (operation, sizes) = (operation?, sizes?);
        (errors.0.len() == before).then_some(Self {
            operation,
            datatype,
            redop,
            root,
            sizes,
            iterations,
            warmup,
            in_place,
            engine,
            expect,
        })
    }
}

fn iterations(node: &Node, errors: &mut Errors) -> Option<u32> {
    let iterations = values::integer(node, errors)?;
    if iterations == 0 {
        errors.at(node, "a collective needs 1 timed iteration at least");
        return None;
    }
    Some(iterations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        collective::{Datatype, Reduction},
        spec::testing::{bad, flow, good},
    };

    #[test]
    fn what_is_not_written_stays_unsaid() {
        let collective = good(Collective::decode, &flow("{ op: all_reduce, sizes: [1M] }"));
        assert_eq!(collective.operation.value, Operation::AllReduce);
        assert_eq!(collective.expect, CollectiveExpect::default());
        assert!(collective.datatype.is_none() && collective.in_place.is_none());
    }

    #[test]
    fn every_key_is_read() {
        let collective = good(
            Collective::decode,
            &flow(
                "{ op: reduce, datatype: bfloat16, redop: avg, root: 1, sizes: { from: 8, to: 1K, factor: 2 }, \
                 iterations: 20, warmup: 0, in_place: only, engine: nccl-tests, expect: { wrong: unchecked } }",
            ),
        );
        assert_eq!(collective.datatype.unwrap().value, "bfloat16");
        assert_eq!(collective.redop.unwrap().value, "avg");
        assert_eq!((collective.iterations.unwrap().value, collective.warmup.unwrap().value), (20, 0));
        assert_eq!(collective.in_place.unwrap().value, InPlace::Only);
        assert_eq!(collective.engine.unwrap().value, Engine::NcclTests);
        assert_eq!(collective.root.unwrap().value, 1);
    }

    #[test]
    fn data_types_and_reductions_are_those_that_are_measured() {
        let sorted = |mut names: Vec<&'static str>| {
            names.sort_unstable();
            names
        };
        let measured = Datatype::NAMES.iter().map(|(name, _)| *name).collect();
        assert_eq!(sorted(DATATYPES.to_vec()), sorted(measured));
        let measured = Reduction::NAMES.iter().map(|(name, _)| *name).collect();
        assert_eq!(sorted(REDOPS.to_vec()), sorted(measured));
    }

    #[test]
    fn wrong_words_are_one_error_each() {
        for (key, start, end) in [
            ("datatype: floot", "unknown data type `floot`, expected one of `int8`", "did you mean `float`?"),
            ("redop: avgs", "unknown reduction `avgs`, expected one of `sum`", "did you mean `avg`?"),
            ("in_place: yes", "unknown value `yes`, expected one of `both`", "`never`"),
            ("engine: nccl-test", "unknown engine `nccl-test`, expected", "did you mean `nccl-tests`?"),
            ("iterations: 0", "a collective needs 1 timed iteration", "at least"),
            ("expected: {}", "unknown key `expected` in a collective", "did you mean `expect`?"),
        ] {
            let error = bad(Collective::decode, &flow(&format!("{{ op: all_reduce, sizes: [1M], {key} }}")));
            assert!(error.starts_with(start) && error.ends_with(end), "{error}");
        }
    }
}
