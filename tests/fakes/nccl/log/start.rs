//! The lines of a communicator's making and end.

use super::{environment, info};
use crate::{
    runtime,
    team::{Carrier, Team},
    version,
};

const INIT: &[&str] = &["INIT"];
const GRAPH: &[&str] = &["GRAPH"];

/// The beginning: versions, settings, the network.
pub fn started(team: &Team, is_centric: bool) {
    environment::echo();
    if version::is_rccl() {
        info(INIT, &format!("RCCL version : {}-HEAD:0a1b2c3", version::text()));
        info(INIT, "HIP version  : 6.2.41134-0a1b2c3d4");
        info(INIT, "ROCm version : 6.2.0.0-66-0a1b2c3");
    } else {
        info(INIT, "cudaDriverVersion 13000");
        info(INIT, &format!("NCCL version {}+cuda13.0", version::text()));
    }
    if is_centric {
        info(&["ENV"], "Comm config nvlinkCentricSched set to 1");
    }
    info(&["INIT", "NET"], "NET/IB : No device found.");
    info(&["INIT", "NET"], "NET/Socket : Using [0]eth0:192.0.2.2<0>");
    info(INIT, "Using network Socket");
    info(INIT, &format!("{} - Init START", line(team)));
}

/// `ncclCommInitRank comm 0x.. rank 0 nranks 2 ..`.
fn line(team: &Team) -> String {
    let Team { handle, rank, ranks, device, bus, nonce, .. } = team;
    let function = if version::code() >= 22_100 { format!("{} ", team.function) } else { String::new() };
    format!(
        "{function}comm {handle:#x} rank {rank} nranks {ranks} cudaDev {device} nvmlDev {device} busId {bus:x} \
         commId {nonce:#x}"
    )
}

/// What joins the ranks: nodes, paths, rings, trees.
pub fn graph(team: &Team) {
    let count = team.ranks;
    let (nodes, local_ranks, local_rank) = team.nodes();
    matrix(team);
    let (rank, handle) = (team.rank, team.handle);
    info(
        INIT,
        &format!(
            "comm {handle:#x} rank {rank} nRanks {count} nNodes {nodes} localRanks {local_ranks} \
             localRank {local_rank} MNNVL 0"
        ),
    );
    let channels = team.channels();
    let (before, after) = team.neighbours();
    let order = (0..count).map(|rank| rank.to_string()).collect::<Vec<_>>().join(" ");
    for channel in 0..channels {
        if rank == 0 {
            info(INIT, &format!("Channel {channel:02}/{channels:02} : {order}"));
        }
        info(GRAPH, &format!("Ring {channel:02} : {before} -> {rank} -> {after}"));
    }
    let end = |is_there: bool, rank: usize| if is_there { rank.to_string() } else { "-1".to_owned() };
    let (up, down) = (end(rank > 0, rank.wrapping_sub(1)), end(rank + 1 < count, rank + 1));
    let trees = (0..channels).map(|channel| format!("[{channel}] {down}/-1/-1->{rank}->{up}"));
    info(INIT, &format!("Trees {}", trees.collect::<Vec<_>>().join(" ")));
    let is_direct = u8::from(team.carrier(rank, after) == Carrier::Peer);
    info(INIT, &format!("Check P2P Type isAllDirectP2p {is_direct} directMode 0 isAllCudaP2p 1"));
    info(
        INIT,
        &format!(
            "{channels} coll channels, {channels} collnet channels, 0 nvls channels, {channels} p2p channels, \
             {channels} p2p channels per peer"
        ),
    );
}

/// The library's own matrix of paths; between GPUs the class of `LINKSPEC_FAKE_PATH`.
fn matrix(team: &Team) {
    let class = std::env::var("LINKSPEC_FAKE_PATH").unwrap_or_else(|_| "NVL".to_owned());
    info(GRAPH, "=== System : maxBw 370.8 totalBw 370.8 ===");
    for from in &team.peers {
        let cell = |to: &crate::team::Peer| match to.bus == from.bus {
            true => format!("GPU/0-{:x} (0/5000.0/LOC)", to.bus),
            false => format!("GPU/0-{:x} (2/370.8/{class})", to.bus),
        };
        let cells: Vec<String> = team.peers.iter().filter(|to| to.host == from.host).map(cell).collect();
        info(GRAPH, &format!("GPU/0-{:x} :{} CPU/0-0 (1/48.0/PHB) ", from.bus, cells.join(" ")));
    }
}

/// The end of making it.
pub fn complete(team: &Team) {
    info(INIT, &format!("{} - Init COMPLETE", line(team)));
}

/// The end of a communicator: `Destroy` or `Abort`.
pub fn destroyed(team: &Team, how: &str) {
    let Team { handle, rank, ranks, bus, .. } = team;
    let device = runtime::device().unwrap_or(0);
    info(INIT, &format!("comm {handle:#x} rank {rank} nranks {ranks} cudaDev {device} busId {bus:x} - {how} COMPLETE"));
}
