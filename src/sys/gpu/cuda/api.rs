use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    ptr,
};

use crate::sys::{dl::dl_api, gpu::DeviceError};

dl_api! {
    /// The functions of cuda.h, in the forms that drivers have had since CUDA 4; a pointer to memory of the GPU is a
    /// `u64`, and a handle a `*mut c_void`.
    struct CudaApi {
        init = "cuInit": fn(c_uint) -> c_int;
        driver_version = "cuDriverGetVersion": fn(*mut c_int) -> c_int;
        error_name = "cuGetErrorName": fn(c_int, *mut *const c_char) -> c_int;
        error_string = "cuGetErrorString": fn(c_int, *mut *const c_char) -> c_int;
        device_count = "cuDeviceGetCount": fn(*mut c_int) -> c_int;
        device = "cuDeviceGet": fn(*mut c_int, c_int) -> c_int;
        device_name = "cuDeviceGetName": fn(*mut c_char, c_int, c_int) -> c_int;
        device_address = "cuDeviceGetPCIBusId": fn(*mut c_char, c_int, c_int) -> c_int;
        retain = "cuDevicePrimaryCtxRetain": fn(*mut *mut c_void, c_int) -> c_int;
        release = "cuDevicePrimaryCtxRelease_v2": fn(c_int) -> c_int;
        set_current = "cuCtxSetCurrent": fn(*mut c_void) -> c_int;
        memory = "cuMemGetInfo_v2": fn(*mut usize, *mut usize) -> c_int;
        allocate = "cuMemAlloc_v2": fn(*mut u64, usize) -> c_int;
        free = "cuMemFree_v2": fn(u64) -> c_int;
        allocate_host = "cuMemHostAlloc": fn(*mut *mut c_void, usize, c_uint) -> c_int;
        free_host = "cuMemFreeHost": fn(*mut c_void) -> c_int;
        fill = "cuMemsetD8Async": fn(u64, u8, usize, *mut c_void) -> c_int;
        upload = "cuMemcpyHtoDAsync_v2": fn(u64, *const c_void, usize, *mut c_void) -> c_int;
        download = "cuMemcpyDtoHAsync_v2": fn(*mut c_void, u64, usize, *mut c_void) -> c_int;
        copy = "cuMemcpyDtoDAsync_v2": fn(u64, u64, usize, *mut c_void) -> c_int;
        stream = "cuStreamCreate": fn(*mut *mut c_void, c_uint) -> c_int;
        stream_query = "cuStreamQuery": fn(*mut c_void) -> c_int;
    }
    optional {}
}

impl CudaApi {
    /// What a call returned, with the driver's words.
    pub(super) fn check(&self, call: &'static str, code: c_int) -> Result<(), DeviceError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: `words` calls it as cuda.h says.
        let name = unsafe { words(self.error_name, code) };
        // SAFETY: as above.
        let text = unsafe { words(self.error_string, code) };
        let text = match (name, text) {
            (Some(name), Some(text)) => format!("{name}, {text}"),
            (name, text) => name.or(text).unwrap_or_else(|| "a code without a name".to_owned()),
        };
        Err(DeviceError::Call { call, code, text })
    }
}

/// # Safety
///
/// The function is `cuGetErrorName` or `cuGetErrorString`.
unsafe fn words(function: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int, code: c_int) -> Option<String> {
    let mut text = ptr::null();
    // SAFETY: the function writes one pointer, to a text that is never freed, or null for a code that it does not know.
    let told = unsafe { function(code, &raw mut text) } == 0 && !text.is_null();
    // SAFETY: as above.
    told.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
