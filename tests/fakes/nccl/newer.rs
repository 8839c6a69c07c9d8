//! Functions that came after 2.10: configurations and `ncclCommFinalize` with 2.14, the last error with 2.13, memory with
//! 2.19.

use std::ffi::{c_char, c_int, c_void};

use super::{
    abi::{Code, INVALID_ARGUMENT, UNHANDLED_CUDA, UniqueId},
    calls, communicator, config, runtime,
    say::{self, Handle},
    start,
};

/// `ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId, int rank, ncclConfig_t *config)`.
///
/// # Safety
///
/// The pointers are null or good; the configuration is as large as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommInitRankConfig(
    to: *mut Handle,
    ranks: c_int,
    id: UniqueId,
    rank: c_int,
    config: *const u8,
) -> Code {
    // SAFETY: as the caller promises.
    match unsafe { config::read(config) } {
        // SAFETY: as the caller promises.
        Ok(options) => unsafe { start::begin(to, ranks, id, rank, options) },
        Err(text) => say::failed(INVALID_ARGUMENT, &text),
    }
}

/// `const char *ncclGetLastError(ncclComm_t comm)`.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetLastError(_: Handle) -> *const c_char {
    say::last()
}

/// Waits until a communicator's collectives are done.
#[unsafe(no_mangle)]
pub extern "C" fn ncclCommFinalize(handle: Handle) -> Code {
    communicator::with(handle, |communicator| {
        let code = calls::trouble_at("finalize", communicator);
        if code == 0 {
            communicator.wait();
        }
        code
    })
}

/// `ncclResult_t ncclMemAlloc(void **ptr, size_t size)`.
///
/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclMemAlloc(to: *mut *mut c_void, bytes: usize) -> Code {
    if to.is_null() || bytes == 0 {
        return say::failed(INVALID_ARGUMENT, "ncclMemAlloc : invalid argument");
    }
    match runtime::allocate(bytes as u64) {
        Ok(address) => {
            // SAFETY: as the caller promises.
            unsafe { to.write(address as *mut c_void) };
            0
        }
        Err(2) => say::failed(UNHANDLED_CUDA, "Cuda failure 2 'out of memory'"),
        Err(code) => say::failed(UNHANDLED_CUDA, &format!("Cuda failure {code}")),
    }
}

/// `ncclResult_t ncclMemFree(void *ptr)`.
#[unsafe(no_mangle)]
pub extern "C" fn ncclMemFree(pointer: *mut c_void) -> Code {
    if pointer.is_null() || runtime::free(pointer as u64) {
        return 0;
    }
    say::failed(INVALID_ARGUMENT, "ncclMemFree : the memory is none that was allocated")
}
