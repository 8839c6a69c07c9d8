//! The library and the driver: starting, versions, the number of GPUs.

use std::ffi::{c_char, c_int};

use crate::codes::{Code, INVALID_ARGUMENT, code};
use crate::out;
use crate::state::{self, Device, on_machine};

/// Says that this library is a stand-in.
#[unsafe(no_mangle)]
pub static linkspec_fake: i32 = 1;

/// `nvmlInit_v2` of NVML.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlInit_v2() -> Code {
    code(state::init("nvmlInit_v2"))
}

/// `nvmlShutdown` of NVML.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlShutdown() -> Code {
    code(state::shutdown())
}

/// `nvmlSystemGetDriverVersion` of NVML.
///
/// # Safety
///
/// `version` is null or has room for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetDriverVersion(version: *mut c_char, length: u32) -> Code {
    code(on_machine("nvmlSystemGetDriverVersion", |machine| {
        // SAFETY: as the caller promises.
        unsafe { out::text(&machine.driver, version, length) }
    }))
}

/// `nvmlSystemGetNVMLVersion` of NVML: the CUDA version's major number, and the driver's version.
///
/// # Safety
///
/// `version` is null or has room for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetNVMLVersion(version: *mut c_char, length: u32) -> Code {
    code(on_machine("nvmlSystemGetNVMLVersion", |machine| {
        // SAFETY: as the caller promises.
        unsafe { out::text(&format!("{}.{}", machine.cuda / 1000, machine.driver), version, length) }
    }))
}

/// `nvmlSystemGetCudaDriverVersion` of NVML.
///
/// # Safety
///
/// `version` is null or points to an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetCudaDriverVersion(version: *mut c_int) -> Code {
    // SAFETY: as the caller promises.
    code(unsafe { put(version, on_machine("nvmlSystemGetCudaDriverVersion", |machine| Ok(machine.cuda))) })
}

/// `nvmlSystemGetCudaDriverVersion_v2` of NVML.
///
/// # Safety
///
/// `version` is null or points to an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetCudaDriverVersion_v2(version: *mut c_int) -> Code {
    // SAFETY: as the caller promises.
    code(unsafe { put(version, on_machine("nvmlSystemGetCudaDriverVersion_v2", |machine| Ok(machine.cuda))) })
}

/// `nvmlDeviceGetCount_v2` of NVML.
///
/// # Safety
///
/// `count` is null or points to an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCount_v2(count: *mut u32) -> Code {
    // SAFETY: as the caller promises.
    code(unsafe { put(count, state::count("nvmlDeviceGetCount_v2")) })
}

/// `nvmlDeviceGetHandleByIndex_v2` of NVML.
///
/// # Safety
///
/// `device` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByIndex_v2(index: u32, device: *mut Device) -> Code {
    // SAFETY: as the caller promises.
    code(unsafe { put(device, state::handle("nvmlDeviceGetHandleByIndex_v2", index)) })
}

/// Writes an answer.
///
/// # Safety
///
/// `place` is null or points to a `T`.
unsafe fn put<T>(place: *mut T, answer: Result<T, Code>) -> Result<(), Code> {
    if place.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    // SAFETY: not null, and as the caller promises.
    answer.map(|answer| unsafe { place.write(answer) })
}
