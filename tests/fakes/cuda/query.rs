//! Whether a stream is done.

use std::ffi::{c_int, c_void};

use super::{
    codes::{INVALID_HANDLE, in_context},
    gpu::stream,
};

/// `CUDA_ERROR_NOT_READY`.
const NOT_READY: c_int = 600;

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamQuery(handle: *mut c_void) -> c_int {
    in_context(|| match stream::is_done(handle as usize) {
        Some(true) => 0,
        Some(false) => NOT_READY,
        None => INVALID_HANDLE,
    })
}
