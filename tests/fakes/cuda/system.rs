//! The driver, its version and its GPUs.

use std::ffi::{c_char, c_int, c_uint};

use super::{
    codes::{INVALID_DEVICE, INVALID_VALUE, NO_DEVICE, NOT_INITIALIZED, written},
    gpu::{
        device,
        fault::{self, Moment},
        out, trouble,
    },
};

/// The version where `LINKSPEC_FAKE_CUDA_VERSION` says none: 13.0.
const VERSION: c_int = 13_000;

#[unsafe(no_mangle)]
pub extern "C" fn cuInit(flags: c_uint) -> c_int {
    let moment = Moment { at: "open", ..Moment::default() };
    trouble::at(&moment);
    if flags != 0 {
        return INVALID_VALUE;
    }
    if let Some(fault) = fault::of("zero-device", &moment) {
        return fault.code(NO_DEVICE);
    }
    if device::addresses().is_empty() {
        return NO_DEVICE;
    }
    device::open();
    0
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> c_int {
    let named = std::env::var("LINKSPEC_FAKE_CUDA_VERSION").ok().and_then(|code| code.parse().ok());
    // SAFETY: as the caller promises.
    written(unsafe { out::value(named.unwrap_or(VERSION), version) })
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> c_int {
    if !device::is_open() {
        return NOT_INITIALIZED;
    }
    // SAFETY: as the caller promises.
    written(unsafe { out::value(device::addresses().len() as c_int, count) })
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(to: *mut c_int, ordinal: c_int) -> c_int {
    match (device::is_open(), device::numbered(ordinal)) {
        (false, _) => NOT_INITIALIZED,
        (true, None) => INVALID_DEVICE,
        // SAFETY: as the caller promises.
        (true, Some(_)) => written(unsafe { out::value(ordinal, to) }),
    }
}

/// # Safety
///
/// The pointer is null, or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(to: *mut c_char, length: c_int, gpu: c_int) -> c_int {
    match (device::is_open(), device::numbered(gpu)) {
        (false, _) => NOT_INITIALIZED,
        (true, None) => INVALID_DEVICE,
        // SAFETY: as the caller promises.
        (true, Some(_)) => written(unsafe { out::text(&device::name("NVIDIA H200"), to, length) }),
    }
}

/// # Safety
///
/// The pointer is null, or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetPCIBusId(to: *mut c_char, length: c_int, gpu: c_int) -> c_int {
    if !device::is_open() {
        return NOT_INITIALIZED;
    }
    let Some(address) = device::numbered(gpu).and_then(|gpu| device::addresses().get(gpu)) else {
        return INVALID_DEVICE;
    };
    // SAFETY: as the caller promises.
    written(unsafe { out::text(&address.to_ascii_uppercase(), to, length) })
}
