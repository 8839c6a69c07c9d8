use super::{Collective, Command, Compare, Copy, GpuExpect, HostExpect, MachineExpect, P2p, RdmaPorts, Topology};

/// The one thing that a test checks.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// The guard of the suite, `SUITE::machine`.
    Machine(MachineExpect),
    /// How devices are joined.
    Topology(Topology),
    /// What peers may do with each other's memory.
    P2p(P2p),
    /// RDMA ports.
    RdmaPorts(RdmaPorts),
    /// Every GPU.
    Gpu(GpuExpect),
    /// The host.
    Host(HostExpect),
    /// A program of the site's own.
    Command(Command),
    /// An operation of NCCL or RCCL.
    Collective(Collective),
    /// Copies.
    Copy(Copy),
    /// Two cases set against each other.
    Compare(Compare),
}

impl Kind {
    /// The key of the spec language.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Machine(_) => "machine",
            Self::Topology(_) => "topology",
            Self::P2p(_) => "p2p",
            Self::RdmaPorts(_) => "rdma_ports",
            Self::Gpu(_) => "gpu",
            Self::Host(_) => "host",
            Self::Command(_) => "command",
            Self::Collective(_) => "collective",
            Self::Copy(_) => "copy",
            Self::Compare(_) => "compare",
        }
    }
}
