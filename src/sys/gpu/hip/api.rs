use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::sys::{dl::dl_api, gpu::DeviceError};

dl_api! {
    /// The functions of hip_runtime_api.h. `hipGetDeviceProperties` is not among them: its structure changed with
    /// ROCm 6 under the same name.
    struct HipApi {
        init = "hipInit": fn(c_uint) -> c_int;
        runtime_version = "hipRuntimeGetVersion": fn(*mut c_int) -> c_int;
        error_string = "hipGetErrorString": fn(c_int) -> *const c_char;
        device_count = "hipGetDeviceCount": fn(*mut c_int) -> c_int;
        device = "hipDeviceGet": fn(*mut c_int, c_int) -> c_int;
        device_name = "hipDeviceGetName": fn(*mut c_char, c_int, c_int) -> c_int;
        device_address = "hipDeviceGetPCIBusId": fn(*mut c_char, c_int, c_int) -> c_int;
        set_device = "hipSetDevice": fn(c_int) -> c_int;
        memory = "hipMemGetInfo": fn(*mut usize, *mut usize) -> c_int;
        allocate = "hipMalloc": fn(*mut *mut c_void, usize) -> c_int;
        free = "hipFree": fn(*mut c_void) -> c_int;
        allocate_host = "hipHostMalloc": fn(*mut *mut c_void, usize, c_uint) -> c_int;
        free_host = "hipHostFree": fn(*mut c_void) -> c_int;
        fill = "hipMemsetAsync": fn(*mut c_void, c_int, usize, *mut c_void) -> c_int;
        copy = "hipMemcpyAsync": fn(*mut c_void, *const c_void, usize, c_int, *mut c_void) -> c_int;
        stream = "hipStreamCreateWithFlags": fn(*mut *mut c_void, c_uint) -> c_int;
        stream_query = "hipStreamQuery": fn(*mut c_void) -> c_int;
    }
    optional {}
}

impl HipApi {
    /// What a call returned, with the library's words.
    pub(super) fn check(&self, call: &'static str, code: c_int) -> Result<(), DeviceError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: it takes any code, and its texts are never freed.
        let text = unsafe { (self.error_string)(code) };
        let text = if text.is_null() {
            "a code without a name".to_owned()
        } else {
            // SAFETY: as above.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
        };
        Err(DeviceError::Call { call, code, text })
    }
}
