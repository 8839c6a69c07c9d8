use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::Damage;

/// What a log of NCCL or RCCL says (`NCCL_DEBUG=INFO`), whatever process wrote which line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryLog {
    /// The files that it was read from.
    pub sources: Vec<String>,
    /// The library's versions: `NCCL 2.28.9`, `RCCL 2.21.5`. More than one where ranks loaded different libraries.
    pub libraries: BTreeSet<String>,
    /// The ranks that spoke of themselves.
    pub ranks: BTreeMap<u32, LogRank>,
    /// The communicators' identities; several where the program made more than one. Libraries that print no identity
    /// get `nranks 8`, the number of ranks.
    pub communicators: BTreeSet<String>,
    /// The number of nodes that the library saw.
    pub nodes: BTreeSet<u32>,
    /// The connections, each once: by ranks, then by what carries them.
    pub edges: BTreeSet<Edge>,
    /// The rings as orders of ranks, each once.
    pub rings: BTreeSet<Vec<u32>>,
    /// Edges of the trees, child and parent.
    pub trees: BTreeSet<(u32, u32)>,
    /// Whether a rank says that it connected its rings. Since 2.22 the library connects what it uses, when it first
    /// uses it; before, everything.
    pub rings_connected: bool,
    /// Whether a rank says that it connected its trees.
    pub trees_connected: bool,
    /// The numbers of channels for collectives that ranks announce.
    pub channels: BTreeSet<u32>,
    /// What the library chose for which size.
    pub choices: BTreeSet<Choice>,
    /// Variables that the library says it took from the environment, with every value seen.
    pub environment: BTreeMap<String, BTreeSet<String>>,
    /// The networks chosen: `IB`, `Socket`, a plugin's name.
    pub networks: BTreeSet<String>,
    /// The network's devices by the number that edges name: `mlx5_0`.
    pub network_devices: BTreeMap<u32, BTreeSet<String>>,
    /// Adapters for which GPUDirect RDMA is disabled.
    pub gpudirect_disabled: BTreeSet<String>,
    /// Whether a communicator really uses NVLink SHARP.
    pub nvls_used: bool,
    /// The library's own matrix of paths between GPUs.
    pub paths: BTreeSet<GpuPath>,
    /// Warnings, the first of them.
    pub warnings: Vec<LogLine>,
    /// How many warnings there are.
    pub warning_count: u64,
    /// The library's lines.
    pub lines: u64,
    /// Its lines of a form that is not known.
    pub unknown_lines: u64,
    /// Parts that gave nothing.
    pub damage: Vec<Damage>,
}

/// A rank as its own lines describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogRank {
    /// The host in front of its lines.
    pub host: Option<String>,
    /// The number of ranks of its communicator.
    pub of: Option<u32>,
    /// Its GPU by the driver's index.
    pub device: Option<u32>,
    /// The PCI address of its GPU as the library writes it, in hexadecimal without colons: `1a000`.
    pub bus: Option<String>,
    /// Whether every communicator that it began to make was made.
    pub complete: bool,
}

/// A connection from one rank to another and what carries it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Edge {
    /// The sending rank.
    pub from: u32,
    /// The receiving rank.
    pub to: u32,
    /// What carries it.
    pub carrier: Carrier,
}

/// What carries a connection, as the log says it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Carrier {
    /// Peer to peer, over NVLink, xGMI or PCIe: the words do not tell which. Holds the kind, such as `CUMEM`.
    PeerToPeer(String),
    /// Through another GPU of the host: `indirect`. Holds which one, by rank and device: `2[2]`.
    Indirect(String),
    /// Through the host's memory.
    SharedMemory,
    /// Through a network.
    Network {
        /// The network: `IB`, `Socket`, a plugin's name.
        name: String,
        /// The number of its device.
        device: Option<u32>,
        /// Whether the network reads and writes the GPU's memory.
        gpudirect: bool,
        /// Another rank that hands the traffic on (PXN).
        proxy: Option<u32>,
    },
    /// Through a network that reduces, by its name. Such a connection is of one rank, which stands at both ends.
    CollNet(String),
    /// Something that is not known, by its first word.
    Other(String),
}

/// What the library chose for one size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// The operation as the log names it: `AllReduce`; old logs do not.
    pub operation: Option<String>,
    /// The size in bytes.
    pub bytes: u64,
    /// The algorithm by the language's name: `Ring`, `NVLSTree`; one that it does not know as the log has it. For
    /// symmetric memory and copy engines it is the kernel or the variant.
    pub algorithm: String,
    /// The protocol by the language's name: `LL128`, `Simple`; the variant, such as `Symmetric`, where there is none.
    pub protocol: String,
    /// The number of channels.
    pub channels: Option<u32>,
}

/// One cell of the library's own matrix of paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct GpuPath {
    /// The host in front of the line.
    pub host: Option<String>,
    /// PCI address of one GPU, in hexadecimal without colons.
    pub from: String,
    /// PCI address of the other.
    pub to: String,
    /// The path's class: `NVL`, `NVB`, `PIX`, `PXB`, `PHB`, `SYS`, `XGMI`.
    pub class: String,
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// The file.
    pub source: String,
    /// Its line, from 1.
    pub line: u32,
    /// The message without its prefix, shortened.
    pub text: String,
}
