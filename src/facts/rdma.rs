use std::{collections::BTreeMap, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Fact;
use crate::units::Rate;

/// One RDMA device (HCA).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RdmaDevice {
    /// The name, such as `mlx5_0`.
    pub name: String,
    /// The firmware version.
    pub firmware: Fact<String>,
    /// What sort of device it is (`hca_type`), such as `MT4129`.
    #[serde(default)]
    pub model: Fact<String>,
    /// The board id.
    pub board: Fact<String>,
    /// The node GUID.
    pub node_guid: Fact<String>,
    /// The number of ports that the device says it has.
    pub port_count: Fact<u32>,
    /// The PCI address.
    pub pci_address: Fact<String>,
    /// The NUMA node that is near.
    #[serde(default)]
    pub numa_node: Fact<u32>,
    /// The ports that were seen.
    pub ports: Vec<RdmaPort>,
}

impl RdmaDevice {
    /// A device of which only the name is known.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            firmware: Fact::default(),
            model: Fact::default(),
            board: Fact::default(),
            node_guid: Fact::default(),
            port_count: Fact::default(),
            pci_address: Fact::default(),
            numa_node: Fact::default(),
            ports: Vec::new(),
        }
    }

    /// The port with a number, made if it is not there.
    pub fn port_mut(&mut self, number: u32) -> &mut RdmaPort {
        let at = self.ports.iter().position(|port| port.number == number).unwrap_or_else(|| {
            self.ports.push(RdmaPort::new(number));
            self.ports.len() - 1
        });
        &mut self.ports[at]
    }
}

/// One port of an RDMA device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RdmaPort {
    /// The number, from 1.
    pub number: u32,
    /// The logical state.
    pub state: Fact<PortState>,
    /// The physical state as ibstat spells it: `LinkUp`, `Polling`, `Disabled`, `PortConfigurationTraining`.
    pub physical_state: Fact<String>,
    /// The rate; a placeholder while the port is down.
    pub rate: Fact<Rate>,
    /// The width, such as `4X`.
    pub width: Fact<String>,
    /// `InfiniBand` or `Ethernet`.
    pub link_layer: Fact<String>,
    /// The active MTU in bytes.
    pub active_mtu: Fact<u32>,
    /// The highest MTU in bytes.
    pub max_mtu: Fact<u32>,
    /// The GIDs by index with their type, such as `RoCE v2`, where the source gives it.
    pub gids: Fact<Vec<Gid>>,
    /// Counters and hw_counters by name.
    pub counters: BTreeMap<String, Fact<u64>>,
}

/// One entry of a port's GID table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gid {
    /// The index.
    pub index: u32,
    /// The address.
    pub address: String,
    /// `IB/RoCE v1` or `RoCE v2`.
    pub kind: Option<String>,
    /// The network interface that it belongs to, where the source gives it.
    #[serde(default)]
    pub netdev: Option<String>,
}

impl RdmaPort {
    /// A port of which only the number is known.
    pub fn new(number: u32) -> Self {
        Self {
            number,
            state: Fact::default(),
            physical_state: Fact::default(),
            rate: Fact::default(),
            width: Fact::default(),
            link_layer: Fact::default(),
            active_mtu: Fact::default(),
            max_mtu: Fact::default(),
            gids: Fact::default(),
            counters: BTreeMap::new(),
        }
    }
}

/// The logical state of a port. `PORT_ACTIVE (4)` and `4: ACTIVE` are the same state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PortState {
    /// No link.
    Down,
    /// Link, not configured by a subnet manager.
    Init,
    /// Configured, not carrying data.
    Armed,
    /// Ready.
    Active,
}

impl fmt::Display for PortState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Down => "Down",
            Self::Init => "Init",
            Self::Armed => "Armed",
            Self::Active => "Active",
        })
    }
}
