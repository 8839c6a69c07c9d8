use std::path::PathBuf;

use super::Deadlines;
use crate::{facts::Vendor, units::IndexList, worker};

/// What a session is made of: everything that is decided before a rank's first call of the GPU driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPlan {
    /// Whose GPUs.
    pub vendor: Vendor,
    /// The ranks, in order.
    pub ranks: Vec<RankPlan>,
    /// Libraries that were named.
    pub libraries: worker::Libraries,
    /// The program that a rank is: `/proc/self/exe`, or a stand-in in tests.
    pub program: PathBuf,
    /// How long each phase may take.
    pub deadlines: Deadlines,
    /// Whether the communicator is made with NVLink-centric scheduling, as nccl-tests makes it.
    pub centric_scheduling: bool,
    /// Whether the communicator blocks, as nccl-tests' does.
    pub blocking: bool,
    /// The port on this host where the collective library's RAS service answers; it is asked when ranks hang.
    pub ras: Option<u16>,
    /// What the first test reduces, and how, where that is known: its data is made while the GPUs are opened.
    pub likely: Option<worker::Likely>,
}

/// One rank of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankPlan {
    /// Its GPU by the driver tool's index, for words.
    pub gpu: u32,
    /// Its GPU's PCI address as `DDDD:BB:DD.F`.
    pub pci: String,
    /// The CPUs that it may use; `None` leaves them as they are.
    pub cpus: Option<IndexList>,
    /// The NUMA nodes that its memory is taken from; `None` leaves that as it is.
    pub nodes: Option<IndexList>,
    /// Variables over this process's own; `None` removes one.
    pub environment: Vec<(String, Option<String>)>,
    /// The file that takes its standard error; without one that is dropped.
    pub stderr: Option<PathBuf>,
}
