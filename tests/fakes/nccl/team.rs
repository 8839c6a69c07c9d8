//! The ranks of a communicator as one of them knows them, and what joins two of them.

use std::{collections::BTreeSet, env};

/// A rank of the communicator.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its process.
    pub process: u32,
    /// Its GPU's number.
    pub device: u32,
    /// Its GPU's PCI address as NCCL writes it.
    pub bus: u64,
    /// Its host.
    pub host: u64,
}

/// What a rank knows.
#[derive(Clone, Debug)]
pub struct Team {
    /// The communicator's address, as far as the log tells.
    pub handle: usize,
    /// This rank.
    pub rank: usize,
    /// The number of ranks.
    pub ranks: usize,
    /// This rank's GPU by number.
    pub device: u32,
    /// And by PCI address.
    pub bus: u64,
    /// What is the same on all ranks of the communicator only.
    pub nonce: u64,
    /// The function that made it.
    pub function: &'static str,
    /// All ranks, once they have met.
    pub peers: Vec<Peer>,
}

/// What carries a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// From GPU to GPU.
    Peer,
    /// The host's memory.
    Shared,
    /// Sockets.
    Network,
}

/// Whether a variable is 1.
fn is_on(name: &str) -> bool {
    env::var(name).is_ok_and(|value| value.trim() == "1")
}

fn number(name: &str) -> Option<usize> {
    env::var(name).ok()?.trim().parse().ok()
}

impl Team {
    /// What carries a connection.
    pub fn carrier(&self, from: usize, to: usize) -> Carrier {
        let (from, to) = (self.peers.get(from), self.peers.get(to));
        let is_far = from.map(|peer| peer.host) != to.map(|peer| peer.host);
        match (is_far, is_on("NCCL_P2P_DISABLE"), is_on("NCCL_SHM_DISABLE")) {
            (false, false, _) => Carrier::Peer,
            (false, true, false) => Carrier::Shared,
            (true, _, _) | (false, true, true) => Carrier::Network,
        }
    }

    /// How one GPU reaches another's memory.
    pub fn peer_kind(&self, from: usize, to: usize) -> &'static str {
        let process = |rank: usize| self.peers.get(rank).map(|peer| peer.process);
        if process(from) == process(to) {
            "direct pointer"
        } else if crate::version::is_rccl() || number("NCCL_CUMEM_ENABLE") == Some(0) {
            "IPC"
        } else {
            "CUMEM"
        }
    }

    /// The ranks before and behind this one in the ring.
    pub fn neighbours(&self) -> (usize, usize) {
        ((self.rank + self.ranks - 1) % self.ranks, (self.rank + 1) % self.ranks)
    }

    /// The number of channels, by the slowest connection of the ring.
    pub fn channels(&self) -> usize {
        let pairs = (0..self.ranks).map(|rank| self.carrier(rank, (rank + 1) % self.ranks));
        let own = pairs.map(|carrier| match carrier {
            Carrier::Peer => 24,
            Carrier::Shared => 4,
            Carrier::Network => 2,
        });
        let own = own.min().unwrap_or(1);
        let most = number("NCCL_MAX_CTAS").or_else(|| number("NCCL_MAX_NCHANNELS")).unwrap_or(own);
        let least = number("NCCL_MIN_CTAS").or_else(|| number("NCCL_MIN_NCHANNELS")).unwrap_or(1);
        own.min(most).max(least).clamp(1, 64)
    }

    /// The number of nodes, of the ranks on this one, and the number of this rank among them.
    pub fn nodes(&self) -> (usize, usize, usize) {
        let hosts: BTreeSet<u64> = self.peers.iter().map(|peer| peer.host).collect();
        let own = self.peers.get(self.rank).map(|peer| peer.host);
        let local = |peers: &[Peer]| peers.iter().filter(|peer| Some(peer.host) == own).count();
        (hosts.len(), local(&self.peers), local(self.peers.get(..self.rank).unwrap_or_default()))
    }

    /// Two ranks on one GPU, which the library refuses.
    pub fn duplicate(&self) -> Option<(usize, usize)> {
        let all = || self.peers.iter().enumerate();
        all().find_map(|(at, peer)| {
            let same = |other: &Peer| other.bus == peer.bus && other.host == peer.host;
            all().take(at).find(|(_, other)| same(other)).map(|(before, _)| (at, before))
        })
    }
}
