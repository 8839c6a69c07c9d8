use std::collections::BTreeMap;

use super::{Placed, Wanted};
use crate::{
    facts::{IommuMode, LogEventKind, Switch},
    units::Size,
};

/// `host`: what holds of the host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostExpect {
    /// Arguments on the kernel's command line.
    pub kernel_arguments: Option<Placed<KernelArguments>>,
    /// The IOMMU.
    pub iommu: Option<Placed<Wanted<IommuMode>>>,
    /// ACS redirection on a bridge above a GPU or compute NIC.
    pub acs_redirect: Option<Placed<Switch>>,
    /// Automatic NUMA balancing.
    pub numa_balancing: Option<Placed<Switch>>,
    /// The number of NUMA nodes.
    pub numa_nodes: Option<Placed<Wanted<u32>>>,
    /// The limit on locked memory.
    pub memlock: Option<Placed<Wanted<MemoryLimit>>>,
    /// The size of /dev/shm.
    pub shm_size: Option<Placed<Wanted<MemoryLimit>>>,
    /// Services and the state that each should have.
    pub services: Option<Placed<BTreeMap<String, Placed<String>>>>,
    /// Whether the fabric manager's version is the driver's.
    pub fabric_manager_matches_driver: Option<Placed<bool>>,
    /// The way to GPUDirect RDMA.
    pub gpudirect: Option<Placed<GpuDirect>>,
    /// What the kernel log may not hold.
    pub kernel_log: Option<Placed<KernelLogExpect>>,
    /// NCCL variables of the shell and of configuration files.
    pub nccl_environment: Option<Placed<NcclEnvironmentExpect>>,
}

/// `kernel_arguments`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelArguments {
    /// Arguments that are there.
    pub require: Vec<String>,
    /// Arguments that are not.
    pub forbid: Vec<String>,
}

/// A size or `unlimited`, which is more than any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryLimit {
    /// A size.
    Size(Size),
    /// No limit.
    Unlimited,
}

impl std::fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size(size) => size.fmt(f),
            Self::Unlimited => f.pad("unlimited"),
        }
    }
}

/// `gpudirect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuDirect {
    /// The nvidia-peermem module.
    Peermem,
    /// DMA-BUF.
    Dmabuf,
    /// Either.
    Any,
}

/// `kernel_log`.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelLogExpect {
    /// What no line may be.
    pub forbid: Vec<Placed<LogPattern>>,
}

/// A kind of kernel log line, or an expression of the spec's own.
#[derive(Clone, Debug)]
pub enum LogPattern {
    /// A kind.
    Kind(LogEventKind),
    /// `regex:...`.
    Regex(regex::Regex),
}

impl PartialEq for LogPattern {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Kind(ours), Self::Kind(theirs)) => ours == theirs,
            (Self::Regex(ours), Self::Regex(theirs)) => ours.as_str() == theirs.as_str(),
            _ => false,
        }
    }
}

/// `nccl_environment`: `clean`, or the variables that are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NcclEnvironmentExpect {
    /// The variables that may be set.
    pub allow: Vec<String>,
}
