//! Memory, streams, and what streams do with memory.

use std::ffi::{c_int, c_uint, c_void};

use super::{
    codes::{INVALID_HANDLE, INVALID_VALUE, NOT_READY, not_given, open, refused, written},
    gpu::{
        copy::{self, Refusal},
        device,
        memory::{self, Kind},
        out, stream,
    },
};

fn done(result: Result<(), Refusal>) -> c_int {
    result.map_or_else(refused, |()| 0)
}

/// # Safety
///
/// The pointer is null or good.
unsafe fn give(bytes: usize, kind: Kind, to: *mut *mut c_void) -> c_int {
    if to.is_null() {
        return INVALID_VALUE;
    }
    match memory::allocate(bytes as u64, kind) {
        // SAFETY: as the caller promises.
        Ok(address) => written(unsafe { out::value(address as *mut c_void, to) }),
        Err(refusal) => not_given(refusal),
    }
}

fn take(pointer: *mut c_void, kind: Kind) -> c_int {
    // Null is nothing to give back, and no mistake.
    written(pointer.is_null() || memory::free(pointer as u64, kind))
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMalloc(to: *mut *mut c_void, bytes: usize) -> c_int {
    // SAFETY: as the caller promises.
    open(|| unsafe { give(bytes, Kind::Device, to) })
}

#[unsafe(no_mangle)]
pub extern "C" fn hipFree(pointer: *mut c_void) -> c_int {
    open(|| take(pointer, Kind::Device))
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipHostMalloc(to: *mut *mut c_void, bytes: usize, _flags: c_uint) -> c_int {
    // SAFETY: as the caller promises.
    open(|| unsafe { give(bytes, Kind::Host, to) })
}

#[unsafe(no_mangle)]
pub extern "C" fn hipHostFree(pointer: *mut c_void) -> c_int {
    open(|| take(pointer, Kind::Host))
}

/// # Safety
///
/// The pointers are null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemGetInfo(free: *mut usize, total: *mut usize) -> c_int {
    let (is_free, all) = device::memory();
    // SAFETY: as the caller promises.
    open(|| written(unsafe { out::value(is_free as usize, free) && out::value(all as usize, total) }))
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamCreateWithFlags(to: *mut *mut c_void, _flags: c_uint) -> c_int {
    if to.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: as the caller promises.
    open(|| written(unsafe { out::value(stream::create() as *mut c_void, to) }))
}

#[unsafe(no_mangle)]
pub extern "C" fn hipStreamDestroy(handle: *mut c_void) -> c_int {
    open(|| if stream::destroy(handle as usize) { 0 } else { INVALID_HANDLE })
}

#[unsafe(no_mangle)]
pub extern "C" fn hipStreamQuery(handle: *mut c_void) -> c_int {
    open(|| match stream::is_done(handle as usize) {
        Some(true) => 0,
        Some(false) => NOT_READY,
        None => INVALID_HANDLE,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hipMemsetAsync(to: *mut c_void, value: c_int, bytes: usize, handle: *mut c_void) -> c_int {
    // Only the value's last byte counts, as in memset.
    open(|| done(copy::fill(to as u64, bytes as u64, value as u8, handle as usize)))
}

#[unsafe(no_mangle)]
pub extern "C" fn hipMemcpyAsync(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
    handle: *mut c_void,
) -> c_int {
    // `hipMemcpyKind`.
    let kinds = match kind {
        1 => Some((Kind::Host, Kind::Device)),
        2 => Some((Kind::Device, Kind::Host)),
        3 => Some((Kind::Device, Kind::Device)),
        4 => None,
        _ => return INVALID_VALUE,
    };
    open(|| done(copy::copy(to as u64, from as u64, bytes as u64, kinds, handle as usize)))
}
