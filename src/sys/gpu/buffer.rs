use std::{fmt::Debug, sync::Arc};

use super::{DeviceError, Runtime, Stream};

/// What gave memory of a GPU and takes it back.
pub(crate) trait Release: Debug + Send + Sync {
    /// Frees memory, from any thread. What fails is not told: there is nobody to act on it.
    ///
    /// # Safety
    ///
    /// The address was given by the same library, is not free yet and is not used after this.
    unsafe fn free(&self, address: u64);
}

/// Memory of a GPU, freed when the value ends. Who still has work queued on it waits for that first: else the GPU reports
/// an address that it does not know, which harms this process's own memory in no way.
#[derive(Debug)]
pub(crate) struct DeviceBuffer {
    address: u64,
    length: u64,
    origin: Arc<dyn Release>,
}

impl DeviceBuffer {
    /// Memory of the driver.
    pub(crate) fn allocate(runtime: &Arc<dyn Runtime>, bytes: u64) -> Result<Self, DeviceError> {
        let address = runtime.allocate(whole(bytes))?;
        // SAFETY: the memory was just given, with this length.
        Ok(unsafe { Self::of(address, bytes, Arc::<dyn Runtime>::clone(runtime)) })
    }

    /// # Safety
    ///
    /// The memory is `origin`'s, is not free, has this length, and is nobody else's.
    pub(in crate::sys) unsafe fn of(address: u64, length: u64, origin: Arc<dyn Release>) -> Self {
        Self { address, length, origin }
    }

    /// The address of a part that it has.
    pub(in crate::sys) fn at(&self, offset: u64, bytes: u64) -> Result<u64, DeviceError> {
        if offset.checked_add(bytes).is_some_and(|end| end <= self.length) {
            Ok(self.address + offset)
        } else {
            Err(DeviceError::Outside { offset, bytes, length: self.length })
        }
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        // SAFETY: `of` was promised so, and the value ends here.
        unsafe { self.origin.free(self.address) };
    }
}

impl Stream {
    /// Queues that a part of a buffer is filled with a byte.
    pub(crate) fn fill(&self, buffer: &DeviceBuffer, offset: u64, bytes: u64, value: u8) -> Result<(), DeviceError> {
        let to = buffer.at(offset, bytes)?;
        // SAFETY: the part is within the buffer.
        unsafe { self.runtime.fill(to, value, whole(bytes), self.handle) }
    }

    /// Queues that a part of a buffer is copied to another place, on the same GPU.
    pub(crate) fn copy(
        &self,
        from: &DeviceBuffer,
        from_offset: u64,
        to: &DeviceBuffer,
        to_offset: u64,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        let (from, to) = (from.at(from_offset, bytes)?, to.at(to_offset, bytes)?);
        // SAFETY: the parts are within their buffers.
        unsafe { self.runtime.copy(to, from, whole(bytes), self.handle) }
    }
}

/// Bytes as the drivers count them.
fn whole(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
