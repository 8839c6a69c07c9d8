//! `hipError_t` of hip_runtime_api.h, and what says it in words.

use std::ffi::{CStr, c_char, c_int};

use super::gpu::{
    copy::Refusal,
    device,
    fault::{self, Moment},
    memory, trouble,
};

pub const INVALID_VALUE: c_int = 1;
pub const OUT_OF_MEMORY: c_int = 2;
pub const NO_DEVICE: c_int = 100;
pub const INVALID_DEVICE: c_int = 101;
pub const INVALID_HANDLE: c_int = 400;
pub const NOT_READY: c_int = 600;

const WORDS: &[(c_int, &CStr, &CStr)] = &[
    (0, c"hipSuccess", c"no error"),
    (INVALID_VALUE, c"hipErrorInvalidValue", c"invalid argument"),
    (OUT_OF_MEMORY, c"hipErrorOutOfMemory", c"out of memory"),
    (NO_DEVICE, c"hipErrorNoDevice", c"no ROCm-capable device is detected"),
    (INVALID_DEVICE, c"hipErrorInvalidDevice", c"invalid device ordinal"),
    (INVALID_HANDLE, c"hipErrorInvalidHandle", c"invalid resource handle"),
    (NOT_READY, c"hipErrorNotReady", c"device not ready"),
    (999, c"hipErrorUnknown", c"unknown error"),
];

/// The code of what was refused.
pub const fn refused(refusal: Refusal) -> c_int {
    match refusal {
        Refusal::Memory => INVALID_VALUE,
        Refusal::Stream => INVALID_HANDLE,
    }
}

/// The code of memory that was not given.
pub const fn not_given(refusal: memory::Refusal) -> c_int {
    match refusal {
        memory::Refusal::Exhausted => OUT_OF_MEMORY,
        memory::Refusal::Nothing => INVALID_VALUE,
    }
}

/// 0 where a value found its place.
pub const fn written(is_written: bool) -> c_int {
    if is_written { 0 } else { INVALID_VALUE }
}

/// Runs a call behind HIP's initialisation, which the first call does. A thread that chose no GPU has the first.
pub fn open(call: impl FnOnce() -> c_int) -> c_int {
    if !device::is_open() {
        let moment = Moment { at: "open", ..Moment::default() };
        trouble::at(&moment);
        if let Some(fault) = fault::of("zero-device", &moment) {
            return fault.code(NO_DEVICE);
        }
        if device::addresses().is_empty() {
            return NO_DEVICE;
        }
        device::open();
    }
    if device::current().is_none() {
        device::set_current(Some(0));
    }
    call()
}

fn word(code: c_int, pick: impl Fn(&(c_int, &'static CStr, &'static CStr)) -> &'static CStr) -> *const c_char {
    WORDS.iter().find(|(known, ..)| *known == code).or(WORDS.last()).map_or(c"".as_ptr(), |row| pick(row).as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorName(code: c_int) -> *const c_char {
    word(code, |(_, name, _)| name)
}

#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorString(code: c_int) -> *const c_char {
    word(code, |(_, _, text)| text)
}
