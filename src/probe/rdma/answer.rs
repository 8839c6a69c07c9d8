use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    facts::{Gid, PortState},
    units::Rate,
};

/// A value that was read, or the reason why there is none, which names the file or the call.
pub(in crate::probe) type Told<T> = Result<T, String>;

/// What the child tells.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::probe) enum Answer {
    /// The names in /sys/class/infiniband.
    Devices(Told<Vec<String>>),
    /// A device itself.
    Device(Box<Device>),
    /// A port's state.
    Port(Box<Port>),
    /// A port's GID table without its empty entries, and the MTU of each network interface that it names.
    Gids { at: PortName, gids: Told<Vec<Gid>>, interfaces: Told<BTreeMap<String, Told<u32>>> },
    /// A port's counters and hw_counters.
    Counters { at: PortName, counters: Told<Counters> },
    /// libibverbs, or why it was not loaded.
    Library(Told<VerbsLibrary>),
    /// A port's MTU through libibverbs, or why it could not be asked.
    Mtu { at: PortName, mtu: Told<Mtu> },
}

/// A port of a device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(in crate::probe) struct PortName {
    pub(super) device: String,
    pub(super) number: u32,
}

/// A device as sysfs shows it.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::probe) struct Device {
    pub(super) name: String,
    pub(super) firmware: Told<String>,
    pub(super) model: Told<String>,
    pub(super) board: Told<String>,
    pub(super) node_guid: Told<String>,
    pub(super) pci_address: Told<String>,
    pub(super) numa_node: Told<u32>,
    /// The numbers of its ports.
    pub(super) ports: Told<Vec<u32>>,
}

/// A port as sysfs shows it.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::probe) struct Port {
    pub(super) at: PortName,
    pub(super) state: Told<PortState>,
    pub(super) physical_state: Told<String>,
    pub(super) rate: Told<(Rate, String)>,
    pub(super) link_layer: Told<String>,
}

/// By folder (`counters`, `hw_counters`), the counters by name.
pub(in crate::probe) type Counters = BTreeMap<String, BTreeMap<String, Told<u64>>>;

/// libibverbs as it was loaded.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::probe) struct VerbsLibrary {
    /// The name of its file, which ends with the version: `libibverbs.so.1.14.50.0`.
    pub(super) name: String,
    /// Its file, with links resolved.
    pub(super) path: Option<String>,
    /// Whether it is a stand-in of linkspec's own tests.
    pub(super) fake: bool,
}

/// MTUs in bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::probe) struct Mtu {
    pub(super) active: Told<u32>,
    pub(super) max: Told<u32>,
}
