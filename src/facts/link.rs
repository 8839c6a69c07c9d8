use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Fact;
use crate::units::UnitError;

/// How two devices are joined, from near to far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkClass {
    /// NVLink; the number of bonded links (`NV18`).
    NvLink(u32),
    /// AMD's GPU fabric.
    Xgmi,
    /// One PCIe bridge.
    Pix,
    /// Several PCIe bridges, no host bridge.
    Pxb,
    /// Through a PCIe host bridge.
    Phb,
    /// The same NUMA node, another host bridge.
    Node,
    /// Across sockets.
    Sys,
    /// PCIe at a distance that the tool does not give (`rocm-smi`).
    Pcie,
}

const EXPECTED: &str = "a link class: NV<n>, XGMI, PIX, PXB, PHB, NODE or SYS";

impl LinkClass {
    /// The place from near (0) to far; `None` for PCIe at an unknown distance.
    pub const fn distance(self) -> Option<u8> {
        match self {
            Self::NvLink(_) | Self::Xgmi => Some(0),
            Self::Pix => Some(1),
            Self::Pxb => Some(2),
            Self::Phb => Some(3),
            Self::Node => Some(4),
            Self::Sys => Some(5),
            Self::Pcie => None,
        }
    }
}

impl fmt::Display for LinkClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NvLink(count) => f.pad(&format!("NV{count}")),
            Self::Xgmi => f.pad("XGMI"),
            Self::Pix => f.pad("PIX"),
            Self::Pxb => f.pad("PXB"),
            Self::Phb => f.pad("PHB"),
            Self::Node => f.pad("NODE"),
            Self::Sys => f.pad("SYS"),
            Self::Pcie => f.pad("PCIe"),
        }
    }
}

impl FromStr for LinkClass {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wrong = || UnitError { text: text.to_owned(), expected: EXPECTED };
        Ok(match text {
            "XGMI" => Self::Xgmi,
            "PIX" => Self::Pix,
            "PXB" => Self::Pxb,
            "PHB" => Self::Phb,
            "NODE" => Self::Node,
            "SYS" => Self::Sys,
            "PCIe" => Self::Pcie,
            _ => {
                let digits = text.strip_prefix("NV").ok_or_else(wrong)?;
                let plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
                let count = plain.then(|| digits.parse().ok()).flatten().ok_or_else(wrong)?;
                if count == 0 {
                    return Err(wrong());
                }
                Self::NvLink(count)
            }
        })
    }
}

impl Serialize for LinkClass {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LinkClass {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for LinkClass {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "LinkClass".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^(NV[1-9][0-9]?|XGMI|PIX|PXB|PHB|NODE|SYS|PCIe)$",
            "description": "How two devices are joined, from near to far: NV<n>, XGMI, PIX, PXB, PHB, NODE, SYS.",
        })
    }
}

/// What `nvidia-smi topo -p2p` says of a pair for one capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum P2pStatus {
    /// It works.
    Ok,
    /// Chipset not supported.
    Cns,
    /// GPU not supported.
    Gns,
    /// Topology not supported.
    Tns,
    /// Not supported.
    Ns,
    /// Disabled by a registry key.
    Dr,
}

impl fmt::Display for P2pStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "OK",
            Self::Cns => "CNS",
            Self::Gns => "GNS",
            Self::Tns => "TNS",
            Self::Ns => "NS",
            Self::Dr => "DR",
        })
    }
}

/// Two GPUs, the lower index first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GpuPair {
    /// The lower index.
    pub a: u32,
    /// The higher index.
    pub b: u32,
    /// The link class. Known when both cells of the matrix are there and agree.
    pub class: Fact<LinkClass>,
    /// The active NVLinks between the two, through NVSwitches too; 0 where there is none.
    #[serde(default)]
    pub nvlinks: Fact<u32>,
    /// The PCIe class by NVML's common ancestor, whatever else joins the two.
    #[serde(default)]
    pub ancestor: Fact<LinkClass>,
    /// The PCIe class by the paths in `/sys`.
    #[serde(default)]
    pub pcie_path: Fact<LinkClass>,
    /// The weight of an AMD link: 15 is one xGMI hop.
    pub weight: Fact<u32>,
    /// The hops of an AMD link; 1 also for indirect xGMI routes.
    pub hops: Fact<u32>,
    /// Peer reads.
    pub p2p_read: Fact<P2pStatus>,
    /// Peer writes.
    pub p2p_write: Fact<P2pStatus>,
    /// Peer access over NVLink.
    pub p2p_nvlink: Fact<P2pStatus>,
    /// Peer atomics.
    pub p2p_atomics: Fact<P2pStatus>,
}

impl GpuPair {
    /// A pair of which nothing is known yet.
    pub fn new(first: u32, second: u32) -> Self {
        Self {
            a: first.min(second),
            b: first.max(second),
            class: Fact::default(),
            nvlinks: Fact::default(),
            ancestor: Fact::default(),
            pcie_path: Fact::default(),
            weight: Fact::default(),
            hops: Fact::default(),
            p2p_read: Fact::default(),
            p2p_write: Fact::default(),
            p2p_nvlink: Fact::default(),
            p2p_atomics: Fact::default(),
        }
    }
}

/// A NIC as the topology matrix knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Nic {
    /// The name of its column: `NIC0`, or `mlx5_0` where the header names devices.
    pub label: String,
    /// The RDMA device, where the legend or the header gives it.
    pub device: Option<String>,
}

impl Nic {
    /// The name that a spec's `nics` chooses by: the device where it is known, else the label.
    pub fn name(&self) -> &str {
        self.device.as_deref().unwrap_or(&self.label)
    }
}

/// A GPU and a NIC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GpuNic {
    /// The GPU's index.
    pub gpu: u32,
    /// The NIC's label.
    pub nic: String,
    /// The link class, known from the GPU's row; unknown where the NIC's row disagrees.
    pub class: Fact<LinkClass>,
}

/// Two NICs, in the order of the matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NicPair {
    /// The label of the first.
    pub a: String,
    /// The label of the second.
    pub b: String,
    /// The link class; PIX between the ports of one card.
    pub class: Fact<LinkClass>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vocabulary_of_nvidia_smi() {
        for text in ["NV1", "NV18", "PIX", "PXB", "PHB", "NODE", "SYS", "XGMI"] {
            assert_eq!(text.parse::<LinkClass>().unwrap().to_string(), text);
        }
        for text in ["NV", "NV0", "NVL", "NODENODE", "PI", "X", "nv18", "NV+1", "NV111"] {
            assert!(text.parse::<LinkClass>().is_err(), "{text}");
        }
    }
}
