use nvml_wrapper::{Device, Nvml, enum_wrappers::device::TopologyLevel, error::NvmlError};

use super::{
    answer::{Pair, Told},
    reason::reason,
};
use crate::sys;

/// How a GPU is joined with the one of another index. NVML's answers are alike in both directions, and the driver takes
/// two milliseconds for each: one direction is asked.
pub(super) fn pair(nvml: &Nvml, device: &Device<'_>, other: u32) -> Pair {
    let other = match nvml.device_by_index(other) {
        Ok(other) => other,
        Err(error) => {
            let why = format!("GPU{other}: {}", reason("nvmlDeviceGetHandleByIndex_v2", &error));
            let none = || Err(why.clone());
            return Pair { ancestor: none(), read: none(), write: none(), nvlink: none(), atomics: none() };
        }
    };
    let status = |capability: u32| -> Told<u32> {
        let status = sys::nvml::p2p_status(nvml, device, &other, capability);
        status.map_err(|error| reason("nvmlDeviceGetP2PStatus", &error))
    };
    // `NVML_P2P_CAPS_INDEX_*`.
    let (read, write, nvlink, atomics) = (status(0), status(1), status(2), status(3));
    Pair { ancestor: ancestor(device.topology_common_ancestor(other)), read, write, nvlink, atomics }
}

/// As NVML's own number.
fn ancestor(level: Result<TopologyLevel, NvmlError>) -> Told<u32> {
    let level = level.map_err(|error| reason("nvmlDeviceGetTopologyCommonAncestor", &error))?;
    Ok(level.as_c())
}
