use std::{collections::BTreeMap, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Fact;
use crate::units::{Bandwidth, IndexList, Size};

/// One GPU. The index is nvidia-smi's or amd-smi's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gpu {
    /// The index.
    pub index: u32,
    /// The product name, such as `NVIDIA H200`.
    pub name: Fact<String>,
    /// The UUID.
    pub uuid: Fact<String>,
    /// The board's serial number.
    pub serial: Fact<String>,
    /// The version of the board's VBIOS, five bytes in hexadecimal such as `96.00.A5.00.1A`.
    #[serde(default)]
    pub vbios: Fact<String>,
    /// The PCI address as `DDDD:BB:DD.F` in lower case.
    pub pci_address: Fact<String>,
    /// The size of its memory.
    pub memory: Fact<Size>,
    /// The NUMA nodes that are near (`NUMA Affinity`).
    pub numa_nodes: Fact<IndexList>,
    /// The CPUs that are near (`CPU Affinity`).
    pub cpus: Fact<IndexList>,
    /// The NUMA node that the GPU's own memory is (`GPU NUMA ID`); `None` where it is no node, as on most machines.
    #[serde(default)]
    pub numa_id: Fact<Option<u32>>,
    /// Every NVLink that a tool listed; an empty list where it says that there is none.
    pub nvlinks: Fact<Vec<NvLink>>,
    /// The error counters of every NVLink, as `nvidia-smi nvlink -e` lists them.
    pub nvlink_errors: Fact<Vec<NvLinkErrors>>,
    /// The PCIe link.
    pub pcie: PcieLink,
    /// The PCIe links above the GPU's own, from the root port down: a switch's uplink among them.
    #[serde(default)]
    pub pcie_uplinks: Fact<Vec<PcieUplink>>,
    /// Whether ECC is on now.
    pub ecc: Fact<Switch>,
    /// ECC errors since the driver was loaded.
    pub ecc_volatile: EccCounts,
    /// ECC errors over the life of the board.
    pub ecc_aggregate: EccCounts,
    /// Rows of memory that were remapped.
    pub remapped_rows: RemappedRows,
    /// Pages of memory that were retired, on GPUs that retire pages in place of remapping rows.
    #[serde(default)]
    pub retired_pages: Fact<u64>,
    /// The state of the NVSwitch fabric as this GPU sees it.
    pub fabric_state: Fact<FabricState>,
    /// The UUID of the cluster that the fabric is of; all zero where the machine hides it.
    #[serde(default)]
    pub fabric_cluster: Fact<String>,
    /// The clique of the cluster that this GPU is in.
    #[serde(default)]
    pub fabric_clique: Fact<u32>,
    /// What the driver says is wrong with the fabric, in words with hyphens: `degraded-bandwidth`; empty where nothing is.
    #[serde(default)]
    pub fabric_problems: Fact<Vec<String>>,
    /// Persistence mode.
    pub persistence: Fact<Switch>,
    /// Multi-instance mode.
    pub mig: Fact<Switch>,
    /// The reasons for a lowered clock that are active now, in words with hyphens: `power-cap`, `hw-slowdown`, `idle`.
    pub throttle_reasons: Fact<Vec<String>>,
}

impl Gpu {
    /// A GPU of which only the index is known.
    pub fn new(index: u32) -> Self {
        Self {
            index,
            name: Fact::default(),
            uuid: Fact::default(),
            serial: Fact::default(),
            vbios: Fact::default(),
            pci_address: Fact::default(),
            memory: Fact::default(),
            numa_nodes: Fact::default(),
            cpus: Fact::default(),
            numa_id: Fact::default(),
            nvlinks: Fact::default(),
            nvlink_errors: Fact::default(),
            pcie: PcieLink::default(),
            pcie_uplinks: Fact::default(),
            ecc: Fact::default(),
            ecc_volatile: EccCounts::default(),
            ecc_aggregate: EccCounts::default(),
            remapped_rows: RemappedRows::default(),
            retired_pages: Fact::default(),
            fabric_state: Fact::default(),
            fabric_cluster: Fact::default(),
            fabric_clique: Fact::default(),
            fabric_problems: Fact::default(),
            persistence: Fact::default(),
            mig: Fact::default(),
            throttle_reasons: Fact::default(),
        }
    }
}

/// One NVLink of a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NvLink {
    /// The link's number on its GPU.
    pub index: u32,
    /// Whether it is up.
    pub active: bool,
    /// The bandwidth per direction, where it is up and the tool prints it.
    pub speed: Option<Bandwidth>,
    /// The version of NVLink that it runs, as NVML numbers them, where it was read.
    #[serde(default)]
    pub version: Option<u32>,
    /// What is at its other end, where it was read.
    #[serde(default)]
    pub remote: Option<NvLinkRemote>,
}

impl NvLink {
    /// A link of which only the state and speed are known.
    pub const fn new(index: u32, active: bool, speed: Option<Bandwidth>) -> Self {
        Self { index, active, speed, version: None, remote: None }
    }
}

/// The other end of an NVLink.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NvLinkRemote {
    /// What it is.
    pub kind: NvLinkRemoteKind,
    /// Its PCI address as `DDDD:BB:DD.F`; `None` where the machine hides it, as virtual machines do with NVSwitches.
    pub pci_address: Option<String>,
}

/// NVML's `nvmlIntNvLinkDeviceType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NvLinkRemoteKind {
    /// Another GPU.
    Gpu,
    /// A POWER processor.
    Cpu,
    /// An NVSwitch.
    Switch,
    /// The driver does not say.
    Unknown,
}

/// The error counters of one NVLink.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NvLinkErrors {
    /// The link's number on its GPU.
    pub index: u32,
    /// The counts by the tool's names, such as `Replay Errors`.
    pub counters: BTreeMap<String, u64>,
}

/// A PCIe link now and at most.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PcieLink {
    /// The generation now; a GPU at rest may run lower than it can.
    pub generation: Fact<u32>,
    /// The highest generation that device and slot reach together.
    pub generation_max: Fact<u32>,
    /// The lanes now.
    pub width: Fact<u32>,
    /// The most lanes that device and slot reach together.
    pub width_max: Fact<u32>,
    /// Whether the generation was read while the GPU was at work.
    pub under_load: Fact<bool>,
    /// The replay counter.
    pub replays: Fact<u64>,
}

/// A PCIe link on the way from the root port to a device, named by the device at its lower end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PcieUplink {
    /// The address of the device at its lower end as `DDDD:BB:DD.F`.
    pub address: String,
    /// The generation now, where it is shown.
    pub generation: Option<u32>,
    /// The highest generation that both ends reach, where it is shown.
    pub generation_max: Option<u32>,
    /// The lanes now, where they are shown.
    pub width: Option<u32>,
    /// The most lanes that both ends reach, where they are shown.
    pub width_max: Option<u32>,
}

/// ECC errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EccCounts {
    /// Errors that were corrected.
    pub corrected: Fact<u64>,
    /// Errors that were not.
    pub uncorrected: Fact<u64>,
}

/// Rows of memory that were remapped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RemappedRows {
    /// After correctable errors.
    pub correctable: Fact<u64>,
    /// After uncorrectable errors.
    pub uncorrectable: Fact<u64>,
    /// Whether one waits for a reset.
    pub pending: Fact<bool>,
    /// Whether one failed.
    pub failure: Fact<bool>,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::On => "on",
            Self::Off => "off",
        })
    }
}

/// The state of the NVSwitch fabric, NVML's `nvmlGpuFabricState_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FabricState {
    /// The GPU has no fabric.
    NotSupported,
    /// The fabric manager has not begun.
    NotStarted,
    /// Under way.
    InProgress,
    /// Ready, successfully.
    Completed,
    /// Ended, and the status is not success.
    Failed,
}

impl fmt::Display for FabricState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotSupported => "not-supported",
            Self::NotStarted => "not-started",
            Self::InProgress => "in-progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
        })
    }
}

/// A GPU that a tool names but cannot reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LostGpu {
    /// The PCI address as the tool printed it.
    pub pci_address: String,
    /// The file or interface that said it.
    pub source: String,
    /// The line.
    pub quote: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_a_version_that_did_not_read_a_vbios_say_that_none_is_known() {
        let mut saved = serde_json::to_value(Gpu::new(3)).unwrap();
        saved.as_object_mut().unwrap().remove("vbios").unwrap();
        assert_eq!(serde_json::from_value::<Gpu>(saved).unwrap(), Gpu::new(3));
    }
}
