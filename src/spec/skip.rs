use super::{Glob, Placed, Wanted};
use crate::facts::Vendor;

/// `skip_when`: the test is skipped on a machine for which all of these hold. An unknown fact is an error.
#[derive(Clone, Debug, PartialEq)]
pub struct SkipWhen {
    /// Why, for the report.
    pub reason: String,
    /// The number of GPUs.
    pub gpus: Option<Placed<Wanted<u32>>>,
    /// The number of NUMA nodes.
    pub numa_nodes: Option<Placed<Wanted<u32>>>,
    /// The vendor.
    pub vendor: Option<Placed<Wanted<Vendor>>>,
    /// The GPU's name.
    pub gpu: Option<Placed<Wanted<Glob>>>,
    /// Whether the machine is virtual.
    pub virtual_machine: Option<Placed<bool>>,
    /// The number of RDMA devices.
    pub rdma_devices: Option<Placed<Wanted<u32>>>,
}
