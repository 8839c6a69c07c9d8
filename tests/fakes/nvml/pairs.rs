//! What is between two GPUs.

use std::ffi::c_uint;

use crate::codes::{Code, INVALID_ARGUMENT, code};
use crate::model::{Machine, Pair};
use crate::state::{Device, on_pair};

/// `NVML_TOPOLOGY_HOSTBRIDGE`, for pairs that the file does not name.
const HOST_BRIDGE: u32 = 30;
/// `NVML_P2P_STATUS_NOT_SUPPORTED`, for pairs that the file does not name.
const NOT_SUPPORTED_BETWEEN: u32 = 5;

/// `nvmlDeviceGetTopologyCommonAncestor` of NVML.
///
/// # Safety
///
/// `level` is null or points to an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTopologyCommonAncestor(
    first: Device,
    second: Device,
    level: *mut c_uint,
) -> Code {
    code(on_pair("nvmlDeviceGetTopologyCommonAncestor", [first, second], |machine, gpus| {
        let ancestor = pair(machine, gpus)?.map_or(HOST_BRIDGE, |pair| pair.ancestor);
        // SAFETY: null or a place, as the caller promises.
        *unsafe { level.as_mut() }.ok_or(INVALID_ARGUMENT)? = ancestor;
        Ok(())
    }))
}

/// `nvmlDeviceGetP2PStatus` of NVML.
///
/// # Safety
///
/// `status` is null or points to an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetP2PStatus(
    first: Device,
    second: Device,
    capability: c_uint,
    status: *mut c_uint,
) -> Code {
    code(on_pair("nvmlDeviceGetP2PStatus", [first, second], |machine, gpus| {
        let answer = match pair(machine, gpus)? {
            Some(pair) => *pair.p2p.get(capability as usize).ok_or(INVALID_ARGUMENT)?,
            None => NOT_SUPPORTED_BETWEEN,
        };
        // SAFETY: null or a place, as the caller promises.
        *unsafe { status.as_mut() }.ok_or(INVALID_ARGUMENT)? = answer;
        Ok(())
    }))
}

/// The pair, in either order. A GPU and itself are none.
fn pair(machine: &Machine, [first, second]: [usize; 2]) -> Result<Option<&Pair>, Code> {
    if first == second {
        return Err(INVALID_ARGUMENT);
    }
    Ok(machine.pairs.iter().find(|pair| pair.gpus == [first, second] || pair.gpus == [second, first]))
}
