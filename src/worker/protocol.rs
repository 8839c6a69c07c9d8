use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    collective::{Datatype, Reduction, Sweep, data::PERIOD},
    evidence::{LoadedLibrary, RankSample, Trouble},
    facts::Vendor,
    units::IndexList,
};

/// The first line that a rank is told: who it is. All ranks of a session are told alike but for what is their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankStart {
    /// The rank.
    pub rank: u32,
    /// How many there are.
    pub ranks: u32,
    /// Whose GPUs.
    pub vendor: Vendor,
    /// Its GPU's PCI address as `DDDD:BB:DD.F`.
    pub pci: String,
    /// Its GPU by the driver tool's index, for words.
    pub gpu: u32,
    /// The CPUs that it may use; `None` leaves them as they are.
    pub cpus: Option<IndexList>,
    /// The NUMA nodes that its memory is taken from; `None` leaves that as it is.
    pub nodes: Option<IndexList>,
    /// The descriptor of the board, open in the rank.
    pub board: i32,
    /// Libraries that were named.
    pub libraries: Libraries,
    /// Whether the communicator is made with NVLink-centric scheduling, as nccl-tests makes it.
    pub centric_scheduling: bool,
    /// Whether the communicator blocks, as nccl-tests' does.
    pub blocking: bool,
    /// What the first test reduces, and how: its data is made ahead.
    pub likely: Option<Likely>,
}

/// What decides the data of a test, beside the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Likely {
    /// The type of the elements.
    pub datatype: Datatype,
    /// The reduction.
    pub reduction: Reduction,
    /// The most elements that are needed.
    pub elements: u64,
}

impl Likely {
    /// Of a test.
    pub fn of(sweep: &Sweep) -> Self {
        let Sweep { datatype, reduction, .. } = *sweep;
        Self { datatype, reduction, elements: sweep.largest().div_ceil(datatype.bytes()).min(PERIOD) }
    }

    /// Whether data that is made for this serves for another.
    pub fn serves(&self, other: &Self) -> bool {
        (self.datatype, self.reduction) == (other.datatype, other.reduction) && self.elements >= other.elements
    }
}

/// Where the libraries are, where that is not left to the loader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Libraries {
    /// The GPU driver's library (`libcuda.so.1`, `libamdhip64.so`).
    pub driver: Option<PathBuf>,
    /// The collective library (`libnccl.so.2`, `librccl.so.1`).
    pub collective: Option<PathBuf>,
}

/// What the supervisor tells a rank, one line of JSON each, on its standard input. An input that ends is [`Order::Abort`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Who it is.
    Start(Box<RankStart>),
    /// The identity of the communicator, in hexadecimal, from rank 0.
    Join(String),
    /// A test.
    Measure(Box<Sweep>),
    /// The ranks have met: what a rank that reported [`Report::AtBarrier`] waits for.
    Go,
    /// All is done: the process ends, once every rank has heard this.
    End,
    /// Nothing more is wanted: the communicator is aborted and the process ends.
    Abort,
}

/// What a rank tells the supervisor, one line of JSON each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Report {
    /// The GPU is open and the libraries are loaded.
    Ready {
        /// The driver's library, then the collective library.
        libraries: Vec<LoadedLibrary>,
        /// The GPU's product name.
        name: String,
        /// The GPU by the runtime's own index.
        device: u32,
        /// The CPUs that the kernel lets it use now.
        cpus: IndexList,
        /// The nodes that the kernel takes its memory from now; `None` where it is bound to none.
        nodes: Option<IndexList>,
    },
    /// Rank 0's identity of the communicator, in hexadecimal.
    Identity(String),
    /// The communicator is made.
    Joined,
    /// The rank waits for the others, where the ablation asks for it.
    AtBarrier,
    /// One size and place.
    Sample(RankSample),
    /// The test is done.
    Measured,
    /// The rank cannot go on.
    Trouble(Trouble),
    /// The process ends now.
    Ended,
}

/// What a rank is at, on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The process was started.
    #[default]
    Spawned,
    /// The GPU is being opened.
    Context,
    /// The libraries and the context are there; it waits.
    Ready,
    /// The communicator is being made.
    Init,
    /// It waits for a test.
    Idle,
    /// Buffers are made and filled.
    Prepare,
    /// Warm-up.
    Warmup,
    /// The untimed operation and the barrier before the timed ones.
    Untimed,
    /// The timed loop.
    Timed,
    /// Data is checked.
    Verify,
    /// Its process ends.
    End,
}

impl Phase {
    /// Every phase with its words, in order.
    pub const NAMES: [(&'static str, Self); 11] = [
        ("starting", Self::Spawned),
        ("opening its GPU", Self::Context),
        ("ready", Self::Ready),
        ("making the communicator", Self::Init),
        ("waiting for a test", Self::Idle),
        ("filling its buffers", Self::Prepare),
        ("warming up", Self::Warmup),
        ("in the untimed operation", Self::Untimed),
        ("in the timed loop", Self::Timed),
        ("checking data", Self::Verify),
        ("ending", Self::End),
    ];

    /// Its number on the board.
    pub fn number(self) -> u32 {
        Self::NAMES.iter().zip(0..).find(|((_, phase), _)| *phase == self).map_or(0, |(_, number)| number)
    }

    /// The phase of a number; what no phase has is the first.
    pub fn of_number(number: u32) -> Self {
        usize::try_from(number).ok().and_then(|at| Self::NAMES.get(at)).map_or(Self::Spawned, |(_, phase)| *phase)
    }

    /// Its words.
    pub fn words(self) -> &'static str {
        Self::NAMES.iter().find(|(_, phase)| *phase == self).map_or("", |(words, _)| words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_read_back_from_its_number() {
        for (_, phase) in Phase::NAMES {
            assert_eq!(Phase::of_number(phase.number()), phase);
        }
        assert_eq!(Phase::of_number(99), Phase::Spawned);
    }

    #[test]
    fn lines_read_back() {
        let trouble = Report::Identity("00ff".into());
        let line = serde_json::to_string(&trouble).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Report>(&line).unwrap(), trouble);
        assert_eq!(serde_json::to_string(&Order::End).unwrap(), "\"end\"");
    }
}
