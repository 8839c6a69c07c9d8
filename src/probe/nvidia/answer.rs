use serde::{Deserialize, Serialize};

/// A value, or why there is none: a fragment that names the C function.
pub(in crate::probe) type Told<T> = Result<T, String>;

/// What the child tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::probe) enum Answer {
    /// The library is a stand-in for NVML.
    Fake,
    /// NVML cannot be asked: why, as one line.
    NoNvml(String),
    /// NVML itself.
    Library(Library),
    /// The driver.
    Driver(Driver),
    /// The PCI addresses that the kernel driver lists, lost GPUs among them.
    Listed(Vec<String>),
    /// The number of GPUs at the start.
    Count(Told<u32>),
    /// The number of GPUs when everything else was read.
    CountAgain(Told<u32>),
    /// A GPU that gives no handle.
    NoGpu {
        /// NVML's index.
        index: u32,
        /// Why.
        reason: String,
        /// Whether NVML says that it is lost.
        lost: bool,
    },
    /// Something of a GPU.
    Gpu {
        /// NVML's index.
        index: u32,
        /// What.
        part: Box<Part>,
    },
    /// Two GPUs.
    Pair {
        /// The lower index.
        a: u32,
        /// The higher index.
        b: u32,
        /// How they are joined.
        pair: Box<Pair>,
    },
}

/// The library as it was loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct Library {
    /// Its version, such as `13.580.159.04`.
    pub(super) version: Told<String>,
    /// Its file, with links resolved.
    pub(super) path: Option<String>,
}

/// Versions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct Driver {
    /// Such as `580.159.04`.
    pub(super) version: Told<String>,
    /// 1000 for each major version of CUDA and 10 for each minor: 13000.
    pub(super) cuda: Told<i32>,
}

/// What is read of a GPU in one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::probe) enum Part {
    Identity(Identity),
    Pcie(Pcie),
    Memory(Memory),
    State(State),
    Fabric(Told<Fabric>),
    Affinity(Affinity),
    Links(Told<Vec<Link>>),
    LinkErrors(Told<Vec<LinkErrors>>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct Identity {
    pub(super) name: Told<String>,
    pub(super) uuid: Told<String>,
    pub(super) serial: Told<String>,
    pub(super) vbios: Told<String>,
    /// As NVML writes it: `00000000:C3:00.0`.
    pub(super) pci_address: Told<String>,
    /// Bytes.
    pub(super) memory: Told<u64>,
    /// Whether NVML said that it is lost.
    pub(super) lost: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct Pcie {
    pub(super) generation: Told<u32>,
    pub(super) generation_max: Told<u32>,
    pub(super) width: Told<u32>,
    pub(super) width_max: Told<u32>,
    pub(super) replays: Told<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct Memory {
    pub(super) ecc: Told<bool>,
    /// Corrected and uncorrected since the driver was loaded.
    pub(super) volatile: (Told<u64>, Told<u64>),
    /// Corrected and uncorrected over the life of the board.
    pub(super) aggregate: (Told<u64>, Told<u64>),
    pub(super) rows: Told<Rows>,
    pub(super) retired_pages: Told<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct Rows {
    pub(super) correctable: u64,
    pub(super) uncorrectable: u64,
    pub(super) pending: bool,
    pub(super) failure: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct State {
    /// NVML's bits of `nvmlClocksEventReason*`.
    pub(super) throttle_reasons: Told<u64>,
    pub(super) persistence: Told<bool>,
    pub(super) mig: Told<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct Fabric {
    /// `NVML_GPU_FABRIC_STATE_*`.
    pub(super) state: u32,
    /// What the registration ended with: 0 is success.
    pub(super) status: u32,
    pub(super) cluster: [u8; 16],
    pub(super) clique: u32,
    pub(super) health_mask: Told<u32>,
    /// `NVML_GPU_FABRIC_HEALTH_SUMMARY_*`, where the driver has one.
    pub(super) health_summary: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct Affinity {
    /// CPUs as words of 64 bits, the lowest first.
    pub(super) cpus: Told<Vec<u64>>,
    /// NUMA nodes as words of 64 bits, the lowest first.
    pub(super) numa_nodes: Told<Vec<u64>>,
    /// The node that the GPU's memory is, or that it is none.
    pub(super) numa_id: Told<Option<u32>>,
}

/// An NVLink that is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct Link {
    pub(super) index: u32,
    pub(super) active: bool,
    /// Megabytes a second and direction.
    pub(super) speed: Option<u64>,
    pub(super) version: Option<u32>,
    /// `nvmlIntNvLinkDeviceType_t`.
    pub(super) remote_type: Told<u32>,
    /// As NVML writes it; `FFFFFFFF:FF:FF.0` where the machine hides it.
    pub(super) remote_address: Told<String>,
}

/// The counters of an NVLink by nvidia-smi's names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct LinkErrors {
    pub(super) index: u32,
    pub(super) counters: std::collections::BTreeMap<String, u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::probe) struct Pair {
    /// `nvmlGpuTopologyLevel_t`.
    pub(super) ancestor: Told<u32>,
    /// `nvmlGpuP2PStatus_t` of reads.
    pub(super) read: Told<u32>,
    pub(super) write: Told<u32>,
    pub(super) nvlink: Told<u32>,
    pub(super) atomics: Told<u32>,
}
