use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::IndexList;

/// What linkspec's own engine says of a measurement beside its figures: with which libraries, on which CPUs, and what
/// went wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineRun {
    /// The GPU driver's library and the collective library, as every rank loaded them.
    pub libraries: Vec<LoadedLibrary>,
    /// Where each rank was placed, by rank.
    pub placements: Vec<RankPlacement>,
    /// What each rank measured, in the order of the measurement.
    pub samples: Vec<RankSample>,
    /// Every measurement where there was more than one; `samples` are then those of the medians.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<Vec<RankSample>>,
    /// What is worth a look: what is not known of other users of the GPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What kept the measurement from its end; `None` where it came to it.
    pub trouble: Option<Trouble>,
    /// Whether the same came to its end without P2P, where it hung in its first collective and was tried again so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_without_p2p: Option<bool>,
    /// Whether a library was a stand-in: nothing was measured then.
    pub fake: bool,
}

impl EngineRun {
    /// Whether a library was a stand-in, so that nothing was measured.
    pub fn is_stand_in(&self) -> bool {
        self.fake || self.libraries.iter().any(|library| library.fake)
    }

    /// The GPU of a rank: `GPU3`.
    pub fn gpu_of(&self, rank: u32) -> Option<String> {
        let placement = self.placements.iter().find(|placement| placement.rank == rank)?;
        Some(format!("GPU{}", placement.gpu))
    }

    /// The rank with its GPU, for words: `rank 3 (GPU3)`.
    pub fn named(&self, rank: u32) -> String {
        self.gpu_of(rank).map_or_else(|| format!("rank {rank}"), |gpu| format!("rank {rank} ({gpu})"))
    }
}

/// A library as a rank loaded it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoadedLibrary {
    /// `CUDA driver`, `HIP`, `NCCL` or `RCCL`.
    pub name: String,
    /// The file, with links resolved.
    pub path: String,
    /// Its version, such as `2.28.3`.
    pub version: String,
    /// Whether it is a stand-in.
    pub fake: bool,
}

/// Where a rank was to be placed, and where the kernel says that it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankPlacement {
    /// The rank.
    pub rank: u32,
    /// Its GPU by the driver tool's index.
    pub gpu: u32,
    /// Its GPU's PCI address as `DDDD:BB:DD.F`.
    pub pci: String,
    /// Its GPU's product name, once the rank has opened it.
    pub name: Option<String>,
    /// Its process.
    pub pid: u32,
    /// The CPUs that were asked for; `None` where any will do.
    pub asked_cpus: Option<IndexList>,
    /// The NUMA nodes whose memory was asked for; `None` where any will do.
    pub asked_nodes: Option<IndexList>,
    /// The CPUs that the kernel lets it use, read back after its first GPU calls.
    pub cpus: Option<IndexList>,
    /// The nodes that the kernel takes its memory from, read back after its first GPU calls; `None` where it is bound to
    /// none.
    pub nodes: Option<IndexList>,
}

/// One size and place as one rank measured it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankSample {
    /// The rank.
    pub rank: u32,
    /// The size in bytes.
    pub size: u64,
    /// Whether it was in place.
    pub in_place: bool,
    /// Time of one operation, in microseconds: the mean of the timed iterations on this rank.
    pub time: f64,
    /// How many bytes were checked; `None` where nothing was.
    pub checked: Option<u64>,
    /// How many of the elements checked were wrong.
    pub wrong: u64,
    /// The first wrong element.
    pub first_wrong: Option<WrongElement>,
}

/// An element that arrived wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrongElement {
    /// Its place in the rank's received data, in elements; beyond the data where a guard was overwritten.
    pub offset: u64,
    /// What should be there.
    pub expected: String,
    /// What was found.
    pub found: String,
}

/// What kept a measurement from its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trouble {
    /// Its class.
    pub kind: TroubleKind,
    /// The rank at fault, where one is.
    pub rank: Option<u32>,
    /// In one line: rank, phase, what it was doing, what the system or the library said.
    pub message: String,
    /// What else helps: the library's last words, the state of each rank.
    pub details: Vec<String>,
}

/// Classes of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TroubleKind {
    /// A library is missing, or lacks a function.
    Library,
    /// A GPU cannot be opened or found.
    Device,
    /// A GPU is in use by another process, or its memory is not free.
    Busy,
    /// A pin cannot be made or did not take.
    Pin,
    /// A rank's process died.
    Crash,
    /// A deadline passed before the first collective: context or communicator.
    InitHang,
    /// A deadline passed in the first collective.
    FirstCollectiveHang,
    /// A deadline passed in a later one.
    MidRunHang,
    /// The library reported an error.
    LibraryError,
    /// There was not memory enough.
    OutOfMemory,
    /// The library refuses what was asked: an algorithm, a data type.
    Unsupported,
    /// After the run a process or memory is left on a GPU.
    NotFree,
    /// A person or a signal ended the run.
    Interrupted,
    /// linkspec itself could not start or hear its ranks.
    Internal,
}
