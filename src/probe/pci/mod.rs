//! The PCI tree in `/sys`: how far devices are from each other, links, bridges with their ACS control.
//!
//! nvidia-smi derives the NIC columns of its matrix from the same paths.

mod config;
mod fill;
mod matrix;
mod path;
mod read;
#[cfg(test)]
mod testing;

use serde::{Deserialize, Serialize};

pub(super) use fill::fill;
pub(super) use read::read;

/// What the child tells.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// Every device, or why the tree cannot be read.
    Devices(Result<Vec<Device>, String>),
}

/// One PCI device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Device {
    /// The address as `DDDD:BB:DD.F`.
    address: String,
    /// The way to it: the host bridge, such as `pci0000:40`, then the addresses of the bridges, then its own.
    path: Vec<String>,
    /// The class code, such as 0x030200.
    class: u32,
    /// Vendor and device.
    identity: Option<(u16, u16)>,
    /// The NUMA node; `None` where the machine does not say.
    numa_node: Option<u32>,
    /// The driver that it is bound to.
    driver: Option<String>,
    /// Its link to the device above.
    link: Link,
    /// What a bridge's configuration says.
    bridge: Option<config::Bridge>,
    /// Whether this is a GPU that is kept from this process on purpose, or a part of one that is for guests.
    hidden: bool,
}

/// A device's PCIe link now and at most, as far as it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Link {
    generation: Option<u32>,
    generation_max: Option<u32>,
    width: Option<u32>,
    width_max: Option<u32>,
}

/// NVIDIA's vendor number.
const NVIDIA: u16 = 0x10de;
/// AMD's.
const AMD: u16 = 0x1002;

impl Device {
    const fn is_bridge(&self) -> bool {
        self.class >> 8 == 0x0604
    }

    /// A display controller (03) or a processing accelerator (12).
    const fn may_be_gpu(&self) -> bool {
        matches!(self.class >> 16, 0x03 | 0x12)
    }

    /// A GPU of a vendor whose GPUs are read.
    fn is_gpu(&self) -> bool {
        let vendor = self.identity.map(|(vendor, _)| vendor);
        self.may_be_gpu() && matches!(vendor, Some(NVIDIA | AMD))
    }

    /// A network or InfiniBand controller.
    const fn is_network(&self) -> bool {
        matches!(self.class >> 16, 0x02) || self.class >> 8 == 0x0c06
    }
}
