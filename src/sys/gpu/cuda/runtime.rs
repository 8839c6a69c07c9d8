use std::{
    ffi::{c_int, c_uint},
    ptr::{self, NonNull},
};

use super::api::CudaApi;
use crate::sys::gpu::{DeviceError, Memory, Release, Runtime, handle::Handle};

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: c_uint = 1;
/// `CUDA_ERROR_NOT_READY`.
const NOT_READY: c_int = 600;

/// The primary context of a device: the one that the collective library's own CUDA runtime uses.
#[derive(Debug)]
pub(super) struct CudaRuntime {
    api: CudaApi,
    device: c_int,
    context: Handle,
}

impl CudaRuntime {
    /// Retains the context with the flags that it has.
    pub(super) fn retain(api: CudaApi, device: c_int) -> Result<Self, DeviceError> {
        let mut context = ptr::null_mut();
        // SAFETY: it writes one pointer.
        api.check("cuDevicePrimaryCtxRetain", unsafe { (api.retain)(&raw mut context, device) })?;
        Ok(Self { api, device, context: Handle(context) })
    }
}

impl Drop for CudaRuntime {
    fn drop(&mut self) {
        // SAFETY: this value retained it once; buffers and streams hold the value, so that none is left.
        unsafe { (self.api.release)(self.device) };
    }
}

impl Release for CudaRuntime {
    unsafe fn free(&self, address: u64) {
        // Without the context in this thread the call would only fail.
        if self.attach().is_ok() {
            // SAFETY: as the caller promises.
            unsafe { (self.api.free)(address) };
        }
    }
}

impl Runtime for CudaRuntime {
    fn attach(&self) -> Result<(), DeviceError> {
        // SAFETY: the context is retained as long as this value lives.
        self.api.check("cuCtxSetCurrent", unsafe { (self.api.set_current)(self.context.0) })
    }

    fn memory(&self) -> Result<Memory, DeviceError> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: it writes two sizes.
        self.api.check("cuMemGetInfo", unsafe { (self.api.memory)(&raw mut free, &raw mut total) })?;
        Ok(Memory { free: free as u64, total: total as u64 })
    }

    fn stream(&self) -> Result<Handle, DeviceError> {
        let mut stream = ptr::null_mut();
        // SAFETY: it writes one pointer.
        self.api.check("cuStreamCreate", unsafe { (self.api.stream)(&raw mut stream, NON_BLOCKING) })?;
        Ok(Handle(stream))
    }

    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError> {
        let mut address = 0;
        // SAFETY: it writes one address.
        self.api.check("cuMemAlloc", unsafe { (self.api.allocate)(&raw mut address, bytes) })?;
        Ok(address)
    }

    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        let mut memory = ptr::null_mut();
        // SAFETY: it writes one pointer.
        let code = unsafe { (self.api.allocate_host)(&raw mut memory, bytes, 0) };
        self.api.check("cuMemHostAlloc", code)?;
        let null = || DeviceError::Call { call: "cuMemHostAlloc", code, text: "a null pointer".to_owned() };
        NonNull::new(memory.cast()).ok_or_else(null)
    }

    unsafe fn free_pinned(&self, memory: NonNull<u8>) {
        if self.attach().is_ok() {
            // SAFETY: as the caller promises.
            unsafe { (self.api.free_host)(memory.as_ptr().cast()) };
        }
    }

    unsafe fn is_done(&self, stream: Handle) -> Result<bool, DeviceError> {
        // SAFETY: as the caller promises.
        match unsafe { (self.api.stream_query)(stream.0) } {
            NOT_READY => Ok(false),
            code => self.api.check("cuStreamQuery", code).map(|()| true),
        }
    }

    unsafe fn fill(&self, to: u64, value: u8, bytes: usize, stream: Handle) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        self.api.check("cuMemsetD8Async", unsafe { (self.api.fill)(to, value, bytes, stream.0) })
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize, stream: Handle) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        self.api.check("cuMemcpyDtoDAsync", unsafe { (self.api.copy)(to, from, bytes, stream.0) })
    }

    unsafe fn upload(&self, to: u64, from: NonNull<u8>, bytes: usize, stream: Handle) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        let code = unsafe { (self.api.upload)(to, from.as_ptr().cast(), bytes, stream.0) };
        self.api.check("cuMemcpyHtoDAsync", code)
    }

    unsafe fn download(&self, to: NonNull<u8>, from: u64, bytes: usize, stream: Handle) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        let code = unsafe { (self.api.download)(to.as_ptr().cast(), from, bytes, stream.0) };
        self.api.check("cuMemcpyDtoHAsync", code)
    }
}
