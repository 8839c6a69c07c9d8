use std::{collections::BTreeMap, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Damage, Fact, Gpu, GpuNic, GpuPair, Host, LostGpu, Nic, NicPair, RdmaDevice};

/// Everything that is known of one machine at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// The version of this format: [`Facts::VERSION`].
    pub version: u32,
    /// Where the facts are from.
    pub origin: Origin,
    /// The vendor of the GPUs.
    pub vendor: Fact<Vendor>,
    /// The number of GPUs, known only where a complete listing was read.
    pub gpu_count: Fact<u32>,
    /// Each GPU that any source named, by index.
    pub gpus: Vec<Gpu>,
    /// GPUs that a tool names but cannot reach.
    pub lost_gpus: Vec<LostGpu>,
    /// Each pair of GPUs that any source named, by lower index, then by higher.
    pub gpu_pairs: Vec<GpuPair>,
    /// The NICs of the topology matrix; known and empty where a whole matrix shows none.
    pub nics: Fact<Vec<Nic>>,
    /// Each GPU and NIC of the topology matrix.
    pub gpu_nics: Vec<GpuNic>,
    /// Each pair of NICs, where a source joins them.
    #[serde(default)]
    pub nic_pairs: Vec<NicPair>,
    /// The number of RDMA devices, known only where a complete listing was read.
    pub rdma_count: Fact<u32>,
    /// Each RDMA device that any source named, by name.
    pub rdma_devices: Vec<RdmaDevice>,
    /// The GPU driver's version.
    pub driver: Fact<String>,
    /// The CUDA version that the driver supports.
    pub cuda: Fact<String>,
    /// The host.
    pub host: Host,
    /// Libraries and their versions, where they were read: `NCCL`, `RCCL`, `NVML`, `libibverbs`. The source is the file that
    /// was loaded, with links resolved.
    pub libraries: BTreeMap<String, Fact<String>>,
    /// Parts of sources that gave no facts.
    pub damage: Vec<Damage>,
    /// Each source that was looked for: what was found, or why there is nothing, in one line.
    pub sources: BTreeMap<String, String>,
}

impl Facts {
    /// The version of the format.
    pub const VERSION: u32 = 1;

    /// A machine of which nothing is known.
    pub fn new(origin: Origin) -> Self {
        Self {
            version: Self::VERSION,
            origin,
            vendor: Fact::default(),
            gpu_count: Fact::default(),
            gpus: Vec::new(),
            lost_gpus: Vec::new(),
            gpu_pairs: Vec::new(),
            nics: Fact::default(),
            gpu_nics: Vec::new(),
            nic_pairs: Vec::new(),
            rdma_count: Fact::default(),
            rdma_devices: Vec::new(),
            driver: Fact::default(),
            cuda: Fact::default(),
            host: Host::default(),
            libraries: BTreeMap::new(),
            damage: Vec::new(),
            sources: BTreeMap::new(),
        }
    }

    /// The GPU with an index, if a source named it.
    pub fn gpu(&self, index: u32) -> Option<&Gpu> {
        self.gpus.iter().find(|gpu| gpu.index == index)
    }

    /// The GPU with an index, made if it is not there.
    pub fn gpu_mut(&mut self, index: u32) -> &mut Gpu {
        let at = self.gpus.partition_point(|gpu| gpu.index < index);
        if self.gpus.get(at).is_none_or(|gpu| gpu.index != index) {
            self.gpus.insert(at, Gpu::new(index));
        }
        &mut self.gpus[at]
    }

    /// The pair of two GPUs, in either order, if a source named it.
    pub fn pair(&self, first: u32, second: u32) -> Option<&GpuPair> {
        let key = (first.min(second), first.max(second));
        self.gpu_pairs.iter().find(|pair| (pair.a, pair.b) == key)
    }

    /// The pair of two GPUs, in either order, made if it is not there.
    pub fn pair_mut(&mut self, first: u32, second: u32) -> &mut GpuPair {
        let key = (first.min(second), first.max(second));
        let at = self.gpu_pairs.partition_point(|pair| (pair.a, pair.b) < key);
        if self.gpu_pairs.get(at).is_none_or(|pair| (pair.a, pair.b) != key) {
            self.gpu_pairs.insert(at, GpuPair::new(first, second));
        }
        &mut self.gpu_pairs[at]
    }

    /// The RDMA device with a name, made if it is not there.
    pub fn rdma_mut(&mut self, name: &str) -> &mut RdmaDevice {
        let at = self.rdma_devices.partition_point(|device| device.name.as_str() < name);
        if self.rdma_devices.get(at).is_none_or(|device| device.name != name) {
            self.rdma_devices.insert(at, RdmaDevice::new(name));
        }
        &mut self.rdma_devices[at]
    }
}

/// Where facts are from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The machine that linkspec runs on.
    Live,
    /// What linkspec itself read of a machine earlier, given with `--host`: all that the machine told.
    Captured {
        /// The path as it was given.
        path: String,
    },
    /// A folder or file of what tools printed, given with `--host`.
    Saved {
        /// The path as it was given.
        path: String,
    },
    /// Stand-ins for the vendors' libraries: never a measurement.
    Fake,
}

/// Who made the GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Vendor {
    /// NVIDIA.
    Nvidia,
    /// AMD.
    Amd,
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Nvidia => "nvidia",
            Self::Amd => "amd",
        })
    }
}
