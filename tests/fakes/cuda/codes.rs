//! `CUresult` of cuda.h, and what says it in words.

use std::ffi::{CStr, c_char, c_int};

use super::gpu::{copy::Refusal, device, memory, out};

pub const INVALID_VALUE: c_int = 1;
pub const OUT_OF_MEMORY: c_int = 2;
pub const NOT_INITIALIZED: c_int = 3;
pub const NO_DEVICE: c_int = 100;
pub const INVALID_DEVICE: c_int = 101;
pub const INVALID_CONTEXT: c_int = 201;
pub const INVALID_HANDLE: c_int = 400;

const WORDS: &[(c_int, &CStr, &CStr)] = &[
    (0, c"CUDA_SUCCESS", c"no error"),
    (INVALID_VALUE, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (OUT_OF_MEMORY, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (NOT_INITIALIZED, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    (NO_DEVICE, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (INVALID_DEVICE, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (INVALID_CONTEXT, c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
    (INVALID_HANDLE, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
    (600, c"CUDA_ERROR_NOT_READY", c"device not ready"),
    (802, c"CUDA_ERROR_SYSTEM_NOT_READY", c"system not yet initialized"),
    (999, c"CUDA_ERROR_UNKNOWN", c"unknown error"),
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

/// Runs a call that needs a context in the calling thread.
pub fn in_context(call: impl FnOnce() -> c_int) -> c_int {
    match (device::is_open(), device::current()) {
        (false, _) => NOT_INITIALIZED,
        (true, None) => INVALID_CONTEXT,
        (true, Some(_)) => call(),
    }
}

/// # Safety
///
/// The pointer is null or good.
unsafe fn word(
    code: c_int,
    to: *mut *const c_char,
    pick: impl Fn(&(c_int, &'static CStr, &'static CStr)) -> &'static CStr,
) -> c_int {
    let found = WORDS.iter().find(|(known, ..)| *known == code).map(pick);
    // SAFETY: as the caller promises.
    let is_written = unsafe { out::value(found.map_or(std::ptr::null(), CStr::as_ptr), to) };
    written(is_written && found.is_some())
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(code: c_int, to: *mut *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { word(code, to, |(_, name, _)| name) }
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(code: c_int, to: *mut *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { word(code, to, |(_, _, text)| text) }
}
