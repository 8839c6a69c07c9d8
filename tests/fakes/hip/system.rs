//! The runtime, its version and its GPUs.

use std::ffi::{c_char, c_int, c_uint};

use super::{
    codes::{INVALID_DEVICE, INVALID_VALUE, open, written},
    gpu::{device, out},
};

/// The version where `LINKSPEC_FAKE_HIP_VERSION` says none: HIP 6.2, by 10 000 000 and 100 000.
const VERSION: c_int = 60_200_000;

#[unsafe(no_mangle)]
pub extern "C" fn hipInit(flags: c_uint) -> c_int {
    if flags == 0 { open(|| 0) } else { INVALID_VALUE }
}

/// # Safety
///
/// The pointer is null or good.
unsafe fn version(to: *mut c_int) -> c_int {
    let named = std::env::var("LINKSPEC_FAKE_HIP_VERSION").ok().and_then(|code| code.parse().ok());
    // SAFETY: as the caller promises.
    written(unsafe { out::value(named.unwrap_or(VERSION), to) })
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDriverGetVersion(to: *mut c_int) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { version(to) }
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipRuntimeGetVersion(to: *mut c_int) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { version(to) }
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetDeviceCount(count: *mut c_int) -> c_int {
    // SAFETY: as the caller promises.
    open(|| written(unsafe { out::value(device::addresses().len() as c_int, count) }))
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceGet(to: *mut c_int, ordinal: c_int) -> c_int {
    open(|| match device::numbered(ordinal) {
        // SAFETY: as the caller promises.
        Some(_) => written(unsafe { out::value(ordinal, to) }),
        None => INVALID_DEVICE,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hipSetDevice(gpu: c_int) -> c_int {
    open(|| match device::numbered(gpu) {
        Some(gpu) => {
            device::set_current(Some(gpu));
            0
        }
        None => INVALID_DEVICE,
    })
}

/// # Safety
///
/// The pointer is null, or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceGetPCIBusId(to: *mut c_char, length: c_int, gpu: c_int) -> c_int {
    open(|| match device::numbered(gpu).and_then(|gpu| device::addresses().get(gpu)) {
        // SAFETY: as the caller promises.
        Some(address) => written(unsafe { out::text(address, to, length) }),
        None => INVALID_DEVICE,
    })
}

/// # Safety
///
/// The pointer is null, or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceGetName(to: *mut c_char, length: c_int, gpu: c_int) -> c_int {
    open(|| match device::numbered(gpu) {
        // SAFETY: as the caller promises.
        Some(_) => written(unsafe { out::text(&device::name("AMD Instinct MI300X"), to, length) }),
        None => INVALID_DEVICE,
    })
}
