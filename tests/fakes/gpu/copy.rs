//! What streams do with memory. Addresses are checked when the work is handed in; memory is freed only once all streams
//! of its GPU are done, so a GPU's streams are to work on its own memory, as those of one rank do.

use super::{memory, memory::Kind, stream};

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An address, or what lies behind it.
    Memory,
    /// The stream.
    Stream,
}

/// Sets bytes of a GPU's memory.
pub fn fill(address: u64, bytes: u64, value: u8, handle: usize) -> Result<(), Refusal> {
    if !memory::holds(address, bytes, Kind::Device) {
        return Err(Refusal::Memory);
    }
    let work = move || {
        // SAFETY: the table held the bytes, and they are freed only once the stream is done.
        unsafe { std::ptr::write_bytes(address as *mut u8, value, bytes as usize) };
    };
    accepted(stream::enqueue(handle, Box::new(work)))
}

/// Copies bytes from memory of one kind to another's; without kinds, from and to any memory that is known.
pub fn copy(to: u64, from: u64, bytes: u64, kinds: Option<(Kind, Kind)>, handle: usize) -> Result<(), Refusal> {
    let found = memory::kind_of(from, bytes).zip(memory::kind_of(to, bytes));
    if found.is_none() || kinds.is_some_and(|kinds| found != Some(kinds)) {
        return Err(Refusal::Memory);
    }
    let work = move || {
        // SAFETY: the table held both ranges, and they are freed only once the stream is done; they may overlap.
        unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes as usize) };
    };
    accepted(stream::enqueue(handle, Box::new(work)))
}

fn accepted(is_there: bool) -> Result<(), Refusal> {
    if is_there { Ok(()) } else { Err(Refusal::Stream) }
}
