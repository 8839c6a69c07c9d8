use std::{ops::Range, ptr::NonNull, slice, sync::Arc};

use super::{DeviceBuffer, DeviceError, Runtime, Stream};

/// Memory of the host from which and to which a GPU copies by itself. While a copy is in flight nothing else reaches the
/// memory: whoever wants its data waits.
#[derive(Debug)]
pub(crate) struct PinnedBuffer {
    memory: NonNull<u8>,
    length: usize,
    runtime: Arc<dyn Runtime>,
    /// The stream of the copies in flight.
    busy: Option<Stream>,
}

// SAFETY: the memory is the value's own, and the drivers reach it from any thread.
unsafe impl Send for PinnedBuffer {}

impl PinnedBuffer {
    /// New memory, all zeros.
    pub(crate) fn allocate(runtime: &Arc<dyn Runtime>, bytes: usize) -> Result<Self, DeviceError> {
        let memory = runtime.allocate_pinned(bytes)?;
        // SAFETY: the memory has this length. Rust wants it to hold something before it is read.
        unsafe { memory.write_bytes(0, bytes) };
        Ok(Self { memory, length: bytes, runtime: Arc::clone(runtime), busy: None })
    }

    /// The data, once no copy is in flight.
    pub(crate) fn data(&mut self) -> Result<&mut [u8], DeviceError> {
        self.settle()?;
        // SAFETY: the memory has this length, holds something since it was made, is the value's own, and no copy is in
        // flight.
        Ok(unsafe { slice::from_raw_parts_mut(self.memory.as_ptr(), self.length) })
    }

    /// Queues that a part of the data is copied to a buffer on the GPU.
    pub(crate) fn upload(
        &mut self,
        stream: &Stream,
        range: Range<usize>,
        to: &DeviceBuffer,
        offset: u64,
    ) -> Result<(), DeviceError> {
        let bytes = range.len();
        let from = self.part(range.start, bytes)?;
        let to = to.at(offset, bytes as u64)?;
        self.occupy(stream)?;
        // SAFETY: both parts are within their memory; this value remembers the stream and gives its memory to nobody
        // before that is done.
        unsafe { stream.runtime.upload(to, from, bytes, stream.handle) }
    }

    /// Queues that a part of a buffer on the GPU is copied to the data's start.
    pub(crate) fn download(
        &mut self,
        stream: &Stream,
        from: &DeviceBuffer,
        offset: u64,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let to = self.part(0, bytes)?;
        let from = from.at(offset, bytes as u64)?;
        self.occupy(stream)?;
        // SAFETY: as in `upload`.
        unsafe { stream.runtime.download(to, from, bytes, stream.handle) }
    }

    fn part(&self, offset: usize, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        let outside =
            || DeviceError::Outside { offset: offset as u64, bytes: bytes as u64, length: self.length as u64 };
        let end = offset.checked_add(bytes).filter(|end| *end <= self.length);
        // SAFETY: the offset is within the memory.
        end.map(|_| unsafe { self.memory.add(offset) }).ok_or_else(outside)
    }

    /// Remembers the stream of a copy before it is queued; copies on another one are waited for.
    fn occupy(&mut self, stream: &Stream) -> Result<(), DeviceError> {
        if self.busy.as_ref().is_some_and(|busy| busy.handle != stream.handle) {
            self.settle()?;
        }
        self.busy = Some(stream.clone());
        Ok(())
    }

    /// Waits for the copies in flight.
    fn settle(&mut self) -> Result<(), DeviceError> {
        if let Some(stream) = &self.busy {
            stream.wait()?;
        }
        self.busy = None;
        Ok(())
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // A GPU that cannot say whether it is done may still write: the memory is then left to it.
        if self.settle().is_ok() {
            // SAFETY: the memory is the value's own, ends with it, and no copy is in flight.
            unsafe { self.runtime.free_pinned(self.memory) };
        }
    }
}
