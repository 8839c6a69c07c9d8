use std::ffi::{c_char, c_int, c_void};

use super::{config::Config, library::IDENTITY};
use crate::sys::dl::dl_api;

/// `ncclUniqueId`, which is passed by value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct UniqueId(pub(super) [u8; IDENTITY]);

dl_api! {
    /// The functions of nccl.h; `ncclComm_t` and `cudaStream_t` or `hipStream_t` are pointers.
    struct CollectiveApi {
        version = "ncclGetVersion": fn(*mut c_int) -> c_int;
        error_string = "ncclGetErrorString": fn(c_int) -> *const c_char;
        unique_id = "ncclGetUniqueId": fn(*mut UniqueId) -> c_int;
        init_rank = "ncclCommInitRank": fn(*mut *mut c_void, c_int, UniqueId, c_int) -> c_int;
        abort = "ncclCommAbort": fn(*mut c_void) -> c_int;
        async_error = "ncclCommGetAsyncError": fn(*mut c_void, *mut c_int) -> c_int;
        all_reduce = "ncclAllReduce":
            fn(*const c_void, *mut c_void, usize, c_int, c_int, *mut c_void, *mut c_void) -> c_int;
    }
    optional {
        // Since 2.13.
        last_error = ["ncclGetLastError"]: fn(*mut c_void) -> *const c_char;
        // Since 2.14.
        init_rank_config = ["ncclCommInitRankConfig"]:
            fn(*mut *mut c_void, c_int, UniqueId, c_int, *mut Config) -> c_int;
        // Since 2.19.
        allocate = ["ncclMemAlloc"]: fn(*mut *mut c_void, usize) -> c_int;
        free = ["ncclMemFree"]: fn(*mut c_void) -> c_int;
    }
}
