//! What the library says of an error: the last one in words, and the words of a code.

use std::{
    ffi::{CStr, CString, c_char, c_void},
    sync::{Mutex, PoisonError},
};

use super::{abi::Code, log};

/// The last error. Texts are never freed, since a caller may hold them.
static LAST: Mutex<Option<&'static CStr>> = Mutex::new(None);

/// Keeps an error's words, logs them as a warning, and gives its code back.
pub fn failed(code: Code, text: &str) -> Code {
    log::warn(text);
    if let Ok(text) = CString::new(text) {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::leak(text.into_boxed_c_str()));
    }
    code
}

/// The words of a code (NVIDIA/nccl: src/init.cc).
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetErrorString(code: Code) -> *const c_char {
    let text = match code {
        0 => c"no error",
        1 => c"unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        2 => c"unhandled system error (run with NCCL_DEBUG=INFO for details)",
        3 => c"internal error - please report this issue to the NCCL developers",
        4 => c"invalid argument (run with NCCL_DEBUG=WARN for details)",
        5 => c"invalid usage (run with NCCL_DEBUG=WARN for details)",
        6 => c"remote process exited or there was a network error",
        7 => c"NCCL operation in progress",
        _ => c"unknown result code",
    };
    text.as_ptr()
}

/// The last error's words, which the newer library has a function for.
pub fn last() -> *const c_char {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(c"").as_ptr()
}

/// A communicator as a caller holds it.
pub type Handle = *mut c_void;
