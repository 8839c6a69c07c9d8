//! What is asked of a communicator, and its end.

use std::{cell::Cell, ffi::c_int, sync::atomic::Ordering};

use super::{
    abi::{Code, INVALID_ARGUMENT, INVALID_USAGE, UNHANDLED_CUDA},
    communicator::{self, Communicator},
    fault::{self, Moment},
    log,
    say::{self, Handle},
    trouble,
};

thread_local! {
    static GROUPS: Cell<u32> = const { Cell::new(0) };
}

/// # Safety
///
/// The pointer is null or good.
unsafe fn tell(handle: Handle, to: *mut c_int, what: impl FnOnce(&Communicator) -> c_int) -> Code {
    communicator::with(handle, |communicator| {
        if to.is_null() {
            return say::failed(INVALID_ARGUMENT, "out argument is NULL");
        }
        // SAFETY: as the caller promises.
        unsafe { to.write(what(communicator)) };
        0
    })
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommCount(handle: Handle, to: *mut c_int) -> Code {
    // SAFETY: as the caller promises.
    unsafe { tell(handle, to, |communicator| communicator.ranks as c_int) }
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommUserRank(handle: Handle, to: *mut c_int) -> Code {
    // SAFETY: as the caller promises.
    unsafe { tell(handle, to, |communicator| communicator.rank as c_int) }
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommCuDevice(handle: Handle, to: *mut c_int) -> Code {
    // SAFETY: as the caller promises.
    unsafe { tell(handle, to, |communicator| communicator.device as c_int) }
}

/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclCommGetAsyncError(handle: Handle, to: *mut Code) -> Code {
    // SAFETY: as the caller promises.
    unsafe { tell(handle, to, |communicator| communicator.state.load(Ordering::Acquire)) }
}

/// The end of a communicator, once its collectives are done: a hanging one keeps it waiting.
#[unsafe(no_mangle)]
pub extern "C" fn ncclCommDestroy(handle: Handle) -> Code {
    communicator::with(handle, |communicator| {
        let code = trouble_at("destroy", communicator);
        if code != 0 {
            return code;
        }
        communicator.wait();
        end(handle, communicator, "Destroy")
    })
}

/// The end of a communicator whatever it does.
#[unsafe(no_mangle)]
pub extern "C" fn ncclCommAbort(handle: Handle) -> Code {
    communicator::with(handle, |communicator| {
        let code = trouble_at("abort", communicator);
        if code != 0 {
            return code;
        }
        communicator.aborted.store(true, Ordering::Release);
        communicator.wait();
        end(handle, communicator, "Abort")
    })
}

/// The faults of such a call; a code, where it is to fail.
pub fn trouble_at(at: &'static str, communicator: &Communicator) -> Code {
    let moment = Moment { rank: Some(communicator.rank as u64), at, ..Moment::default() };
    trouble::at(&moment);
    match fault::at("error", &moment) {
        Some(fault) => say::failed(fault.code(UNHANDLED_CUDA), "the stand-in was asked to fail here"),
        None => 0,
    }
}

fn end(handle: Handle, communicator: &Communicator, how: &str) -> Code {
    communicator::take(handle);
    if let Some((_, team)) = communicator.met.get() {
        log::destroyed(team, how);
    }
    0
}

/// Groups of calls. Calls do not wait for each other here, so that a group has nothing to hold back.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGroupStart() -> Code {
    GROUPS.set(GROUPS.get() + 1);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn ncclGroupEnd() -> Code {
    match GROUPS.get().checked_sub(1) {
        Some(groups) => {
            GROUPS.set(groups);
            0
        }
        None => say::failed(INVALID_USAGE, "ncclGroupEnd: not in a group call."),
    }
}
