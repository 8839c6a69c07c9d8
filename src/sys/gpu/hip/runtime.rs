use std::{
    ffi::{c_int, c_uint, c_void},
    ptr::{self, NonNull},
};

use super::api::HipApi;
use crate::sys::gpu::{DeviceError, Memory, Release, Runtime, handle::Handle};

/// `hipStreamNonBlocking`.
const NON_BLOCKING: c_uint = 1;
/// `hipErrorNotReady`.
const NOT_READY: c_int = 600;
/// `hipMemcpyKind`.
const HOST_TO_DEVICE: c_int = 1;
const DEVICE_TO_HOST: c_int = 2;
const DEVICE_TO_DEVICE: c_int = 3;

/// A device, whose primary context HIP makes by itself.
#[derive(Debug)]
pub(super) struct HipRuntime {
    api: HipApi,
    device: c_int,
}

impl HipRuntime {
    pub(super) const fn new(api: HipApi, device: c_int) -> Self {
        Self { api, device }
    }
}

impl Release for HipRuntime {
    unsafe fn free(&self, address: u64) {
        if self.attach().is_ok() {
            // SAFETY: as the caller promises.
            unsafe { (self.api.free)(pointer(address)) };
        }
    }
}

impl Runtime for HipRuntime {
    fn attach(&self) -> Result<(), DeviceError> {
        // SAFETY: it takes any number.
        self.api.check("hipSetDevice", unsafe { (self.api.set_device)(self.device) })
    }

    fn memory(&self) -> Result<Memory, DeviceError> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: it writes two sizes.
        self.api.check("hipMemGetInfo", unsafe { (self.api.memory)(&raw mut free, &raw mut total) })?;
        Ok(Memory { free: free as u64, total: total as u64 })
    }

    fn stream(&self) -> Result<Handle, DeviceError> {
        let mut stream = ptr::null_mut();
        // SAFETY: it writes one pointer.
        self.api.check("hipStreamCreateWithFlags", unsafe { (self.api.stream)(&raw mut stream, NON_BLOCKING) })?;
        Ok(Handle(stream))
    }

    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError> {
        let mut memory = ptr::null_mut();
        // SAFETY: it writes one pointer.
        self.api.check("hipMalloc", unsafe { (self.api.allocate)(&raw mut memory, bytes) })?;
        Ok(memory as u64)
    }

    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        let mut memory = ptr::null_mut();
        // SAFETY: it writes one pointer.
        let code = unsafe { (self.api.allocate_host)(&raw mut memory, bytes, 0) };
        self.api.check("hipHostMalloc", code)?;
        let null = || DeviceError::Call { call: "hipHostMalloc", code, text: "a null pointer".to_owned() };
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
            code => self.api.check("hipStreamQuery", code).map(|()| true),
        }
    }

    unsafe fn fill(&self, to: u64, value: u8, bytes: usize, stream: Handle) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        let code = unsafe { (self.api.fill)(pointer(to), c_int::from(value), bytes, stream.0) };
        self.api.check("hipMemsetAsync", code)
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize, stream: Handle) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.transfer(pointer(to), pointer(from), bytes, DEVICE_TO_DEVICE, stream) }
    }

    unsafe fn upload(&self, to: u64, from: NonNull<u8>, bytes: usize, stream: Handle) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.transfer(pointer(to), from.as_ptr().cast(), bytes, HOST_TO_DEVICE, stream) }
    }

    unsafe fn download(&self, to: NonNull<u8>, from: u64, bytes: usize, stream: Handle) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.transfer(to.as_ptr().cast(), pointer(from), bytes, DEVICE_TO_HOST, stream) }
    }
}

impl HipRuntime {
    /// # Safety
    ///
    /// As for the transfers of [`Runtime`], of which this is any one.
    unsafe fn transfer(
        &self,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
        kind: c_int,
        stream: Handle,
    ) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        self.api.check("hipMemcpyAsync", unsafe { (self.api.copy)(to, from, bytes, kind, stream.0) })
    }
}

/// HIP's addresses on a device are pointers; none is ever followed here.
fn pointer(address: u64) -> *mut c_void {
    ptr::without_provenance_mut(usize::try_from(address).unwrap_or_default())
}
