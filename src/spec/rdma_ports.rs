use std::collections::BTreeMap;

use super::{Glob, Globs, Placed, Wanted};
use crate::{
    facts::{LinkClass, PortState},
    units::Rate,
};

/// `rdma_ports`: what holds of every port of the chosen devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RdmaPorts {
    /// The devices: a glob chooses those that match, a plain name in a list must be there. All without it.
    pub devices: Option<Placed<Globs>>,
    /// The number of chosen devices, exactly.
    pub count: Option<Placed<Wanted<u32>>>,
    /// The logical state.
    pub state: Option<Placed<Wanted<PortState>>>,
    /// The physical state, as ibstat spells it.
    pub physical_state: Option<Placed<Wanted<String>>>,
    /// The rate.
    pub rate: Option<Placed<Wanted<Rate>>>,
    /// The width, such as `4X`.
    pub width: Option<Placed<Wanted<Glob>>>,
    /// `InfiniBand` or `Ethernet`.
    pub link_layer: Option<Placed<Wanted<String>>>,
    /// The active MTU in bytes.
    pub active_mtu: Option<Placed<Wanted<u32>>>,
    /// An entry that the GID table must hold.
    pub gid: Option<Placed<GidExpect>>,
    /// The firmware's version.
    pub firmware: Option<Placed<Wanted<Glob>>>,
    /// The growth of counters while the suite runs, by name or glob.
    pub counters: Option<Placed<BTreeMap<String, Placed<Wanted<u64>>>>>,
    /// How near the nearest GPU is.
    pub near_gpu: Option<Placed<NearGpu>>,
}

/// `gid`: an entry of the table with these properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GidExpect {
    /// The type, such as `RoCE v2`.
    pub kind: Option<String>,
    /// Whether it is routable: not link-local and not empty.
    pub routable: Option<bool>,
}

/// `near_gpu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearGpu {
    /// The nearest GPU is at most this far.
    pub at_most: LinkClass,
}
