//! A stand-in for libnccl or librccl: says the version that the variable `LINKSPEC_FAKE_NCCL` holds, as a code such as
//! 22803, and fails where it holds none.
#![expect(unsafe_code, reason = "functions of a C library")]

use std::ffi::c_int;

/// `ncclInvalidArgument` of nccl.h.
const INVALID_ARGUMENT: c_int = 4;

/// The mark of a stand-in.
#[unsafe(no_mangle)]
pub extern "C" fn linkspec_fake() {}

/// `ncclResult_t ncclGetVersion(int *version)`.
///
/// # Safety
///
/// The pointer is null, or points to an int.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclGetVersion(version: *mut c_int) -> c_int {
    let code = std::env::var("LINKSPEC_FAKE_NCCL").ok().and_then(|code| code.parse().ok());
    // SAFETY: as the caller promises.
    match (code, unsafe { version.as_mut() }) {
        (Some(code), Some(version)) => {
            *version = code;
            0
        }
        _ => INVALID_ARGUMENT,
    }
}
