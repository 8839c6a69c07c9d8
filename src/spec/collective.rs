use std::collections::BTreeMap;

use super::{Bound, Placed, Wanted};
use crate::units::{Bandwidth, Size, Span};

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
}

/// The sizes of a test: a list, or a range with a factor or a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// These.
    List(Vec<Size>),
    /// From one to another.
    Range {
        /// The first.
        from: Size,
        /// The last that may be reached.
        to: Size,
        /// How to get from one to the next.
        step: SizeStep,
    },
}

/// How a range of sizes grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeStep {
    /// By a factor, 2 at least.
    Factor(u64),
    /// By a number of bytes, 1 at least.
    Step(Size),
}

impl Sizes {
    /// The sizes, from the first to the last.
    pub fn all(&self) -> Vec<Size> {
        match self {
            Self::List(sizes) => sizes.clone(),
            Self::Range { from, to, step } => {
                let next = |size: &Size| {
                    let next = match step {
                        SizeStep::Factor(factor) => size.0.checked_mul(*factor),
                        SizeStep::Step(step) => size.0.checked_add(step.0),
                    };
                    next.map(Size).filter(|next| next > size)
                };
                std::iter::successors(Some(*from), next).take_while(|size| size <= to).collect()
            }
        }
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

/// Who measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// linkspec itself.
    Linkspec,
    /// The external binary.
    NcclTests,
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ends_where_it_says() {
        let sizes = Sizes::Range { from: Size(8), to: Size(64), step: SizeStep::Factor(2) };
        assert_eq!(sizes.all(), [8, 16, 32, 64].map(Size));
        let sizes = Sizes::Range { from: Size(8), to: Size(20), step: SizeStep::Step(Size(5)) };
        assert_eq!(sizes.all(), [8, 13, 18].map(Size));
    }

    #[test]
    fn a_range_that_cannot_grow_ends() {
        let sizes = Sizes::Range { from: Size(0), to: Size(64), step: SizeStep::Factor(2) };
        assert_eq!(sizes.all(), [Size(0)]);
        let sizes = Sizes::Range { from: Size(1), to: Size(u64::MAX), step: SizeStep::Factor(2) };
        assert_eq!(sizes.all().len(), 64);
    }
}
