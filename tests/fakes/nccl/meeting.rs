//! Where the ranks of a communicator meet: memory that they share, with a barrier. It has no name in any file system:
//! the process that made the identity holds it open, and the others open it there, so that nothing can be left behind.

use std::{
    fs::{File, OpenOptions},
    os::fd::{FromRawFd, IntoRawFd},
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use nix::libc;

use super::{abi::UniqueId, identity};

/// More ranks do not find room.
pub const MOST_RANKS: usize = 64;
/// Bytes that each rank hands over at once: whole elements of every type, for every number of ranks.
pub const CHUNK: usize = 256 << 10;
/// Bytes in front of the ranks' data.
const FRONT: usize = 16 << 10;

/// What a rank says of itself.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Slot {
    /// Its process.
    pub process: AtomicU32,
    /// Its GPU's number.
    pub device: AtomicU32,
    /// Its GPU's PCI address as NCCL writes it.
    pub bus: AtomicU64,
    /// What `NCCL_HOSTID` makes of its host.
    pub host: AtomicU64,
}

#[repr(C)]
struct Front {
    identity: AtomicU64,
    arrived: AtomicU32,
    generation: AtomicU32,
    slots: [Slot; MOST_RANKS],
}

const _: () = assert!(size_of::<Front>() <= FRONT);

/// The shared memory of one communicator.
#[derive(Debug)]
pub struct Meeting {
    base: *mut u8,
    bytes: usize,
    /// The number of ranks.
    pub ranks: usize,
}

// SAFETY: what is shared is atomic, or written by one rank between two barriers.
unsafe impl Send for Meeting {}
// SAFETY: as above.
unsafe impl Sync for Meeting {}

/// Somebody gave up waiting, because the communicator was aborted.
#[derive(Debug)]
pub struct Aborted;

/// Makes the memory of a new communicator; the file stays open as long as the process.
pub fn create(nonce: u64) -> Option<i32> {
    // SAFETY: a name with its zero byte.
    let file = unsafe { libc::memfd_create(c"linkspec-fake".as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return None;
    }
    // SAFETY: the descriptor was opened just now, and nobody else has it.
    let file = unsafe { File::from_raw_fd(file) };
    file.set_len(FRONT as u64).ok()?;
    let meeting = Meeting::map(&file, FRONT, 0)?;
    meeting.front().identity.store(nonce, Ordering::Release);
    Some(file.into_raw_fd())
}

impl Meeting {
    /// The memory of the communicator of an identity.
    pub fn open(id: &UniqueId, ranks: usize) -> Option<Self> {
        let place = identity::place(id)?;
        let path = format!("/proc/{}/fd/{}", place.process, place.file);
        let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
        let bytes = FRONT + (ranks + 1) * CHUNK;
        // Every rank does it, and the size is the same.
        file.set_len(bytes as u64).ok()?;
        let meeting = Self::map(&file, bytes, ranks)?;
        (meeting.front().identity.load(Ordering::Acquire) == place.nonce).then_some(meeting)
    }

    fn map(file: &File, bytes: usize, ranks: usize) -> Option<Self> {
        use std::os::fd::AsRawFd;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        (base != libc::MAP_FAILED).then_some(Self { base: base.cast(), bytes, ranks })
    }

    fn front(&self) -> &Front {
        // SAFETY: the mapping is page-aligned, larger than the front, and lives as long as this.
        unsafe { &*self.base.cast::<Front>() }
    }

    /// What the ranks say of themselves.
    pub fn slots(&self) -> &[Slot] {
        self.front().slots.get(..self.ranks).unwrap_or_default()
    }

    /// Where a rank puts what it sends; behind the last rank's, where the result comes.
    pub fn data(&self, rank: usize) -> *mut u8 {
        // SAFETY: the mapping has room for a chunk of every rank and one more.
        unsafe { self.base.add(FRONT + rank.min(self.ranks) * CHUNK) }
    }

    /// Waits until all ranks are here, for ever if need be.
    pub fn barrier(&self, aborted: &AtomicBool) -> Result<(), Aborted> {
        let front = self.front();
        let generation = front.generation.load(Ordering::Acquire);
        if front.arrived.fetch_add(1, Ordering::AcqRel) as usize + 1 == self.ranks {
            front.arrived.store(0, Ordering::Release);
            front.generation.fetch_add(1, Ordering::AcqRel);
            return Ok(());
        }
        let mut rest = Rest::default();
        while front.generation.load(Ordering::Acquire) == generation {
            if aborted.load(Ordering::Acquire) {
                return Err(Aborted);
            }
            rest.turn();
        }
        Ok(())
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own.
        unsafe { libc::munmap(self.base.cast(), self.bytes) };
    }
}

/// How a waiting rank spends its time: it spins, then it lets others run, as there are more ranks than CPUs, and when
/// it waits for long it sleeps.
#[derive(Default)]
pub struct Rest {
    turns: u32,
    since: Option<Instant>,
}

impl Rest {
    /// One turn of waiting.
    pub fn turn(&mut self) {
        const SPINS: u32 = 100;
        const PATIENCE: Duration = Duration::from_millis(5);
        const NAP: Duration = Duration::from_micros(200);
        self.turns = self.turns.saturating_add(1);
        if self.turns < SPINS {
            return std::hint::spin_loop();
        }
        if self.since.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
            thread::yield_now();
        } else {
            thread::sleep(NAP);
        }
    }
}
