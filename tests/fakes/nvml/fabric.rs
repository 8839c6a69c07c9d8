//! Registration with the NVLink fabric, in the three structures that NVML had for it.

use std::ffi::c_uint;

use crate::codes::{Code, INVALID_ARGUMENT, NOT_SUPPORTED, VERSION_MISMATCH, code};
use crate::model::{Fabric, Gpu};
use crate::newer::struct_version;
use crate::out::gpu_calls;
use crate::state::{Device, on_gpu};

/// `nvmlGpuFabricInfo_t`.
#[repr(C)]
#[derive(Debug)]
pub struct InfoV1 {
    cluster: [u8; 16],
    status: c_uint,
    clique: c_uint,
    state: u8,
}

/// `nvmlGpuFabricInfo_v2_t`.
#[repr(C)]
#[derive(Debug)]
pub struct InfoV2 {
    version: c_uint,
    cluster: [u8; 16],
    status: c_uint,
    clique: c_uint,
    state: u8,
    health_mask: c_uint,
}

/// `nvmlGpuFabricInfo_v3_t`.
#[repr(C)]
#[derive(Debug)]
pub struct InfoV3 {
    version: c_uint,
    cluster: [u8; 16],
    status: c_uint,
    clique: c_uint,
    state: u8,
    health_mask: c_uint,
    health_summary: u8,
}

gpu_calls! {
    fn nvmlDeviceGetGpuFabricInfo() -> InfoV1: info = |gpu| {
        let fabric = fabric(gpu)?;
        let (status, clique, state) = (fabric.status, fabric.clique, fabric.state);
        Ok([InfoV1 { cluster: cluster(fabric), status, clique, state }])
    };
}

/// `nvmlDeviceGetGpuFabricInfoV` of NVML: the version word says which structure.
///
/// # Safety
///
/// `info` is null or points to the structure that its version says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuFabricInfoV(device: Device, info: *mut c_uint) -> Code {
    code(on_gpu("nvmlDeviceGetGpuFabricInfoV", device, |gpu| {
        if info.is_null() {
            return Err(INVALID_ARGUMENT);
        }
        // SAFETY: not null; each version begins with this word.
        let version = unsafe { info.read() };
        let fabric = fabric(gpu)?;
        let (cluster, status, clique) = (cluster(fabric), fabric.status, fabric.clique);
        let (state, health_mask, health_summary) = (fabric.state, fabric.health_mask, fabric.health_summary);
        if version == struct_version(size_of::<InfoV2>(), 2) {
            // SAFETY: the caller says by the version that this structure is there.
            unsafe { info.cast::<InfoV2>().write(InfoV2 { version, cluster, status, clique, state, health_mask }) }
        } else if version == struct_version(size_of::<InfoV3>(), 3) {
            let answer = InfoV3 { version, cluster, status, clique, state, health_mask, health_summary };
            // SAFETY: the caller says by the version that this structure is there.
            unsafe { info.cast::<InfoV3>().write(answer) }
        } else {
            return Err(VERSION_MISMATCH);
        }
        Ok(())
    }))
}

fn fabric(gpu: &Gpu) -> Result<&Fabric, Code> {
    gpu.fabric.as_ref().ok_or(NOT_SUPPORTED)
}

fn cluster(fabric: &Fabric) -> [u8; 16] {
    let digits: String = fabric.cluster.chars().filter(char::is_ascii_hexdigit).collect();
    u128::from_str_radix(&digits, 16).unwrap_or(0).to_be_bytes()
}
