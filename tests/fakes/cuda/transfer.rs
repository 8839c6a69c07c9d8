//! Memory, streams, and what streams do with memory.

use std::ffi::{c_int, c_uchar, c_uint, c_void};

use super::{
    codes::{INVALID_HANDLE, INVALID_VALUE, in_context, not_given, refused, written},
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
unsafe fn give(bytes: usize, kind: Kind, to: *mut u64) -> c_int {
    if to.is_null() {
        return INVALID_VALUE;
    }
    match memory::allocate(bytes as u64, kind) {
        // SAFETY: as the caller promises.
        Ok(address) => written(unsafe { out::value(address, to) }),
        Err(refusal) => not_given(refusal),
    }
}

fn take(address: u64, kind: Kind) -> c_int {
    // Null is nothing to give back, and no mistake.
    written(address == 0 || memory::free(address, kind))
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(to: *mut u64, bytes: usize) -> c_int {
    // SAFETY: as the caller promises.
    in_context(|| unsafe { give(bytes, Kind::Device, to) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFree_v2(address: u64) -> c_int {
    in_context(|| take(address, Kind::Device))
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc(to: *mut *mut c_void, bytes: usize, _flags: c_uint) -> c_int {
    // SAFETY: as the caller promises; a pointer is as large as an address.
    in_context(|| unsafe { give(bytes, Kind::Host, to.cast()) })
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocHost_v2(to: *mut *mut c_void, bytes: usize) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { cuMemHostAlloc(to, bytes, 0) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFreeHost(pointer: *mut c_void) -> c_int {
    in_context(|| take(pointer as u64, Kind::Host))
}

/// # Safety
///
/// The pointers are null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> c_int {
    let (is_free, all) = device::memory();
    // SAFETY: as the caller promises.
    in_context(|| written(unsafe { out::value(is_free as usize, free) && out::value(all as usize, total) }))
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(to: *mut *mut c_void, _flags: c_uint) -> c_int {
    if to.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: as the caller promises.
    in_context(|| written(unsafe { out::value(stream::create() as *mut c_void, to) }))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamDestroy_v2(handle: *mut c_void) -> c_int {
    in_context(|| if stream::destroy(handle as usize) { 0 } else { INVALID_HANDLE })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD8Async(address: u64, value: c_uchar, bytes: usize, handle: *mut c_void) -> c_int {
    in_context(|| done(copy::fill(address, bytes as u64, value, handle as usize)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, handle: *mut c_void) -> c_int {
    let kinds = Some((Kind::Host, Kind::Device));
    in_context(|| done(copy::copy(to, from as u64, bytes as u64, kinds, handle as usize)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, handle: *mut c_void) -> c_int {
    let kinds = Some((Kind::Device, Kind::Host));
    in_context(|| done(copy::copy(to as u64, from, bytes as u64, kinds, handle as usize)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, handle: *mut c_void) -> c_int {
    let kinds = Some((Kind::Device, Kind::Device));
    in_context(|| done(copy::copy(to, from, bytes as u64, kinds, handle as usize)))
}
