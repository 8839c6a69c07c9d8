//! The functions that a stand-in of a collective library asks for.

use std::ffi::{c_char, c_int, c_void};

use super::{
    device,
    interface::{Current, Runtime, Work},
    memory::{self, Kind},
    stream,
};

/// Codes that are the same in CUDA and HIP.
const INVALID_VALUE: c_int = 1;
const OUT_OF_MEMORY: c_int = 2;
const INVALID_CONTEXT: c_int = 201;
const INVALID_HANDLE: c_int = 400;

static RUNTIME: Runtime = Runtime { current, allocate, free, holds, enqueue };

/// Where the functions are.
#[unsafe(no_mangle)]
pub extern "C" fn linkspec_fake_runtime() -> *const Runtime {
    &raw const RUNTIME
}

/// The mark of a stand-in.
#[unsafe(no_mangle)]
pub extern "C" fn linkspec_fake() {}

unsafe extern "C" fn current(out: *mut Current) -> c_int {
    // SAFETY: the caller's pointer is null or good.
    let Some(out) = (unsafe { out.as_mut() }) else { return INVALID_VALUE };
    let Some(device) = device::current() else { return INVALID_CONTEXT };
    let Some(address) = device::addresses().get(device) else { return INVALID_CONTEXT };
    out.device = device as c_int;
    out.address = [0; 16];
    for (to, byte) in out.address.iter_mut().take(15).zip(address.bytes()) {
        *to = byte as c_char;
    }
    0
}

unsafe extern "C" fn allocate(bytes: u64, out: *mut u64) -> c_int {
    // SAFETY: the caller's pointer is null or good.
    let Some(out) = (unsafe { out.as_mut() }) else { return INVALID_VALUE };
    match memory::allocate(bytes, Kind::Device) {
        Ok(address) => {
            *out = address;
            0
        }
        Err(memory::Refusal::Nothing) => INVALID_VALUE,
        Err(memory::Refusal::Exhausted) => OUT_OF_MEMORY,
    }
}

unsafe extern "C" fn free(address: u64) -> c_int {
    if memory::free(address, Kind::Device) { 0 } else { INVALID_VALUE }
}

unsafe extern "C" fn holds(address: u64, bytes: u64) -> bool {
    memory::holds(address, bytes, Kind::Device)
}

unsafe extern "C" fn enqueue(handle: *mut c_void, work: Work, data: *mut c_void) -> c_int {
    let data = data as usize;
    let work = move || {
        // SAFETY: whoever handed the work in gave the data for it, to be used once on another thread.
        unsafe { work(data as *mut c_void) };
    };
    if stream::enqueue(handle as usize, Box::new(work)) { 0 } else { INVALID_HANDLE }
}
