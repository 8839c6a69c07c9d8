//! What is at the other end of an NVLink: newer than 2018's drivers.

use std::ffi::c_uint;

use crate::nvlink::link;
use crate::out::gpu_calls;

gpu_calls! {
    fn nvmlDeviceGetNvLinkRemoteDeviceType(slot: c_uint) -> c_uint: kind = |gpu, slot| {
        Ok([link(gpu, slot)?.remote_type])
    };
}
