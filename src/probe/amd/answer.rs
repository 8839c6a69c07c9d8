use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What the child tells. A value that could not be read is the reason.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::probe) enum Answer {
    /// What a command of amd-smi printed.
    Output(Subject, Result<String, String>),
    /// The nodes of KFD, by number.
    Nodes(Result<Vec<Node>, String>),
    /// The version of the amdgpu module.
    Driver(Result<String, String>),
    /// What /sys says of the PCI device of a GPU.
    Device(Box<Device>),
}

/// A command of amd-smi, each run with `--json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::probe) enum Subject {
    /// `amd-smi topology`.
    Topology,
    /// `amd-smi static`.
    Static,
    /// `amd-smi metric`.
    Metric,
}

impl Subject {
    pub(super) const ALL: [Self; 3] = [Self::Topology, Self::Static, Self::Metric];

    /// The word on amd-smi's command line.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Topology => "topology",
            Self::Static => "static",
            Self::Metric => "metric",
        }
    }

    /// The name of its lane.
    pub(super) fn lane(self) -> String {
        format!("amd-smi {}", self.word())
    }

    /// Its name as a source of facts.
    pub(super) fn source(self) -> String {
        format!("amd-smi {} --json", self.word())
    }
}

/// The lane of the nodes of KFD, and their name as a source of facts.
pub(super) const KFD: &str = "KFD";

/// A node of KFD: a CPU, a GPU or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::probe) struct Node {
    /// Its number, which links name.
    pub(super) number: u32,
    /// What `gpu_id` says: 0 where the node is no GPU.
    pub(super) gpu_id: Result<u64, String>,
    /// Its properties by name.
    pub(super) properties: Result<Properties, String>,
    /// The properties of each bank of memory.
    pub(super) banks: Result<Vec<Properties>, String>,
    /// The properties of each link from it, of `io_links` and of `p2p_links`.
    pub(super) links: Result<Vec<Properties>, String>,
}

/// Numbers by name, as KFD prints them; what is no number is left out.
pub(super) type Properties = BTreeMap<String, u64>;

/// What /sys says of a PCI device, each as it stands in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::probe) struct Device {
    /// The address as `DDDD:BB:DD.F`.
    pub(super) address: String,
    /// The NUMA node; -1 where the firmware does not say.
    pub(super) numa_node: Result<i64, String>,
    /// The CPUs that are near.
    pub(super) cpus: Result<String, String>,
    /// How its link runs now.
    pub(super) current: LinkTexts,
    /// The most that it reaches itself.
    pub(super) own_max: LinkTexts,
    /// The most that the port above it reaches.
    pub(super) port_max: LinkTexts,
}

/// The speed, such as `32.0 GT/s PCIe`, and the lanes of a PCIe link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::probe) struct LinkTexts {
    pub(super) speed: Result<String, String>,
    pub(super) width: Result<u32, String>,
}
