//! The PCIe link, and a GPU's health as far back as 2018's drivers told it.

use std::ffi::{c_uint, c_ulong, c_ulonglong};

use crate::codes::{Code, INSUFFICIENT_SIZE, INVALID_ARGUMENT, NOT_SUPPORTED, code};
use crate::model::{Gpu, Pcie};
use crate::out::{self, gpu_calls};
use crate::state::{Device, on_gpu};

gpu_calls! {
    fn nvmlDeviceGetCurrPcieLinkGeneration() -> c_uint: value = |gpu| pcie(gpu, |pcie| pcie.generation);
    fn nvmlDeviceGetMaxPcieLinkGeneration() -> c_uint: value = |gpu| pcie(gpu, |pcie| pcie.max_gen);
    fn nvmlDeviceGetCurrPcieLinkWidth() -> c_uint: value = |gpu| pcie(gpu, |pcie| pcie.width);
    fn nvmlDeviceGetMaxPcieLinkWidth() -> c_uint: value = |gpu| pcie(gpu, |pcie| pcie.max_width);
    fn nvmlDeviceGetPcieReplayCounter() -> c_uint: value = |gpu| pcie(gpu, |pcie| pcie.replays);
    fn nvmlDeviceGetEccMode() -> c_uint: current, pending = |gpu| Ok(gpu.ecc.as_ref().ok_or(NOT_SUPPORTED)?.mode);
    fn nvmlDeviceGetTotalEccErrors(error: c_uint, counter: c_uint) -> c_ulonglong: count = |gpu, error, counter| {
        let ecc = gpu.ecc.as_ref().ok_or(NOT_SUPPORTED)?;
        let counts = if error == 0 { &ecc.corrected } else { &ecc.uncorrected };
        Ok([*counts.get(counter as usize).ok_or(INVALID_ARGUMENT)?])
    };
    fn nvmlDeviceGetRetiredPagesPendingStatus() -> c_uint: pending = |gpu| {
        Ok([gpu.retired.ok_or(NOT_SUPPORTED)?[2]])
    };
    fn nvmlDeviceGetCurrentClocksThrottleReasons() -> c_ulonglong: mask = |gpu| {
        Ok([gpu.throttle.ok_or(NOT_SUPPORTED)?])
    };
    fn nvmlDeviceGetPersistenceMode() -> c_uint: mode = |gpu| Ok([gpu.persistence.ok_or(NOT_SUPPORTED)?]);
}

fn pcie(gpu: &Gpu, value: fn(&Pcie) -> u32) -> Result<[u32; 1], Code> {
    gpu.pcie.as_ref().map(|pcie| [value(pcie)]).ok_or(NOT_SUPPORTED)
}

/// `nvmlDeviceGetRetiredPages` of NVML: asked without room, it says how many pages there are.
///
/// # Safety
///
/// `count` is null or points to how many addresses `addresses` has room for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRetiredPages(
    device: Device,
    cause: c_uint,
    count: *mut c_uint,
    addresses: *mut c_ulonglong,
) -> Code {
    code(on_gpu("nvmlDeviceGetRetiredPages", device, |gpu| {
        let pages = *gpu.retired.ok_or(NOT_SUPPORTED)?[..2].get(cause as usize).ok_or(INVALID_ARGUMENT)?;
        if count.is_null() {
            return Err(INVALID_ARGUMENT);
        }
        // SAFETY: not null, as the caller promises.
        let room = unsafe { count.replace(pages) };
        if room < pages {
            return Err(INSUFFICIENT_SIZE);
        }
        for page in 0..pages as usize {
            // SAFETY: within the room that the caller promises.
            unsafe { addresses.add(page).write(page as u64 * 4096) }
        }
        Ok(())
    }))
}

/// `nvmlDeviceGetCpuAffinity` of NVML.
///
/// # Safety
///
/// `set` is null or has room for `words` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCpuAffinity(device: Device, words: c_uint, set: *mut c_ulong) -> Code {
    code(on_gpu("nvmlDeviceGetCpuAffinity", device, |gpu| {
        // SAFETY: as the caller promises.
        unsafe { out::bits(gpu.cpus.as_deref().ok_or(NOT_SUPPORTED)?, set, words) }
    }))
}
