//! Memory of GPUs and of the host, which is the process's own; a table of it all, so that a call that goes beyond fails.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{
    device,
    fault::{self, Moment},
    stream,
};

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A GPU's.
    Device,
    /// The host's, which a GPU reaches.
    Host,
}

/// Bytes behind each piece that belong to nobody: what a library writes beyond the end hurts nobody else.
const SLACK: usize = 64;
/// Where pieces begin: at multiples of what the driver uses.
const ALIGNMENT: usize = 512;

#[derive(Clone, Copy)]
struct Piece {
    bytes: u64,
    kind: Kind,
    /// The GPU that was current when it was made.
    device: usize,
}

static PIECES: Mutex<BTreeMap<u64, Piece>> = Mutex::new(BTreeMap::new());

fn pieces() -> MutexGuard<'static, BTreeMap<u64, Piece>> {
    PIECES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn layout(bytes: u64) -> Option<Layout> {
    let bytes = usize::try_from(bytes).ok()?.checked_add(SLACK)?;
    Layout::from_size_align(bytes, ALIGNMENT).ok()
}

/// Why there is no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// None is left.
    Exhausted,
    /// No bytes were asked for.
    Nothing,
}

/// New memory, of zeros.
pub fn allocate(bytes: u64, kind: Kind) -> Result<u64, Refusal> {
    if bytes == 0 {
        return Err(Refusal::Nothing);
    }
    let is_device = kind == Kind::Device;
    if is_device && (is_denied(bytes) || bytes > device::memory().0) {
        return Err(Refusal::Exhausted);
    }
    let layout = layout(bytes).ok_or(Refusal::Exhausted)?;
    // SAFETY: the layout is not empty.
    let address = unsafe { alloc_zeroed(layout) } as u64;
    if address == 0 {
        return Err(Refusal::Exhausted);
    }
    if is_device {
        device::take(bytes);
    }
    pieces().insert(address, Piece { bytes, kind, device: device::current().unwrap_or(0) });
    Ok(address)
}

/// Whether the fault `out-of-memory` is asked for: without the key `bytes` for every size.
fn is_denied(bytes: u64) -> bool {
    let gpu = device::current().map(|device| device as u64);
    let fault = fault::of("out-of-memory", &Moment { gpu, ..Moment::default() });
    fault.is_some_and(|fault| bytes > fault.number("bytes").unwrap_or(0))
}

/// Gives memory back, once all streams of its GPU are done; `false` where it is none.
pub fn free(address: u64, kind: Kind) -> bool {
    let found = pieces().get(&address).filter(|piece| piece.kind == kind).copied();
    let Some(piece) = found else { return false };
    stream::wait_for_all(piece.device);
    let Some(piece) = pieces().remove(&address) else { return false };
    if kind == Kind::Device {
        device::give_back(piece.bytes);
    }
    if let Some(layout) = layout(piece.bytes) {
        // SAFETY: the memory came from the same layout, and the table held it until now.
        unsafe { dealloc(address as *mut u8, layout) };
    }
    true
}

/// Whether so many bytes from an address on lie in one piece of a kind.
pub fn holds(address: u64, bytes: u64, kind: Kind) -> bool {
    kind_of(address, bytes) == Some(kind)
}

/// Whose memory so many bytes from an address on are.
pub fn kind_of(address: u64, bytes: u64) -> Option<Kind> {
    let pieces = pieces();
    let (start, piece) = pieces.range(..=address).next_back()?;
    let end = (address - start).checked_add(bytes)?;
    (end <= piece.bytes).then_some(piece.kind)
}
