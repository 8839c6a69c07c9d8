//! Primary contexts: a handle for each GPU, and how often it is held.

use std::{
    ffi::{c_int, c_void},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{
    codes::{INVALID_CONTEXT, INVALID_DEVICE, NOT_INITIALIZED, written},
    gpu::{device, out},
};

/// The handle of the first GPU's context; the others' follow.
const FIRST: usize = 0x1000;

static HELD: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn held() -> MutexGuard<'static, Vec<u32>> {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    held.resize(device::addresses().len(), 0);
    held
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(to: *mut *mut c_void, gpu: c_int) -> c_int {
    if !device::is_open() {
        return NOT_INITIALIZED;
    }
    let Some(gpu) = device::numbered(gpu) else { return INVALID_DEVICE };
    if let Some(count) = held().get_mut(gpu) {
        *count += 1;
    }
    // SAFETY: as the caller promises.
    written(unsafe { out::value((FIRST + gpu) as *mut c_void, to) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRelease_v2(gpu: c_int) -> c_int {
    let Some(gpu) = device::numbered(gpu) else { return INVALID_DEVICE };
    match held().get_mut(gpu) {
        Some(count) if *count > 0 => {
            *count -= 1;
            0
        }
        _ => INVALID_CONTEXT,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCurrent(context: *mut c_void) -> c_int {
    if !device::is_open() {
        return NOT_INITIALIZED;
    }
    if context.is_null() {
        device::set_current(None);
        return 0;
    }
    let gpu = (context as usize).checked_sub(FIRST);
    match gpu.filter(|gpu| held().get(*gpu).is_some_and(|count| *count > 0)) {
        Some(gpu) => {
            device::set_current(Some(gpu));
            0
        }
        None => INVALID_CONTEXT,
    }
}
