use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::kmsg::KernelLog;
use crate::{
    facts::{Fact, IommuMode, NumaNode, Switch},
    units::{IndexList, Size},
};

/// What the child tells. Each value travels with the file that said it, or with the reason why there is none.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::probe) enum Answer {
    Name(Fact<String>),
    Kernel(Fact<String>),
    Cpus(Fact<u32>),
    AllowedCpus(Fact<IndexList>),
    CpuModel(Fact<String>),
    NumaNodes(Fact<Vec<NumaNode>>),
    VirtualMachine(Fact<bool>),
    /// The text of /proc/cmdline.
    KernelArguments(Result<String, String>),
    Iommu(Fact<IommuMode>),
    NumaBalancing(Fact<Switch>),
    Memlock(Fact<Option<Size>>),
    ShmSize(Fact<Size>),
    Hugepages(Fact<Size>),
    GpuDirect(Fact<Vec<String>>),
    KernelLog(Result<KernelLog, String>),
    /// Every service with its state.
    Services(Result<BTreeMap<String, String>, String>),
    FabricManager(Fact<String>),
    Library(Library),
}

/// What a collective library says of itself.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::probe) struct Library {
    /// `NCCL` or `RCCL`.
    pub(super) name: String,
    /// Its version, from the file that was loaded.
    pub(super) version: Fact<String>,
    /// Whether it is a stand-in.
    pub(super) fake: bool,
}
