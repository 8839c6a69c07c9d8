use serde::{Deserialize, Serialize};

use super::{Datatype, Reduction};

/// One test as the ranks run it: an operation over sizes. Its largest size decides the buffers and the rotation, so that
/// figures of different sweeps do not compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// The operation, by its name in nccl-tests.
    pub operation: String,
    /// The type of the elements.
    pub datatype: Datatype,
    /// The reduction; of no meaning to operations that do not reduce.
    pub reduction: Reduction,
    /// The root rank of operations that have one.
    pub root: u32,
    /// The sizes in bytes, ascending.
    pub sizes: Vec<u64>,
    /// Timed iterations per size.
    pub iterations: u32,
    /// Iterations before, over doubling sizes.
    pub warmup: u32,
    /// Whether it is measured out of place.
    pub out_of_place: bool,
    /// Whether it is measured in place.
    pub in_place: bool,
    /// Whether the data is checked.
    pub checked: bool,
    /// Data up to this size is checked whole, above in windows, in bytes.
    pub whole_check: u64,
    /// What is done otherwise than the reference does, to see what it is worth.
    pub ablations: Vec<Ablation>,
}

/// What decides a figure, taken out one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ablation {
    /// Every iteration uses the start of the buffers.
    Rotation,
    /// Memory is the driver's, not the collective library's.
    LibraryMemory,
    /// Ranks meet through the supervisor's pipes, not through shared memory.
    SharedBarrier,
    /// The library logs what it does for every call.
    QuietLog,
    /// The communicator is made without NVLink-centric scheduling.
    CentricScheduling,
    /// The communicator does not block.
    BlockingCommunicator,
    /// The buffers hold zeros.
    Data,
}

impl Ablation {
    /// Every one with its name.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("rotation", Self::Rotation),
        ("library-memory", Self::LibraryMemory),
        ("shared-barrier", Self::SharedBarrier),
        ("quiet-log", Self::QuietLog),
        ("centric-scheduling", Self::CentricScheduling),
        ("blocking-communicator", Self::BlockingCommunicator),
        ("data", Self::Data),
    ];
}

impl Sweep {
    /// The largest size, which decides the size of the buffers.
    pub fn largest(&self) -> u64 {
        self.sizes.last().copied().unwrap_or(0)
    }

    /// Whether something is taken out.
    pub fn without(&self, ablation: Ablation) -> bool {
        self.ablations.contains(&ablation)
    }
}

#[cfg(test)]
impl Sweep {
    /// An all_reduce of floats over some sizes, as a test has it: both places, checked whole up to 1 GiB.
    pub(crate) fn over(sizes: &[u64]) -> Self {
        Self {
            operation: "all_reduce".into(),
            datatype: Datatype::Float,
            reduction: Reduction::Sum,
            root: 0,
            sizes: sizes.to_vec(),
            iterations: 20,
            warmup: 5,
            out_of_place: true,
            in_place: true,
            checked: true,
            whole_check: 1 << 30,
            ablations: Vec::new(),
        }
    }
}
