//! The library's version, from `LINKSPEC_FAKE_NCCL`, and whether it is RCCL, from `LINKSPEC_FAKE_RCCL`.

use std::env;

use super::{
    abi::{Code, INVALID_ARGUMENT},
    fault::Moment,
    trouble,
};

/// The code where the variable holds none.
pub fn code() -> i32 {
    told().unwrap_or(if crate::IS_OLD { 21_003 } else { 22_809 })
}

fn told() -> Option<i32> {
    env::var("LINKSPEC_FAKE_NCCL").ok().and_then(|code| code.parse().ok())
}

/// The version in words, from 2.9 on.
pub fn text() -> String {
    let code = code();
    format!("{}.{}.{}", code / 10_000, code % 10_000 / 100, code % 100)
}

/// Whether it speaks as RCCL.
pub fn is_rccl() -> bool {
    env::var("LINKSPEC_FAKE_RCCL").is_ok_and(|value| value == "1")
}

/// The mark of a stand-in.
#[unsafe(no_mangle)]
pub extern "C" fn linkspec_fake() {}

/// `ncclResult_t ncclGetVersion(int *version)`. The newer library fails where the variable holds no version.
///
/// # Safety
///
/// The pointer is null, or points to an int.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclGetVersion(version: *mut i32) -> Code {
    trouble::at(&Moment { at: "version", ..Moment::default() });
    let told = told().or(crate::IS_OLD.then(code));
    // SAFETY: as the caller promises.
    match (told, unsafe { version.as_mut() }) {
        (Some(code), Some(version)) => {
            *version = code;
            0
        }
        _ => INVALID_ARGUMENT,
    }
}
