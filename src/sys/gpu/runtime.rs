use std::{fmt::Debug, ptr::NonNull};

use super::{DeviceError, Release, handle::Handle};

/// Memory of a GPU, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Not in use.
    pub(crate) free: u64,
    /// All.
    pub(crate) total: u64,
}

/// One GPU that is open, as its vendor's library drives it. Calls act on the calling thread's current GPU, which
/// `attach` sets. Transfers and fills are only queued.
///
/// # Safety
///
/// Functions that are unsafe need a stream of this runtime, and memory that holds the bytes named. Memory of the host is
/// of `allocate_pinned`, and lives and is not touched until the stream has done what was queued.
pub(crate) trait Runtime: Release + Debug + Send + Sync {
    /// Makes the GPU the current one of the calling thread.
    fn attach(&self) -> Result<(), DeviceError>;
    fn memory(&self) -> Result<Memory, DeviceError>;
    /// A stream that does not wait for the null stream. It lasts as long as the GPU is open.
    fn stream(&self) -> Result<Handle, DeviceError>;
    /// An address on the GPU.
    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError>;
    /// Memory of the host that the GPU reaches without the CPU.
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError>;
    unsafe fn free_pinned(&self, memory: NonNull<u8>);
    unsafe fn is_done(&self, stream: Handle) -> Result<bool, DeviceError>;
    unsafe fn fill(&self, to: u64, value: u8, bytes: usize, stream: Handle) -> Result<(), DeviceError>;
    unsafe fn copy(&self, to: u64, from: u64, bytes: usize, stream: Handle) -> Result<(), DeviceError>;
    unsafe fn upload(&self, to: u64, from: NonNull<u8>, bytes: usize, stream: Handle) -> Result<(), DeviceError>;
    unsafe fn download(&self, to: NonNull<u8>, from: u64, bytes: usize, stream: Handle) -> Result<(), DeviceError>;
}
