//! Communicators and their handles.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering},
    },
};

use super::{
    abi::{Code, IN_PROGRESS, INVALID_ARGUMENT},
    meeting::{Meeting, Rest},
    say::{self, Handle},
    team::Team,
};

/// One rank's side of a communicator.
#[derive(Debug)]
pub struct Communicator {
    /// This rank.
    pub rank: usize,
    /// The number of ranks.
    pub ranks: usize,
    /// The GPU's number.
    pub device: u32,
    /// What is known once the ranks have met.
    pub met: OnceLock<(Meeting, Team)>,
    /// What `ncclCommGetAsyncError` says.
    pub state: AtomicI32,
    /// Whether what waits is to give up.
    pub aborted: AtomicBool,
    /// How many collectives were called.
    pub calls: AtomicU64,
    /// How many of them are not done.
    pub pending: AtomicUsize,
    /// Whether the rings are connected, and the trees.
    pub connected: [AtomicBool; 2],
}

static COMMUNICATORS: Mutex<BTreeMap<usize, Arc<Communicator>>> = Mutex::new(BTreeMap::new());
/// Handles are never used twice, so that an old one is found out.
static NEXT: AtomicUsize = AtomicUsize::new(0x55d0_0000_0000);

fn all() -> MutexGuard<'static, BTreeMap<usize, Arc<Communicator>>> {
    COMMUNICATORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A handle of its own.
pub fn next_handle() -> usize {
    NEXT.fetch_add(0x100, Ordering::Relaxed)
}

/// Keeps a communicator under its handle.
pub fn keep(handle: usize, communicator: &Arc<Communicator>) {
    all().insert(handle, Arc::clone(communicator));
}

/// The communicator of a handle.
pub fn of(handle: Handle) -> Option<Arc<Communicator>> {
    all().get(&(handle as usize)).cloned()
}

/// The communicator of a handle, which is none from now on.
pub fn take(handle: Handle) -> Option<Arc<Communicator>> {
    all().remove(&(handle as usize))
}

/// Runs a call on a communicator; the code of a wrong argument where there is none.
pub fn with(handle: Handle, call: impl FnOnce(&Arc<Communicator>) -> Code) -> Code {
    match of(handle) {
        Some(communicator) => call(&communicator),
        None => say::failed(INVALID_ARGUMENT, "the communicator is none, or was destroyed"),
    }
}

impl Communicator {
    /// A communicator that is being made.
    pub fn new(rank: usize, ranks: usize, device: u32) -> Self {
        Self {
            rank,
            ranks,
            device,
            met: OnceLock::new(),
            state: AtomicI32::new(IN_PROGRESS),
            aborted: AtomicBool::new(false),
            calls: AtomicU64::new(0),
            pending: AtomicUsize::new(0),
            connected: [const { AtomicBool::new(false) }; 2],
        }
    }

    /// Waits until its collectives are done, for ever if one hangs.
    pub fn wait(&self) {
        let mut rest = Rest::default();
        while self.pending.load(Ordering::Acquire) > 0 {
            rest.turn();
        }
    }

    /// Waits until it is aborted.
    pub fn hang(&self) {
        let mut rest = Rest::default();
        while !self.aborted.load(Ordering::Acquire) {
            rest.turn();
        }
    }
}
