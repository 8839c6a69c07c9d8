//! GPUs through the driver's library, without a blocking wait, managed memory, multicast or a change of a flag.
//!
//! `Runtime` is what both vendors can do and nothing here does without knowing bounds and owners; streams, device and
//! pinned memory over it are safe.

mod buffer;
mod cuda;
mod driver;
mod error;
mod handle;
mod hip;
mod pinned;
mod runtime;
mod stream;
mod text;

pub(crate) use buffer::DeviceBuffer;
pub(super) use buffer::Release;
pub(crate) use cuda::Cuda;
pub(crate) use driver::Driver;
pub(crate) use error::DeviceError;
pub(crate) use hip::Hip;
pub(crate) use pinned::PinnedBuffer;
pub(crate) use runtime::{Memory, Runtime};
pub(crate) use stream::Stream;
