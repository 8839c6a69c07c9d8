use std::{mem, ptr};

use nvml_wrapper::{
    Device, Nvml,
    error::{NvmlError, nvml_try},
};
use nvml_wrapper_sys::bindings::{
    nvmlDevice_t, nvmlMemory_t, nvmlMemory_v2_t, nvmlProcessInfo_v1_t, nvmlProcessInfo_v2_t, nvmlReturn_t,
};

use super::nvml::{handle, symbol, version};

/// A GPU's memory in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryUse {
    pub(crate) total: u64,
    /// Without what is reserved, where that is known.
    pub(crate) used: u64,
    /// What driver and firmware keep for themselves; `None` from a driver that counts it as used.
    pub(crate) reserved: Option<u64>,
}

/// `nvmlDeviceGetMemoryInfo_v2`, or the first version on drivers that lack it.
pub(crate) fn memory_use(nvml: &Nvml, device: &Device<'_>) -> Result<MemoryUse, NvmlError> {
    memory_v2(nvml, device).or_else(|_| memory_v1(nvml, device))
}

fn memory_v2(nvml: &Nvml, device: &Device<'_>) -> Result<MemoryUse, NvmlError> {
    let function = symbol(nvml.lib().nvmlDeviceGetMemoryInfo_v2.as_ref())?;
    // SAFETY: a C structure of integers, for which zero is a value.
    let mut memory: nvmlMemory_v2_t = unsafe { mem::zeroed() };
    memory.version = version(size_of::<nvmlMemory_v2_t>(), 2);
    // SAFETY: the function has the header's signature, the handle is NVML's own, and the structure lives through the
    // call and is of the version that it says.
    nvml_try(unsafe { function(handle(device), &raw mut memory) })?;
    Ok(MemoryUse { total: memory.total, used: memory.used, reserved: Some(memory.reserved) })
}

fn memory_v1(nvml: &Nvml, device: &Device<'_>) -> Result<MemoryUse, NvmlError> {
    let function = symbol(nvml.lib().nvmlDeviceGetMemoryInfo.as_ref())?;
    // SAFETY: a C structure of integers, for which zero is a value.
    let mut memory: nvmlMemory_t = unsafe { mem::zeroed() };
    // SAFETY: the function has the header's signature, the handle is NVML's own, and the structure lives through the
    // call.
    nvml_try(unsafe { function(handle(device), &raw mut memory) })?;
    Ok(MemoryUse { total: memory.total, used: memory.used, reserved: None })
}

/// Which processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holders {
    /// Those with a compute context of their own.
    Compute,
    /// Those that compute through the Multi-Process Service.
    MpsClients,
    /// Those with a graphics context.
    Graphics,
}

/// A process on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) pid: u32,
    /// Its memory in bytes, where the driver says.
    pub(crate) memory: Option<u64>,
}

/// `nvmlDeviceGetComputeRunningProcesses` and its like, in the newest version that the driver has.
pub(crate) fn holders(nvml: &Nvml, device: &Device<'_>, of: Holders) -> Result<Vec<Held>, NvmlError> {
    let lib = nvml.lib();
    let (third, second, first) = match of {
        Holders::Compute => (
            &lib.nvmlDeviceGetComputeRunningProcesses_v3,
            &lib.nvmlDeviceGetComputeRunningProcesses_v2,
            &lib.nvmlDeviceGetComputeRunningProcesses,
        ),
        Holders::MpsClients => (
            &lib.nvmlDeviceGetMPSComputeRunningProcesses_v3,
            &lib.nvmlDeviceGetMPSComputeRunningProcesses_v2,
            &lib.nvmlDeviceGetMPSComputeRunningProcesses,
        ),
        Holders::Graphics => (
            &lib.nvmlDeviceGetGraphicsRunningProcesses_v3,
            &lib.nvmlDeviceGetGraphicsRunningProcesses_v2,
            &lib.nvmlDeviceGetGraphicsRunningProcesses,
        ),
    };
    let device = handle(device);
    // The second and the third version fill the same structure.
    if let Ok(function) = third.as_ref().or(second.as_ref()) {
        let found: Vec<nvmlProcessInfo_v2_t> = list(device, *function)?;
        return Ok(found.iter().map(|process| held(process.pid, process.usedGpuMemory)).collect());
    }
    let found: Vec<nvmlProcessInfo_v1_t> = list(device, *symbol(first.as_ref())?)?;
    Ok(found.iter().map(|process| held(process.pid, process.usedGpuMemory)).collect())
}

fn held(pid: u32, memory: u64) -> Held {
    // `NVML_VALUE_NOT_AVAILABLE`.
    Held { pid, memory: (memory != u64::MAX).then_some(memory) }
}

type Lists<T> = unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut T) -> nvmlReturn_t;

/// How many processes are asked for first, and how many at most.
const FEW: u32 = 64;
const MOST: u32 = 1 << 14;

/// Calls a function that fills a list, with a longer one until it holds all.
fn list<T: Copy>(device: nvmlDevice_t, function: Lists<T>) -> Result<Vec<T>, NvmlError> {
    let mut room = FEW;
    loop {
        let mut count = room;
        let entries = usize::try_from(room).map_err(|_| NvmlError::InvalidArg)?;
        // Twice the room that it is told: the first drivers of the 535 series wrote entries of 32 bytes, not 24.
        // SAFETY: every caller's structure is of integers, for which zero is a value.
        let mut found: Vec<T> = vec![unsafe { mem::zeroed() }; entries * 2];
        // SAFETY: the function has the header's signature, the handle is NVML's own, the integer and the list live
        // through the call, and the list has the room that the function is told.
        match nvml_try(unsafe { function(device, ptr::from_mut(&mut count), found.as_mut_ptr()) }) {
            Ok(()) => {
                found.truncate(usize::try_from(count).unwrap_or_default().min(entries));
                return Ok(found);
            }
            Err(NvmlError::InsufficientSize(_)) if room < MOST => room = longer(room, count),
            Err(error) => return Err(error),
        }
    }
}

/// Room for more than there was, and for twice as many as the driver counts: processes come meanwhile.
fn longer(room: u32, count: u32) -> u32 {
    count.max(room).saturating_mul(2).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_list_is_never_longer_than_the_most() {
        assert_eq!(
            [longer(64, 5), longer(64, 100), longer(10_000, 9000), longer(64, u32::MAX)],
            [128, 200, MOST, MOST]
        );
    }
}
