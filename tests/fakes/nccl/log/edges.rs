//! The lines of connections: `Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM`.

use super::info;
use crate::{
    team::{Carrier, Team},
    version,
};

/// The connections of one rank to its neighbours in rings, or in trees, which are chains here.
pub fn connect(team: &Team, is_tree: bool) {
    let rank = team.rank;
    let (before, after) = team.neighbours();
    let channels = team.channels();
    let mut pairs = vec![(before, rank), (rank, after)];
    if is_tree {
        let chain = (rank > 0).then(|| rank - 1).into_iter().chain((rank + 1 < team.ranks).then_some(rank + 1));
        pairs = chain.flat_map(|other| [(other, rank), (rank, other)]).collect();
    }
    for channel in 0..channels {
        for (from, to) in &pairs {
            edge(team, channel, *from, *to);
        }
    }
    let graph = if is_tree { "trees" } else { "rings, use ring PXN 0 GDR 1" };
    info(&["INIT"], &format!("Connected all {graph}"));
}

/// A network's connection is told at both ends, every other by its sender.
fn edge(team: &Team, channel: usize, from: usize, to: usize) {
    let ends = format!("{} -> {}", end(team, from), end(team, to));
    let is_sender = from == team.rank;
    let tail = match version::is_rccl() {
        true => format!(" comm {:#x} nRanks {:02}", team.handle, team.ranks),
        false => String::new(),
    };
    match team.carrier(from, to) {
        Carrier::Network => {
            let way = if is_sender { "send" } else { "receive" };
            let text = format!("Channel {channel:02}/0 : {ends} [{way}] via NET/Socket/0{tail}");
            info(&["INIT", "NET"], &text);
        }
        Carrier::Shared if is_sender => {
            info(&["INIT", "SHM"], &format!("Channel {channel:02} : {ends} via SHM/direct/direct{tail}"));
        }
        Carrier::Peer if is_sender => {
            let kind = team.peer_kind(from, to);
            info(&["INIT", "P2P"], &format!("Channel {channel:02}/0 : {ends} via P2P/{kind}{tail}"));
        }
        Carrier::Shared | Carrier::Peer => {}
    }
}

/// A rank with its GPU: by number, by bus in RCCL.
fn end(team: &Team, rank: usize) -> String {
    let peer = team.peers.get(rank);
    let (device, bus) = peer.map_or((0, 0), |peer| (peer.device, peer.bus));
    if version::is_rccl() { format!("{rank}[{bus:x}]") } else { format!("{rank}[{device}]") }
}
