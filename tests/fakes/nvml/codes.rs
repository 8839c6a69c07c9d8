//! NVML's return codes, with the library's own words for them.

use std::ffi::{CStr, c_char};

/// `nvmlReturn_t`.
pub type Code = u32;

/// The call was answered.
pub const SUCCESS: Code = 0;
/// `nvmlInit` was not called.
pub const UNINITIALIZED: Code = 1;
/// A null pointer, a handle or index that is none.
pub const INVALID_ARGUMENT: Code = 2;
/// Not on this GPU.
pub const NOT_SUPPORTED: Code = 3;
/// A buffer is too small.
pub const INSUFFICIENT_SIZE: Code = 7;
/// There is no driver of NVIDIA.
pub const DRIVER_NOT_LOADED: Code = 9;
/// The GPU fell off the bus.
pub const GPU_IS_LOST: Code = 15;
/// The version in a versioned structure is unknown to the library.
pub const VERSION_MISMATCH: Code = 25;
/// Anything else.
pub const UNKNOWN: Code = 999;

/// What an answer returns.
pub fn code(answer: Result<(), Code>) -> Code {
    answer.err().unwrap_or(SUCCESS)
}

/// `nvmlErrorString`: works before `nvmlInit` too.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(result: Code) -> *const c_char {
    words(result).as_ptr()
}

fn words(result: Code) -> &'static CStr {
    match result {
        SUCCESS => c"Success",
        UNINITIALIZED => c"Uninitialized",
        INVALID_ARGUMENT => c"Invalid Argument",
        NOT_SUPPORTED => c"Not Supported",
        4 => c"Insufficient Permissions",
        6 => c"Not Found",
        INSUFFICIENT_SIZE => c"Insufficient Size",
        DRIVER_NOT_LOADED => c"Driver Not Loaded",
        10 => c"Timeout",
        13 => c"Function Not Found",
        GPU_IS_LOST => c"GPU is lost",
        16 => c"GPU requires reset",
        18 => c"Driver/library version mismatch",
        VERSION_MISMATCH => c"Argument version mismatch",
        _ => c"Unknown Error",
    }
}
