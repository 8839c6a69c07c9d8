use std::{
    ffi::{c_int, c_void},
    ptr,
    sync::Arc,
};

use super::{CallFailed, Collective, Config, IDENTITY, api::UniqueId, memory::pointer};
use crate::sys::gpu::{DeviceBuffer, DeviceError, Stream};

/// A rank's part in a communicator. Nothing is called when the value just ends: the process ends with it, and both
/// ways to end a communicator may wait for other ranks.
#[derive(Debug)]
pub(crate) struct Communicator {
    collective: Arc<Collective>,
    /// `ncclComm_t`.
    handle: *mut c_void,
}

// SAFETY: the library lets any thread call with a communicator, one at a time; the value has no shared calls that are
// not the library's own.
unsafe impl Send for Communicator {}

/// Which data a collective takes and where it puts the result: offsets and lengths in bytes, the count in elements.
pub(crate) struct Operands<'a> {
    pub(crate) send: &'a DeviceBuffer,
    pub(crate) send_offset: u64,
    pub(crate) send_bytes: u64,
    pub(crate) receive: &'a DeviceBuffer,
    pub(crate) receive_offset: u64,
    pub(crate) receive_bytes: u64,
    pub(crate) count: u64,
    /// `ncclDataType_t`.
    pub(crate) datatype: c_int,
}

impl Collective {
    /// Makes a rank's part of a communicator on the calling thread's current GPU. A library before 2.14 takes no
    /// configuration.
    pub(crate) fn join(
        self: &Arc<Self>,
        identity: &[u8; IDENTITY],
        ranks: c_int,
        rank: c_int,
        mut config: Config,
    ) -> Result<Communicator, CallFailed> {
        let id = UniqueId(*identity);
        let mut handle = ptr::null_mut();
        let (call, code) = match self.api.init_rank_config {
            Some(init) => {
                // SAFETY: it writes one pointer, and copies what it keeps of the configuration.
                let code = unsafe { init(&raw mut handle, ranks, id, rank, &raw mut config) };
                ("ncclCommInitRankConfig", code)
            }
            // SAFETY: it writes one pointer.
            None => ("ncclCommInitRank", unsafe { (self.api.init_rank)(&raw mut handle, ranks, id, rank) }),
        };
        self.check(call, code)?;
        Ok(Communicator { collective: Arc::clone(self), handle })
    }

    /// Whether communicators can be made that do not block.
    pub(crate) const fn has_config(&self) -> bool {
        self.api.init_rank_config.is_some()
    }
}

impl Communicator {
    pub(crate) fn collective(&self) -> &Arc<Collective> {
        &self.collective
    }

    /// The state of the communicator: an error code, or that something goes on.
    pub(crate) fn async_error(&self) -> Result<c_int, CallFailed> {
        let mut state = 0;
        // SAFETY: the communicator is not destroyed while the value lives; it writes one int.
        let code = unsafe { (self.collective.api.async_error)(self.handle, &raw mut state) };
        self.collective.check("ncclCommGetAsyncError", code)?;
        Ok(state)
    }

    /// Queues an all-reduce and gives what the library returned. Nothing is allocated, locked or written on the way.
    pub(crate) fn all_reduce(
        &self,
        operands: &Operands<'_>,
        reduction: c_int,
        stream: &Stream,
    ) -> Result<c_int, DeviceError> {
        let send = operands.send.at(operands.send_offset, operands.send_bytes)?;
        let receive = operands.receive.at(operands.receive_offset, operands.receive_bytes)?;
        let count = usize::try_from(operands.count).unwrap_or(usize::MAX);
        let (send, receive) = (pointer(send), pointer(receive));
        // SAFETY: the communicator is not destroyed while the value lives, the data is within its buffers on the GPU, and
        // the stream is never destroyed.
        Ok(unsafe {
            (self.collective.api.all_reduce)(
                send.cast_const(),
                receive,
                count,
                operands.datatype,
                reduction,
                self.handle,
                stream.handle.0,
            )
        })
    }

    pub(crate) fn abort(self) -> Result<(), CallFailed> {
        // SAFETY: the value ends here.
        let code = unsafe { (self.collective.api.abort)(self.handle) };
        self.collective.check("ncclCommAbort", code)
    }
}
