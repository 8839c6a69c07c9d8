//! The stand-ins as a rank uses them.

use std::{ffi::c_void, mem::ManuallyDrop, ptr::null_mut};

use libloading::{Library, Symbol};

use crate::library::stand_in;

/// `ncclUniqueId`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Id(pub [u8; 128]);

/// A library that stays loaded.
pub struct Loaded(ManuallyDrop<Library>);

impl Loaded {
    pub fn new(name: &str) -> Self {
        // SAFETY: the stand-ins run nothing when they are loaded.
        Self(ManuallyDrop::new(unsafe { Library::new(stand_in(name)) }.unwrap()))
    }

    pub fn has(&self, name: &str) -> bool {
        // SAFETY: the address is not used.
        unsafe { self.0.get::<*const c_void>(name.as_bytes()) }.is_ok()
    }

    /// A function by its name and type.
    ///
    /// # Safety
    ///
    /// The type is the function's.
    pub unsafe fn function<T>(&self, name: &str) -> Symbol<'_, T> {
        // SAFETY: as the caller promises.
        unsafe { self.0.get(name.as_bytes()) }.unwrap()
    }
}

macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        #[expect(non_snake_case, clippy::too_many_arguments, reason = "the functions of the libraries")]
        impl Loaded {$(
            pub fn $name(&self, $($argument: $type),*) -> i32 {
                // SAFETY: the type is that of the library's header, and every pointer is good or null.
                unsafe { self.function::<unsafe extern "C" fn($($type),*) -> i32>(stringify!($name))($($argument),*) }
            }
        )*}
    };
}

calls! {
    cuInit(flags: u32);
    cuDeviceGetPCIBusId(to: *mut i8, length: i32, device: i32);
    cuDevicePrimaryCtxRetain(to: *mut *mut c_void, device: i32);
    cuCtxSetCurrent(context: *mut c_void);
    cuMemAlloc_v2(to: *mut u64, bytes: usize);
    cuMemFree_v2(address: u64);
    cuMemHostAlloc(to: *mut *mut c_void, bytes: usize, flags: u32);
    cuMemsetD8Async(address: u64, value: u8, bytes: usize, stream: *mut c_void);
    cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: *mut c_void);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: *mut c_void);
    cuStreamCreate(to: *mut *mut c_void, flags: u32);
    cuStreamQuery(stream: *mut c_void);
    hipSetDevice(device: i32);
    hipMalloc(to: *mut u64, bytes: usize);
    hipStreamCreateWithFlags(to: *mut *mut c_void, flags: u32);
    hipMemsetAsync(address: u64, value: i32, bytes: usize, stream: *mut c_void);
    hipStreamQuery(stream: *mut c_void);
    ncclGetVersion(to: *mut i32);
    ncclGetUniqueId(to: *mut Id);
    ncclCommInitRank(to: *mut *mut c_void, ranks: i32, id: Id, rank: i32);
    ncclCommInitRankConfig(to: *mut *mut c_void, ranks: i32, id: Id, rank: i32, config: *const u8);
    ncclCommGetAsyncError(communicator: *mut c_void, to: *mut i32);
    ncclCommDestroy(communicator: *mut c_void);
    ncclCommAbort(communicator: *mut c_void);
    ncclMemAlloc(to: *mut u64, bytes: usize);
    ncclAllReduce(send: u64, receive: u64, count: usize, datatype: i32, operation: i32, communicator: *mut c_void, stream: *mut c_void);
}

/// One GPU with a stream, and pinned memory.
pub struct Gpu {
    pub driver: Loaded,
    pub stream: *mut c_void,
    pinned: *mut u8,
}

/// Bytes of pinned memory.
pub const PINNED: usize = 2 << 20;

impl Gpu {
    pub fn open(device: i32) -> Self {
        let driver = Loaded::new("fake_cuda");
        let (mut context, mut stream, mut pinned) = (null_mut(), null_mut(), null_mut());
        assert_eq!(driver.cuInit(0), 0);
        assert_eq!(driver.cuDevicePrimaryCtxRetain(&raw mut context, device), 0);
        assert_eq!(driver.cuCtxSetCurrent(context), 0);
        assert_eq!(driver.cuStreamCreate(&raw mut stream, 1), 0);
        assert_eq!(driver.cuMemHostAlloc(&raw mut pinned, PINNED, 0), 0);
        Self { driver, stream, pinned: pinned.cast() }
    }

    pub fn allocate(&self, bytes: usize) -> u64 {
        let mut address = 0;
        assert_eq!(self.driver.cuMemAlloc_v2(&raw mut address, bytes), 0);
        address
    }

    pub fn is_done(&self) -> bool {
        let code = self.driver.cuStreamQuery(self.stream);
        assert!(code == 0 || code == 600, "{code}");
        code == 0
    }

    pub fn wait(&self) {
        while !self.is_done() {}
    }

    pub fn upload(&self, bytes: &[u8], to: u64) {
        self.wait();
        assert!(bytes.len() <= PINNED);
        // SAFETY: the pinned memory is as large, and no transfer is under way.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.pinned, bytes.len()) };
        assert_eq!(self.driver.cuMemcpyHtoDAsync_v2(to, self.pinned.cast(), bytes.len(), self.stream), 0);
    }

    pub fn download(&self, from: u64, bytes: usize) -> Vec<u8> {
        assert!(bytes <= PINNED);
        assert_eq!(self.driver.cuMemcpyDtoHAsync_v2(self.pinned.cast(), from, bytes, self.stream), 0);
        self.wait();
        // SAFETY: the pinned memory is as large, and the transfer is done.
        unsafe { std::slice::from_raw_parts(self.pinned, bytes) }.to_vec()
    }
}
