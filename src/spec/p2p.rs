use super::Placed;

/// `p2p`: what peers may do with each other's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct P2p {
    /// Only these pairs of GPUs; all without it.
    pub pairs: Option<Placed<Vec<(u32, u32)>>>,
    /// Reads.
    pub read: Option<Placed<P2pWanted>>,
    /// Writes.
    pub write: Option<Placed<P2pWanted>>,
    /// Over NVLink.
    pub nvlink: Option<Placed<P2pWanted>>,
    /// Atomics.
    pub atomics: Option<Placed<P2pWanted>>,
}

/// What a P2P capability should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum P2pWanted {
    /// `ok`.
    Ok,
    /// `not-supported`: NS, CNS, GNS, TNS or DR.
    NotSupported,
}
