use std::{collections::BTreeMap, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Fact;
use crate::units::{IndexList, Size};

/// The host around the GPUs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// The host's name.
    pub name: Fact<String>,
    /// The kernel's release, such as `6.8.0-60-generic`.
    #[serde(default)]
    pub kernel: Fact<String>,
    /// The number of CPUs.
    pub cpus: Fact<u32>,
    /// The CPUs that a process may use here: a cgroup or an affinity may leave fewer than there are.
    #[serde(default)]
    pub allowed_cpus: Fact<IndexList>,
    /// The CPU's model name.
    pub cpu_model: Fact<String>,
    /// The NUMA nodes with their CPUs.
    pub numa_nodes: Fact<Vec<NumaNode>>,
    /// Whether this is a virtual machine.
    pub virtual_machine: Fact<bool>,
    /// The kernel's command line, argument by argument.
    pub kernel_arguments: Fact<Vec<String>>,
    /// The IOMMU.
    pub iommu: Fact<IommuMode>,
    /// PCI bridges with their ACS bits; known only where a complete listing was read.
    pub bridges: Fact<Vec<PciBridge>>,
    /// PCI bridges of a listing that is not complete, those that could be read whole: a redirect bit among them can
    /// fail a case, and nothing here can pass one. Empty where `bridges` is known.
    #[serde(default)]
    pub bridges_seen: Vec<PciBridge>,
    /// PCI devices that are no bridges, with their links.
    pub pci_devices: Fact<Vec<PciDevice>>,
    /// Automatic NUMA balancing.
    pub numa_balancing: Fact<super::Switch>,
    /// The limit on locked memory in bytes; `None` is unlimited.
    pub memlock: Fact<Option<Size>>,
    /// The size of /dev/shm.
    pub shm_size: Fact<Size>,
    /// The memory set aside as huge pages.
    #[serde(default)]
    pub hugepages: Fact<Size>,
    /// Services and their state, `active` or another word of systemd.
    pub services: BTreeMap<String, Fact<String>>,
    /// The number of services, known only where a complete listing was read: one that it lacks is inactive.
    #[serde(default)]
    pub service_count: Fact<u32>,
    /// The version of the fabric manager.
    pub fabric_manager: Fact<String>,
    /// The ways to GPUDirect RDMA that are there: `peermem`, `dmabuf`.
    pub gpudirect: Fact<Vec<String>>,
    /// What the kernel log tells of GPUs and links since boot. Known only where the log reaches back to the boot;
    /// known and empty where such a log says nothing.
    pub kernel_log: Fact<Vec<LogEvent>>,
    /// The log's own lines, for a spec's `regex:`. Known where `kernel_log` is.
    pub kernel_log_lines: Fact<Vec<String>>,
    /// What a log tells that does not reach back to the boot, or has gaps: an event here can fail a case, and its
    /// absence can pass none. Empty where `kernel_log` is known.
    #[serde(default)]
    pub kernel_log_seen: Vec<LogEvent>,
    /// The lines of such a log.
    #[serde(default)]
    pub kernel_log_lines_seen: Vec<String>,
    /// `NCCL_*` and `RCCL_*` variables that the environment or a configuration file sets.
    pub nccl_environment: Fact<BTreeMap<String, String>>,
    /// Those of them that a configuration file sets, which removing a variable does not undo.
    #[serde(default)]
    pub nccl_configured: Fact<BTreeMap<String, String>>,
}

/// One NUMA node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NumaNode {
    /// The number.
    pub index: u32,
    /// Its CPUs; none on a node that holds only memory.
    pub cpus: IndexList,
    /// The distance to each node, in the order of their numbers; 10 is the node itself. Empty where it was not read.
    #[serde(default)]
    pub distances: Vec<u32>,
}

impl NumaNode {
    /// A node of which the distances were not read.
    pub const fn new(index: u32, cpus: IndexList) -> Self {
        Self { index, cpus, distances: Vec::new() }
    }
}

/// What the IOMMU does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IommuMode {
    /// Off.
    Off,
    /// On, devices of the host pass through.
    Passthrough,
    /// On, every access is translated.
    Translating,
}

impl fmt::Display for IommuMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Off => "off",
            Self::Passthrough => "passthrough",
            Self::Translating => "translating",
        })
    }
}

/// A PCI bridge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PciBridge {
    /// The address as `DDDD:BB:DD.F`.
    pub address: String,
    /// The numbers of the buses below it, first and last, where the listing gives them.
    pub buses_below: Option<(u32, u32)>,
    /// The ACS redirect bits that are set, of ReqRedir, CmpltRedir and UpstreamFwd; `None` where the bridge's ACS
    /// control could not be read.
    pub acs_redirect: Option<Vec<String>>,
    /// Why the ACS control could not be read, where the source says.
    #[serde(default)]
    pub acs_unread: Option<String>,
}

/// A PCI device that is no bridge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PciDevice {
    /// The address as `DDDD:BB:DD.F`.
    pub address: String,
    /// What lspci calls it.
    pub description: String,
    /// The generation its PCIe link runs at now, where it is shown.
    pub generation: Option<u32>,
    /// The lanes now, where they are shown.
    pub width: Option<u32>,
}

/// A line of the kernel log that matters for a GPU server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogEvent {
    /// What it is.
    pub kind: LogEventKind,
    /// The number of an Xid or SXid.
    pub code: Option<u32>,
    /// The device as the line names it, a PCI address mostly.
    pub device: Option<String>,
    /// The line's number in its source, from 1.
    pub line: u32,
    /// The line.
    pub quote: String,
}

/// Kinds of kernel log lines, named as a spec's `kernel_log: { forbid: [...] }` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LogEventKind {
    /// An error report of the NVIDIA driver.
    Xid,
    /// An error report of an NVSwitch.
    Sxid,
    /// The GPU no longer answers on PCIe.
    FallenOffBus,
    /// A fatal or uncorrected PCIe error.
    AerFatal,
    /// An NVLink error.
    NvlinkError,
}

impl fmt::Display for LogEventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Xid => "xid",
            Self::Sxid => "sxid",
            Self::FallenOffBus => "fallen-off-bus",
            Self::AerFatal => "aer-fatal",
            Self::NvlinkError => "nvlink-error",
        })
    }
}
