use std::thread;

use super::{CommError, Identity, Library};
use crate::{
    collective::{Datatype, Reduction},
    device::{DeviceBuffer, Gpu, Stream},
    sys::collective::{Communicator as Handle, Config, IN_PROGRESS, Operands},
};

/// How a communicator is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JoinOptions {
    /// Whether its calls block, as those of nccl-tests do.
    pub(crate) blocking: bool,
    /// Whether NVLink-centric scheduling is on where the library has it, as in nccl-tests.
    pub(crate) centric_scheduling: bool,
}

/// A rank's part in a communicator. Deadlines are the supervisor's: a call waits as long as the library does.
#[derive(Debug)]
pub(crate) struct Communicator {
    handle: Handle,
    gpu: Gpu,
}

impl Communicator {
    /// Makes it, which takes all ranks at the same time.
    pub(crate) fn join(
        library: &Library,
        gpu: &Gpu,
        identity: &Identity,
        ranks: u32,
        rank: u32,
        options: JoinOptions,
    ) -> Result<Self, CommError> {
        let JoinOptions { blocking, centric_scheduling } = options;
        let collective = &library.collective;
        if !blocking && !collective.has_config() {
            return Err(lacks_config(library));
        }
        // The library makes the communicator on the GPU that is the thread's current one.
        gpu.attach()?;
        let config = Config::new(collective.version(), blocking, centric_scheduling);
        let handle = collective.join(&identity.0, ordinal(ranks), ordinal(rank), config)?;
        let communicator = Self { handle, gpu: gpu.clone() };
        communicator.settle()?;
        Ok(communicator)
    }

    /// Memory for data: the library's own, as in nccl-tests, where it gives any, else the driver's.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<DeviceBuffer, CommError> {
        match self.handle.collective().allocate(self.gpu.runtime(), bytes) {
            Some(given) => Ok(given?),
            None => Ok(self.gpu.allocate(bytes)?),
        }
    }

    /// Queues an all-reduce of `count` elements; offsets are in bytes.
    #[expect(clippy::too_many_arguments, reason = "the arguments of ncclAllReduce, with offsets")]
    pub(crate) fn all_reduce(
        &self,
        send: &DeviceBuffer,
        send_offset: u64,
        receive: &DeviceBuffer,
        receive_offset: u64,
        count: u64,
        datatype: Datatype,
        reduction: Reduction,
        stream: &Stream,
    ) -> Result<(), CommError> {
        let bytes = count.saturating_mul(datatype.bytes());
        let operands = Operands {
            send,
            send_offset,
            send_bytes: bytes,
            receive,
            receive_offset,
            receive_bytes: bytes,
            count,
            datatype: datatype.code(),
        };
        match self.handle.all_reduce(&operands, reduction.code(), stream)? {
            0 => Ok(()),
            IN_PROGRESS => self.settle(),
            code => Ok(self.handle.collective().check("ncclAllReduce", code)?),
        }
    }

    /// Whether an error has come up meanwhile. That something goes on is none.
    pub(crate) fn check(&self) -> Result<(), CommError> {
        self.state().map(|_| ())
    }

    /// Ends it without the other ranks. This may hang as well.
    pub(crate) fn abort(self) -> Result<(), CommError> {
        Ok(self.handle.abort()?)
    }

    /// Waits until nothing goes on. `NCCL_COMM_BLOCKING` may have made a communicator one that does not block.
    fn settle(&self) -> Result<(), CommError> {
        while self.state()? == IN_PROGRESS {
            thread::yield_now();
        }
        Ok(())
    }

    fn state(&self) -> Result<i32, CommError> {
        let state = self.handle.async_error()?;
        self.handle.collective().check("ncclCommGetAsyncError", state)?;
        Ok(state)
    }
}

fn ordinal(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn lacks_config(library: &Library) -> CommError {
    let loaded = library.loaded();
    CommError::Lacks {
        library: loaded.name.clone(),
        version: loaded.version.clone(),
        function: "ncclCommInitRankConfig",
        without: "every communicator blocks",
    }
}
