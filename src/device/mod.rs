//! One GPU of a rank: found by its PCI address, opened, and used through buffers and streams that only ever queue work.
//!
//! What calls the vendors' libraries is in `sys`.

mod gpu;

pub(crate) use crate::sys::gpu::{DeviceBuffer, DeviceError, Memory, PinnedBuffer, Stream};
pub(crate) use gpu::Gpu;
