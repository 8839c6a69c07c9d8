use super::{
    Collective, Command, Compare, Copy, GpuExpect, HostExpect, MachineExpect, Node, P2p, RdmaPorts, Topology,
    collective, command, compare, copy,
    decoder::Errors,
    gpu, host, p2p, rdma_ports,
    shape::{Key, Shape, key},
    topology,
};

/// The one thing that a test checks.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a suite holds one for each of its cells at most, behind an `Arc`")]
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

/// The keys of a test of which exactly one is there.
pub(super) const KINDS: &[Key] = &[
    key("topology", topology::SHAPE, "how GPUs are joined to each other or to NICs"),
    key("p2p", p2p::SHAPE, "what peers may do with each other's memory"),
    key("rdma_ports", rdma_ports::SHAPE, "what holds of every port of the chosen RDMA devices"),
    key("gpu", Shape::NotEmpty(gpu::KEYS), "what holds of every GPU"),
    key("host", Shape::NotEmpty(host::KEYS), "what holds of the host"),
    key("command", Shape::Map(command::KEYS), "a program of the site's own, run without a shell"),
    key("collective", Shape::Map(collective::KEYS), "an operation of NCCL or RCCL over a range of sizes"),
    key("copy", Shape::Map(copy::KEYS), "copies between host and devices or between peers"),
    key("compare", Shape::Map(compare::KEYS), "two cases' bandwidths set against each other"),
];

impl Kind {
    /// Reads the value of one of [`KINDS`].
    pub(super) fn decode(name: &str, node: &Node, errors: &mut Errors) -> Option<Self> {
        match name {
            "topology" => Topology::decode(node, errors).map(Self::Topology),
            "p2p" => P2p::decode(node, errors).map(Self::P2p),
            "rdma_ports" => RdmaPorts::decode(node, errors).map(Self::RdmaPorts),
            "gpu" => GpuExpect::decode(node, errors).map(Self::Gpu),
            "host" => HostExpect::decode(node, errors).map(Self::Host),
            "command" => Command::decode(node, errors).map(Self::Command),
            "collective" => Collective::decode(node, errors).map(Self::Collective),
            "copy" => Copy::decode(node, errors).map(Self::Copy),
            "compare" => Compare::decode(node, errors).map(Self::Compare),
            _ => None,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{flow, good},
        *,
    };

    #[test]
    fn every_kind_has_its_decoder() {
        let values = [
            ("topology", "{ between: [gpu, gpu], require: NVLink }"),
            ("p2p", "{ read: ok }"),
            ("rdma_ports", "{ count: 1 }"),
            ("gpu", "{ count: 8 }"),
            ("host", "{ iommu: off }"),
            ("command", "{ run: [\"true\"] }"),
            ("collective", "{ op: all_reduce, sizes: [64M] }"),
            ("copy", "{ from: host, to: device }"),
            ("compare", "{ left: a, right: b, at: [1G], ratio: { min: 1 } }"),
        ];
        assert_eq!(KINDS.iter().map(|key| key.name).collect::<Vec<_>>(), values.map(|(name, _)| name));
        for (name, text) in values {
            let kind = good(|node, errors| Kind::decode(name, node, errors), &flow(text));
            assert_eq!(kind.name(), name);
        }
    }
}
