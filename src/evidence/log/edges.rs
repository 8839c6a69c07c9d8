//! Connections: `Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM`.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::{Carrier, Edge},
    scan::{Scan, without_communicator},
};

/// More different connections than this are not kept, so that memory stays flat whatever a file holds. A host's file
/// of a job with thousands of ranks stays below.
const MOST: usize = 200_000;

/// The connections seen so far.
#[derive(Debug, Default)]
pub(super) struct Edges {
    seen: BTreeMap<(u32, u32), Vec<Carrier>>,
    count: usize,
    /// Whether some were not kept.
    pub(super) overflow: bool,
}

/// A connection as a line says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EdgeText<'a> {
    from: u32,
    to: u32,
    carrier: CarrierText<'a>,
    /// Whether the line cannot go on in a way that changes what it says.
    pub(super) whole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum CarrierText<'a> {
    PeerToPeer(&'a str),
    Indirect(&'a str),
    SharedMemory,
    Network { name: &'a str, device: u32, gpudirect: bool, proxy: Option<u32> },
    CollNet(&'a str),
    Other(&'a str),
}

impl Edges {
    pub(super) fn add(&mut self, edge: EdgeText<'_>) {
        let carriers = self.seen.entry((edge.from, edge.to)).or_default();
        if carriers.iter().any(|carrier| edge.carrier.is_said_by(carrier)) {
            return;
        }
        if let Some(plainer) = carriers.iter_mut().find(|carrier| edge.carrier.completes(carrier)) {
            *plainer = edge.carrier.owned();
            return;
        }
        if self.count >= MOST {
            self.overflow = true;
            return;
        }
        self.count += 1;
        carriers.push(edge.carrier.owned());
    }

    pub(super) fn has(&self, edge: EdgeText<'_>) -> bool {
        let carriers = self.seen.get(&(edge.from, edge.to));
        carriers.is_some_and(|carriers| carriers.iter().any(|carrier| edge.carrier.is_said_by(carrier)))
    }

    pub(super) fn into_set(self) -> BTreeSet<Edge> {
        let edges = self
            .seen
            .into_iter()
            .flat_map(|((from, to), carriers)| carriers.into_iter().map(move |carrier| Edge { from, to, carrier }));
        edges.collect()
    }
}

impl<'a> CarrierText<'a> {
    /// Whether the carrier is known already: only the sender's line names the proxy, so a line without one adds nothing
    /// to a carrier with one.
    fn is_said_by(self, known: &Carrier) -> bool {
        match (self, known) {
            (Self::PeerToPeer(kind), Carrier::PeerToPeer(known))
            | (Self::Indirect(kind), Carrier::Indirect(known))
            | (Self::CollNet(kind), Carrier::CollNet(known))
            | (Self::Other(kind), Carrier::Other(known)) => kind == known,
            (Self::SharedMemory, Carrier::SharedMemory) => true,
            (Self::Network { proxy, .. }, Carrier::Network { proxy: known_proxy, .. }) => {
                self.same_network(known) && (proxy.is_none() || proxy == *known_proxy)
            }
            _ => false,
        }
    }

    /// Whether this says of a known carrier which proxy it has.
    fn completes(self, known: &Carrier) -> bool {
        matches!(known, Carrier::Network { proxy: None, .. }) && self.same_network(known)
    }

    fn same_network(self, known: &Carrier) -> bool {
        let (
            Self::Network { name, device, gpudirect, .. },
            Carrier::Network { name: known_name, device: known_device, gpudirect: known_gpudirect, .. },
        ) = (self, known)
        else {
            return false;
        };
        name == known_name && Some(device) == *known_device && gpudirect == *known_gpudirect
    }

    fn owned(self) -> Carrier {
        match self {
            Self::PeerToPeer(kind) => Carrier::PeerToPeer(kind.to_owned()),
            Self::Indirect(through) => Carrier::Indirect(through.to_owned()),
            Self::SharedMemory => Carrier::SharedMemory,
            Self::Network { name, device, gpudirect, proxy } => {
                Carrier::Network { name: name.to_owned(), device: Some(device), gpudirect, proxy }
            }
            Self::CollNet(name) => Carrier::CollNet(name.to_owned()),
            Self::Other(transport) => Carrier::Other(transport.to_owned()),
        }
    }
}

/// A connection of two ranks from what follows `Channel 00/0 : `.
pub(super) fn connection(text: &str) -> Option<EdgeText<'_>> {
    let mut scan = Scan(without_communicator(text));
    let from = rank(&mut scan)?;
    scan.skip(" -> ")?;
    let to = rank(&mut scan)?;
    scan.skip(" ")?;
    let sends = scan.skip_if("[send] ");
    if !sends {
        scan.skip_if("[receive] ");
    }
    scan.skip("via ")?;
    let (carrier, whole) = carrier(scan.0, from)?;
    Some(EdgeText { from, to, carrier, whole })
}

/// A connection of one rank to a network that reduces, from what follows `CollNet `: `00/0 : 3 [send] via
/// COLLNET/SHARP/0/GDRDMA`.
pub(super) fn collnet(text: &str) -> Option<EdgeText<'_>> {
    let mut scan = Scan(without_communicator(text));
    scan.after(" : ")?;
    let rank = scan.number()?;
    if !scan.skip_if(" [send]") {
        scan.skip(" [receive]")?;
    }
    scan.skip(" via COLLNET/")?;
    let network = network(scan.0)?;
    let CarrierText::Network { name, .. } = network else { return None };
    Some(EdgeText { from: rank, to: rank, carrier: CarrierText::CollNet(name), whole: true })
}

/// `3[1a000]`: the rank; the device's index or bus in the brackets is what the rank's own lines say as well.
fn rank(scan: &mut Scan<'_>) -> Option<u32> {
    let rank = scan.number()?;
    scan.skip("[")?;
    scan.take(|byte| byte.is_ascii_hexdigit());
    scan.skip("]")?;
    Some(rank)
}

/// What carries a connection, and whether the text cannot be the front of another one. A known word that is cut off is
/// none.
fn carrier(text: &str, from: u32) -> Option<(CarrierText<'_>, bool)> {
    if let Some(kind) = text.strip_prefix("P2P/") {
        return peer_to_peer(kind).map(|carrier| (carrier, true));
    }
    if text == "direct shared memory" || text.starts_with("SHM/") {
        return Some((CarrierText::SharedMemory, true));
    }
    if let Some(network_text) = text.strip_prefix("NET/") {
        let CarrierText::Network { name, device, gpudirect, proxy } = network(network_text)? else { return None };
        // A rank that hands on its own traffic is no proxy.
        let proxy = proxy.filter(|proxy| *proxy != from);
        return Some((CarrierText::Network { name, device, gpudirect, proxy }, gpudirect));
    }
    let (transport, _) = text.split_once('/')?;
    (!transport.is_empty()).then_some((CarrierText::Other(transport), true))
}

fn peer_to_peer(text: &str) -> Option<CarrierText<'_>> {
    const KINDS: &[&str] = &["CUMEM", "IPC", "direct pointer", "MNNVL"];
    let mut kind = text;
    while let Some(rest) = ["/read", "/write", "/CE"].iter().find_map(|suffix| kind.strip_suffix(suffix)) {
        kind = rest;
    }
    if let Some(through) = kind.strip_prefix("indirect/") {
        let mut scan = Scan(through);
        rank(&mut scan)?;
        return scan.is_empty().then_some(CarrierText::Indirect(through));
    }
    KINDS.contains(&kind).then_some(CarrierText::PeerToPeer(kind))
}

/// `IB/0(3)/GDRDMA(PCI)/Shared`. The name may hold blanks, and slashes, so what is known goes from the right.
fn network(text: &str) -> Option<CarrierText<'_>> {
    let text = text.strip_suffix("/Shared").unwrap_or(text);
    let (text, gpudirect) = match without_gpudirect(text) {
        Some(front) => (front, true),
        None => (text, false),
    };
    let (text, proxy) = match text.strip_suffix(')') {
        Some(front) => {
            let (front, proxy) = front.rsplit_once('(')?;
            (front, Some(proxy.parse().ok()?))
        }
        None => (text, None),
    };
    let (name, device) = text.rsplit_once('/')?;
    let mut scan = Scan(device);
    let device = scan.number()?;
    (!name.is_empty() && scan.is_empty()).then_some(CarrierText::Network { name, device, gpudirect, proxy })
}

/// The text in front of `/GDRDMA` or, with the way to the adapter, `/GDRDMA(PCI)`.
fn without_gpudirect(text: &str) -> Option<&str> {
    const MARK: &str = "/GDRDMA";
    text.strip_suffix(MARK).or_else(|| text.strip_suffix(')')?.rsplit_once('(')?.0.strip_suffix(MARK))
}

#[cfg(test)]
mod tests;
