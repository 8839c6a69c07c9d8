//! The library for AMD's GPUs: the same ranks by HIP's names.

use std::{ptr::null_mut, thread};

use crate::{
    child,
    libraries::{Id, Loaded},
};

/// The job: two ranks that are threads.
pub fn work() {
    let mut id = Id([0; 128]);
    assert_eq!(Loaded::new("fake_nccl").ncclGetUniqueId(&raw mut id), 0);
    thread::scope(|scope| {
        for rank in 0..2 {
            scope.spawn(move || one_rank(rank, id));
        }
    });
}

fn one_rank(rank: i32, id: Id) {
    let (driver, library) = (Loaded::new("fake_hip"), Loaded::new("fake_nccl"));
    let (mut stream, mut communicator, mut memory) = (null_mut(), null_mut(), 0);
    assert_eq!(driver.hipSetDevice(rank), 0);
    assert_eq!(driver.hipSetDevice(4), 101);
    assert_eq!(driver.hipStreamCreateWithFlags(&raw mut stream, 1), 0);
    assert_eq!(driver.hipMalloc(&raw mut memory, 64), 0);
    assert_eq!(driver.hipMemsetAsync(memory, rank + 1, 64, stream), 0);
    assert_eq!(library.ncclCommInitRank(&raw mut communicator, 2, id, rank), 0);
    assert_eq!(library.ncclAllReduce(memory, memory, 64, 1, 0, communicator, stream), 0);
    while driver.hipStreamQuery(stream) == 600 {}
    // SAFETY: the memory of this GPU is the process's own, and the stream is done.
    let sum = unsafe { std::slice::from_raw_parts(memory as *const u8, 64) };
    assert_eq!(sum, [3; 64]);
    assert_eq!(library.ncclCommDestroy(communicator), 0);
}

#[test]
fn two_ranks_on_amds_gpus() {
    child::told(child::start("hip", &[("LINKSPEC_FAKE_RCCL", "1")]));
}
