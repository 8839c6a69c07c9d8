//! Field values: the call succeeds, each field has its own return code.

use std::ffi::{c_int, c_longlong, c_uint};

use crate::codes::{Code, INVALID_ARGUMENT, NOT_SUPPORTED, SUCCESS, code};
use crate::model::Gpu;
use crate::state::{Device, on_gpu};

/// `nvmlFieldValue_t`. The value is a union of eight bytes; what is here fits its 64 bit member.
#[repr(C)]
#[derive(Debug)]
pub struct FieldValue {
    field: c_uint,
    scope: c_uint,
    timestamp: c_longlong,
    latency: c_longlong,
    value_type: c_uint,
    result: Code,
    value: u64,
}

/// `NVML_VALUE_TYPE_UNSIGNED_INT`.
const UNSIGNED_INT: u32 = 1;
/// A link to a switch.
const SWITCH: u32 = 2;

/// `nvmlDeviceGetFieldValues` of NVML.
///
/// # Safety
///
/// `values` is null or points to `count` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFieldValues(device: Device, count: c_int, values: *mut FieldValue) -> Code {
    code(on_gpu("nvmlDeviceGetFieldValues", device, |gpu| {
        let count = usize::try_from(count).map_err(|_| INVALID_ARGUMENT)?;
        if values.is_null() || count == 0 {
            return Err(INVALID_ARGUMENT);
        }
        // SAFETY: not null, as many as the caller promises.
        for place in unsafe { std::slice::from_raw_parts_mut(values, count) } {
            let answer = field(gpu, place.field, place.scope as usize);
            (place.timestamp, place.latency) = (0, 0);
            place.value_type = UNSIGNED_INT;
            place.result = answer.err().unwrap_or(SUCCESS);
            place.value = answer.unwrap_or(0);
        }
        Ok(())
    }))
}

/// A field's value. Numbers as in `nvml.h` (`NVML_FI_DEV_*`).
fn field(gpu: &Gpu, field: u32, slot: usize) -> Result<u64, Code> {
    if field > crate::NEWEST_FIELD {
        return Err(INVALID_ARGUMENT);
    }
    let link = gpu.nvlinks.get(slot).ok_or(NOT_SUPPORTED);
    match field {
        // The common speed is not told by an H200; the count is, even of a GPU without NVLink: not supported then.
        91 => (!gpu.nvlinks.is_empty()).then_some(gpu.nvlinks.len() as u64).ok_or(NOT_SUPPORTED),
        146 => link.map(|_| 0),
        147 if gpu.nvlinks.is_empty() => Err(NOT_SUPPORTED),
        147 => Ok(gpu.nvlinks.iter().filter(|link| link.remote_type == SWITCH).count() as u64),
        161 => link.map(|link| link.errors[0]),
        162 => link.map(|link| link.errors[1]),
        163 => link.map(|link| link.errors[2]),
        164 => link.map(|link| if link.active { u64::from(link.speed) } else { 0 }),
        165 => link.map(|link| u64::from(link.active)),
        166 => link.map(|link| u64::from(link.version)),
        _ => Err(NOT_SUPPORTED),
    }
}
