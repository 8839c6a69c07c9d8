use std::{sync::Arc, thread};

use super::{DeviceError, Runtime, handle::Handle};

/// A queue of work on a GPU, which does not wait for the null stream. It lasts until the GPU is closed.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(super) runtime: Arc<dyn Runtime>,
    pub(in crate::sys) handle: Handle,
}

impl Stream {
    /// A new one.
    pub(crate) fn new(runtime: &Arc<dyn Runtime>) -> Result<Self, DeviceError> {
        Ok(Self { handle: runtime.stream()?, runtime: Arc::clone(runtime) })
    }

    /// Whether all that was queued is done.
    pub(crate) fn is_done(&self) -> Result<bool, DeviceError> {
        // SAFETY: the stream is of this runtime and is never destroyed.
        unsafe { self.runtime.is_done(self.handle) }
    }

    /// Waits until it is done: asks over and over, as the reference does, and lets others run between.
    pub(crate) fn wait(&self) -> Result<(), DeviceError> {
        while !self.is_done()? {
            thread::yield_now();
        }
        Ok(())
    }
}
