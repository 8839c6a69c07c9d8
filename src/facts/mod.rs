//! What a machine is: GPUs, links between them, NICs, RDMA ports, the host. Data only; `probe/` fills it.
//!
//! Every fact is a [`Fact`]: known with the source that said it, or unknown with the reason. Nothing here has a
//! default that could be taken for a measurement.

mod agree;
mod damage;
mod fact;
mod gpu;
mod host;
mod link;
mod machine;
mod rdma;
mod variable;

pub use agree::Listed;
pub use damage::Damage;
pub use fact::{Difference, Fact, Identifiers};
pub use gpu::{
    EccCounts, FabricState, Gpu, LostGpu, NvLink, NvLinkErrors, NvLinkRemote, NvLinkRemoteKind, PcieLink, PcieUplink,
    RemappedRows, Switch,
};
pub use host::{Host, IommuMode, LogEvent, LogEventKind, NumaNode, PciBridge, PciDevice};
pub use link::{GpuNic, GpuPair, LinkClass, Nic, NicPair, P2pStatus};
pub use machine::{Facts, Origin, Vendor};
pub use rdma::{Gid, PortState, RdmaDevice, RdmaPort};
pub use variable::is_kept_variable;
