use std::fmt;

use crate::{evidence::Carrier, verdict::topology::Held};

/// What joins two GPUs that reach each other's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PeerLink {
    NvLink,
    Xgmi,
    Pcie,
}

impl PeerLink {
    /// The transport's name in the language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NvLink => "NVLink",
            Self::Xgmi => "XGMI",
            Self::Pcie => "PCIe",
        }
    }
}

/// What a connection uses, in the language's terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Used {
    /// Peer to peer: over this link, or why the link is not known.
    Peer(Result<PeerLink, String>),
    /// The host's memory.
    SharedMemory,
    /// A network by the library's name for it.
    Network { name: String, gpudirect: bool },
    /// A network that reduces.
    CollNet,
    /// NVLink SHARP, which reduces in the switches.
    Nvls,
    /// Something of which no transport is known, with the log's word for it.
    Other(String),
}

impl Used {
    /// What a carrier uses. The words for peer to peer do not tell the link: `link` does, or why it is not known.
    pub fn of(carrier: &Carrier, link: impl FnOnce() -> Result<PeerLink, String>) -> Self {
        match carrier {
            // The fabric that joins the nodes is NVLink: MNNVL stands for multi-node NVLink.
            Carrier::PeerToPeer(kind) if kind.starts_with("MNNVL") => Self::Peer(Ok(PeerLink::NvLink)),
            Carrier::PeerToPeer(_) => Self::Peer(link()),
            Carrier::Indirect(_) => {
                Self::Peer(Err("it goes through another GPU, by links that the log does not tell".to_owned()))
            }
            Carrier::SharedMemory => Self::SharedMemory,
            Carrier::Network { name, gpudirect, .. } => Self::Network { name: name.clone(), gpudirect: *gpudirect },
            Carrier::CollNet(_) => Self::CollNet,
            Carrier::Other(word) => Self::Other(word.clone()),
        }
    }

    /// Whether a transport of the language is in use.
    pub fn is(&self, transport: &str) -> Held {
        match self {
            Self::Peer(link) => peer(link.as_ref().ok().copied(), transport),
            Self::SharedMemory => held(transport == "SHM"),
            Self::Network { name, gpudirect } => network(name, *gpudirect, transport),
            // Which network it is, the log does not tell.
            Self::CollNet if matches!(transport, "IB" | "IB/GDRDMA" | "Socket") => Held::Unknown,
            Self::CollNet => held(matches!(transport, "CollNet" | "NET")),
            Self::Nvls => held(matches!(transport, "NVLS" | "NVLink" | "P2P")),
            Self::Other(_) => Held::Unknown,
        }
    }

    /// Why a transport is not known to be in use or not.
    pub fn doubt(&self) -> String {
        match self {
            Self::Peer(Err(reason)) => reason.clone(),
            Self::Network { name, .. } => format!("what the network `{name}` runs over is not known"),
            Self::CollNet => "the log does not tell which network CollNet runs over".to_owned(),
            Self::Other(word) => format!("the log says `{word}`, which is not known"),
            Self::Peer(Ok(_)) | Self::SharedMemory | Self::Nvls => {
                "the log does not tell whether NVLS is in use".to_owned()
            }
        }
    }

    /// Whether it stays within the GPUs of a node or of a fabric.
    pub const fn is_peer(&self) -> bool {
        matches!(self, Self::Peer(_))
    }
}

fn held(yes: bool) -> Held {
    if yes { Held::Yes } else { Held::No }
}

fn peer(link: Option<PeerLink>, transport: &str) -> Held {
    match transport {
        "P2P" => Held::Yes,
        "NVLink" | "XGMI" | "PCIe" => link.map_or(Held::Unknown, |link| held(link.name() == transport)),
        _ => Held::No,
    }
}

fn network(name: &str, gpudirect: bool, transport: &str) -> Held {
    let is_socket = name.eq_ignore_ascii_case("Socket");
    // Plugins for InfiniBand and RoCE are named IBext, IBext_v8, `NCCL RDMA Plugin v10`.
    let is_rdma = gpudirect || name.starts_with("IB") || name.to_ascii_uppercase().contains("RDMA");
    match transport {
        "NET" => Held::Yes,
        "IB/GDRDMA" => held(gpudirect),
        "Socket" if is_socket || is_rdma => held(is_socket && !is_rdma),
        "IB" if is_socket || is_rdma => held(is_rdma),
        // Another plugin may run over either.
        "IB" | "Socket" => Held::Unknown,
        _ => Held::No,
    }
}

impl fmt::Display for Used {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(Ok(link)) => f.pad(link.name()),
            Self::Peer(Err(_)) => f.pad("P2P"),
            Self::SharedMemory => f.pad("SHM"),
            Self::Network { name, .. } if name == "Socket" => f.pad("Socket"),
            Self::Network { name, gpudirect: true } if name == "IB" => f.pad("IB/GDRDMA"),
            Self::Network { name, gpudirect: false } if name == "IB" => f.pad("IB"),
            Self::Network { name, gpudirect } => {
                f.pad(&format!("NET/{name}{}", if *gpudirect { "/GDRDMA" } else { "" }))
            }
            Self::CollNet => f.pad("CollNet"),
            Self::Nvls => f.pad("NVLS"),
            Self::Other(word) => f.pad(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 11] =
        ["NVLink", "XGMI", "PCIe", "P2P", "NVLS", "SHM", "IB", "IB/GDRDMA", "Socket", "NET", "CollNet"];

    fn network(name: &str, gpudirect: bool) -> Used {
        Used::Network { name: name.into(), gpudirect }
    }

    /// The transports that are surely in use, and those that may be.
    fn uses(used: &Used) -> (Vec<&'static str>, Vec<&'static str>) {
        let with = |held| NAMES.into_iter().filter(|name| used.is(name) == held).collect();
        (with(Held::Yes), with(Held::Unknown))
    }

    #[test]
    fn what_a_connection_surely_uses_and_what_it_may() {
        let unknown = || Err("no matrix".to_owned());
        let cases: [(Used, &[&str], &[&str]); 12] = [
            (Used::Peer(Ok(PeerLink::NvLink)), &["NVLink", "P2P"], &[]),
            (Used::Peer(Ok(PeerLink::Xgmi)), &["XGMI", "P2P"], &[]),
            (Used::Peer(Ok(PeerLink::Pcie)), &["PCIe", "P2P"], &[]),
            (Used::Peer(unknown()), &["P2P"], &["NVLink", "XGMI", "PCIe"]),
            (Used::SharedMemory, &["SHM"], &[]),
            (network("Socket", false), &["Socket", "NET"], &[]),
            (network("IB", false), &["IB", "NET"], &[]),
            (network("IBext_v8", true), &["IB", "IB/GDRDMA", "NET"], &[]),
            (network("NCCL RDMA Plugin v10", false), &["IB", "NET"], &[]),
            (network("AWS Libfabric", false), &["NET"], &["IB", "Socket"]),
            (Used::Nvls, &["NVLink", "P2P", "NVLS"], &[]),
            (Used::CollNet, &["NET", "CollNet"], &["IB", "IB/GDRDMA", "Socket"]),
        ];
        for (used, sure, open) in cases {
            assert_eq!(uses(&used), (sure.to_vec(), open.to_vec()), "{used}");
        }
    }

    #[test]
    fn the_word_p2p_is_no_link_but_mnnvl_is() {
        let link = |carrier: Carrier| Used::of(&carrier, || Ok(PeerLink::Pcie));
        assert_eq!(link(Carrier::PeerToPeer("CUMEM".into())), Used::Peer(Ok(PeerLink::Pcie)));
        assert_eq!(link(Carrier::PeerToPeer("MNNVL".into())), Used::Peer(Ok(PeerLink::NvLink)));
        assert!(matches!(link(Carrier::Indirect("indirect".into())), Used::Peer(Err(_))));
    }
}
