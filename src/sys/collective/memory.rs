use std::{
    ffi::{c_int, c_void},
    ptr,
    sync::Arc,
};

use super::{CallFailed, Collective};
use crate::sys::gpu::{DeviceBuffer, Release, Runtime};

/// Memory that the library gives and frees.
#[derive(Debug)]
struct LibraryMemory {
    free: unsafe extern "C" fn(*mut c_void) -> c_int,
    /// The GPU that must be current, and stay open as long as the memory.
    runtime: Arc<dyn Runtime>,
}

impl Release for LibraryMemory {
    unsafe fn free(&self, address: u64) {
        if self.runtime.attach().is_ok() {
            // SAFETY: as the caller promises; the library is never unloaded.
            unsafe { (self.free)(pointer(address)) };
        }
    }
}

impl Collective {
    /// Memory on the calling thread's current GPU, mapped for its peers; `None` where the library gives none.
    pub(crate) fn allocate(&self, runtime: &Arc<dyn Runtime>, bytes: u64) -> Option<Result<DeviceBuffer, CallFailed>> {
        let (allocate, free) = self.api.allocate.zip(self.api.free)?;
        let mut memory = ptr::null_mut();
        // SAFETY: it writes one pointer.
        let code = unsafe { allocate(&raw mut memory, usize::try_from(bytes).unwrap_or(usize::MAX)) };
        let origin = LibraryMemory { free, runtime: Arc::clone(runtime) };
        let given = self.check("ncclMemAlloc", code);
        // SAFETY: the memory was just given, with this length.
        Some(given.map(|()| unsafe { DeviceBuffer::of(memory as u64, bytes, Arc::new(origin)) }))
    }
}

/// An address on a GPU as the library wants it; it is never followed here.
pub(super) fn pointer(address: u64) -> *mut c_void {
    ptr::without_provenance_mut(usize::try_from(address).unwrap_or_default())
}
