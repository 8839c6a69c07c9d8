//! What came to NVML after 2018: the older library lacks these symbols.

use std::ffi::{c_uint, c_ulong, c_ulonglong};

use crate::codes::{Code, INVALID_ARGUMENT, NOT_SUPPORTED, VERSION_MISMATCH, code};
use crate::out::{self, gpu_calls};
use crate::state::{self, Device, on_gpu};

/// `nvmlInitWithFlags` of NVML.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlInitWithFlags(_flags: c_uint) -> Code {
    code(state::init("nvmlInitWithFlags"))
}

gpu_calls! {
    fn nvmlDeviceGetGpuMaxPcieLinkGeneration() -> c_uint: value = |gpu| {
        Ok([gpu.pcie.as_ref().ok_or(NOT_SUPPORTED)?.gpu_max_gen])
    };
    fn nvmlDeviceGetRemappedRows() -> c_uint: correctable, uncorrectable, pending, failed = |gpu| {
        gpu.remapped.ok_or(NOT_SUPPORTED)
    };
    fn nvmlDeviceGetCurrentClocksEventReasons() -> c_ulonglong: mask = |gpu| Ok([gpu.throttle.ok_or(NOT_SUPPORTED)?]);
    fn nvmlDeviceGetMigMode() -> c_uint: current, pending = |gpu| gpu.mig.ok_or(NOT_SUPPORTED);
    fn nvmlDeviceGetNumaNodeId() -> c_uint: node = |gpu| Ok([gpu.numa.ok_or(NOT_SUPPORTED)?]);
}

/// `nvmlMemory_v2_t`.
#[repr(C)]
#[derive(Debug)]
pub struct MemoryV2 {
    version: c_uint,
    total: u64,
    reserved: u64,
    free: u64,
    used: u64,
}

/// `nvmlDeviceGetMemoryInfo_v2` of NVML.
///
/// # Safety
///
/// `memory` is null or points to the structure, its version set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryInfo_v2(device: Device, memory: *mut MemoryV2) -> Code {
    code(on_gpu("nvmlDeviceGetMemoryInfo_v2", device, |gpu| {
        // SAFETY: null or a structure, as the caller promises.
        let memory = unsafe { memory.as_mut() }.ok_or(INVALID_ARGUMENT)?;
        if memory.version != struct_version(size_of::<MemoryV2>(), 2) {
            return Err(VERSION_MISMATCH);
        }
        let (version, total, reserved, used) = (memory.version, gpu.memory, gpu.reserved, gpu.used);
        *memory = MemoryV2 { version, total, reserved, free: total.saturating_sub(used + reserved), used };
        Ok(())
    }))
}

/// The version word of a structure: its size, and its version in the upper byte.
pub fn struct_version(size: usize, version: u32) -> u32 {
    u32::try_from(size).unwrap_or(0) | version << 24
}

/// `nvmlDeviceGetCpuAffinityWithinScope` of NVML. Node and socket are one here.
///
/// # Safety
///
/// `set` is null or has room for `words` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCpuAffinityWithinScope(
    device: Device,
    words: c_uint,
    set: *mut c_ulong,
    _scope: c_uint,
) -> Code {
    code(on_gpu("nvmlDeviceGetCpuAffinityWithinScope", device, |gpu| {
        // SAFETY: as the caller promises.
        unsafe { out::bits(gpu.cpus.as_deref().ok_or(NOT_SUPPORTED)?, set, words) }
    }))
}

/// `nvmlDeviceGetMemoryAffinity` of NVML. Node and socket are one here.
///
/// # Safety
///
/// `set` is null or has room for `words` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryAffinity(
    device: Device,
    words: c_uint,
    set: *mut c_ulong,
    _scope: c_uint,
) -> Code {
    code(on_gpu("nvmlDeviceGetMemoryAffinity", device, |gpu| {
        // SAFETY: as the caller promises.
        unsafe { out::bits(gpu.memory_nodes.as_deref().ok_or(NOT_SUPPORTED)?, set, words) }
    }))
}
