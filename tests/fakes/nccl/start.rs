//! How a communicator is made.

use std::{
    env,
    ffi::c_int,
    hash::{DefaultHasher, Hash, Hasher},
    process,
    sync::{Arc, atomic::Ordering},
    thread,
};

use super::{
    abi::{Code, IN_PROGRESS, INVALID_ARGUMENT, INVALID_USAGE, REMOTE, SYSTEM, UNHANDLED_CUDA, UniqueId},
    communicator::{self, Communicator},
    fault::{self, Moment},
    identity, log,
    meeting::{Aborted, MOST_RANKS, Meeting},
    runtime,
    say::{self, Handle},
    team::{Peer, Team},
    trouble, version,
};

/// What a caller asks for beside the ranks.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The function that was called.
    pub function: &'static str,
    /// Whether the call waits until the communicator is there.
    pub blocking: bool,
    /// `nvlinkCentricSched`.
    pub is_centric: bool,
}

/// `ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank)`.
///
/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommInitRank(to: *mut Handle, ranks: c_int, id: UniqueId, rank: c_int) -> Code {
    let options = Options { function: "ncclCommInitRank", blocking: true, is_centric: false };
    // SAFETY: as the caller promises.
    unsafe { begin(to, ranks, id, rank, options) }
}

/// Makes a communicator, here or on a thread of its own.
///
/// # Safety
///
/// The pointer is null or good.
pub unsafe fn begin(to: *mut Handle, ranks: c_int, id: UniqueId, rank: c_int, options: Options) -> Code {
    let (ranks, rank) = (usize::try_from(ranks).unwrap_or(0), usize::try_from(rank).unwrap_or(usize::MAX));
    if to.is_null() || rank >= ranks || ranks > MOST_RANKS {
        return say::failed(INVALID_ARGUMENT, &format!("Invalid rank requested : {rank}/{ranks}"));
    }
    let Some(place) = identity::place(&id) else {
        return say::failed(INVALID_ARGUMENT, "the identity is none of this library's");
    };
    let Some((device, bus)) = runtime::current() else {
        return say::failed(UNHANDLED_CUDA, "Cuda failure 201 'invalid device context'");
    };
    let handle = communicator::next_handle();
    let communicator = Arc::new(Communicator::new(rank, ranks, device));
    communicator::keep(handle, &communicator);
    let function = options.function;
    let team = Team { handle, rank, ranks, device, bus, nonce: place.nonce, function, peers: Vec::new() };
    let work = move || {
        let code = join(&communicator, &id, team, options.is_centric).err().unwrap_or(0);
        communicator.state.store(code, Ordering::Release);
        code
    };
    // SAFETY: as the caller promises.
    unsafe { to.write(handle as Handle) };
    // The variable is stronger than the configuration (NVIDIA/nccl: src/init.cc).
    if !options.blocking || env::var("NCCL_COMM_BLOCKING").as_deref() == Ok("0") {
        thread::spawn(work);
        return IN_PROGRESS;
    }
    let code = work();
    if code != 0 {
        communicator::take(handle as Handle);
        // SAFETY: as the caller promises.
        unsafe { to.write(std::ptr::null_mut()) };
    }
    code
}

fn join(communicator: &Communicator, id: &UniqueId, mut team: Team, is_centric: bool) -> Result<(), Code> {
    let moment =
        Moment { rank: Some(team.rank as u64), gpu: Some(team.device.into()), at: "init", ..Moment::default() };
    log::started(&team, is_centric);
    trouble::at(&moment);
    if let Some(fault) = fault::at("error", &moment) {
        return Err(say::failed(fault.code(UNHANDLED_CUDA), "the stand-in was asked to fail here"));
    }
    let meeting = Meeting::open(id, team.ranks);
    let meeting = meeting.ok_or_else(|| say::failed(SYSTEM, "Connect to the communicator's root failed"))?;
    let met = |_: Aborted| REMOTE;
    enter(&meeting, &team);
    meeting.barrier(&communicator.aborted).map_err(met)?;
    team.peers = peers(&meeting);
    if let Some((rank, other)) = team.duplicate() {
        let text = format!("Duplicate GPU detected : rank {rank} and rank {other} both on CUDA device {:x}", team.bus);
        return Err(say::failed(INVALID_USAGE, &text));
    }
    log::graph(&team);
    // Since 2.22 the library connects what it uses, when it first uses it.
    if version::code() < 22_200 {
        for (is_tree, connected) in [false, true].into_iter().zip(&communicator.connected) {
            connected.store(true, Ordering::Relaxed);
            log::connect(&team, is_tree);
        }
    }
    meeting.barrier(&communicator.aborted).map_err(met)?;
    log::complete(&team);
    // Nobody else sets it.
    communicator.met.set((meeting, team)).map_err(|_| INVALID_USAGE)
}

/// Says who this rank is.
fn enter(meeting: &Meeting, team: &Team) {
    let Some(slot) = meeting.slots().get(team.rank) else { return };
    slot.process.store(process::id(), Ordering::Relaxed);
    slot.device.store(team.device, Ordering::Relaxed);
    slot.bus.store(team.bus, Ordering::Relaxed);
    slot.host.store(host(), Ordering::Relaxed);
}

/// What tells hosts apart: `NCCL_HOSTID` alone, since all ranks are on one.
fn host() -> u64 {
    let mut hasher = DefaultHasher::new();
    env::var("NCCL_HOSTID").unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

fn peers(meeting: &Meeting) -> Vec<Peer> {
    let peer = |slot: &super::meeting::Slot| Peer {
        process: slot.process.load(Ordering::Relaxed),
        device: slot.device.load(Ordering::Relaxed),
        bus: slot.bus.load(Ordering::Relaxed),
        host: slot.host.load(Ordering::Relaxed),
    };
    meeting.slots().iter().map(peer).collect()
}
