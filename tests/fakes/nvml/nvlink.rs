//! NVLink slots. A slot that the GPU does not have answers "invalid argument", as an H200 does for 18 and up, but
//! "not supported" for the first three error counters.

use std::ffi::{c_uint, c_ulonglong};

use crate::codes::{Code, INVALID_ARGUMENT, NOT_SUPPORTED, UNKNOWN};
use crate::identity::{HIDDEN, PciInfo, pci_info};
use crate::model::{Gpu, Link};
use crate::out::gpu_calls;

gpu_calls! {
    fn nvmlDeviceGetNvLinkState(slot: c_uint) -> c_uint: active = |gpu, slot| Ok([u32::from(link(gpu, slot)?.active)]);
    fn nvmlDeviceGetNvLinkVersion(slot: c_uint) -> c_uint: version = |gpu, slot| Ok([link(gpu, slot)?.version]);
    fn nvmlDeviceGetNvLinkRemotePciInfo_v2(slot: c_uint) -> PciInfo: pci = |gpu, slot| {
        let remote = link(gpu, slot)?.remote_pci.as_deref();
        // A guest is told all ones for the device and zero for the subsystem.
        Ok([pci_info(remote.unwrap_or(HIDDEN), u32::MAX, 0).ok_or(UNKNOWN)?])
    };
    fn nvmlDeviceGetNvLinkErrorCounter(slot: c_uint, counter: c_uint) -> c_ulonglong: value = |gpu, slot, counter| {
        let missing = if counter < 3 { NOT_SUPPORTED } else { INVALID_ARGUMENT };
        let errors = link(gpu, slot).map_err(|_| missing)?.errors;
        Ok([*errors.get(counter as usize).ok_or(INVALID_ARGUMENT)?])
    };
    fn nvmlDeviceGetNvLinkCapability(slot: c_uint, capability: c_uint) -> c_uint: value = |gpu, slot, capability| {
        link(gpu, slot)?;
        Ok([u32::from(capability == 0)])
    };
}

/// The slot of a GPU.
pub fn link(gpu: &Gpu, slot: u32) -> Result<&Link, Code> {
    gpu.nvlinks.get(slot as usize).ok_or(INVALID_ARGUMENT)
}
