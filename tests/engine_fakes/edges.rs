//! What is refused: calls that no driver or library would take.

use std::ptr::null_mut;

use crate::{
    child,
    libraries::{Gpu, Id, Loaded},
};

/// The job: calls that go wrong.
pub fn work() {
    let mut version = 0;
    let library = Loaded::new("fake_nccl");
    let mut id = Id([0; 128]);
    let mut communicator = null_mut();
    assert_eq!(library.ncclGetVersion(&raw mut version), 0);
    assert_eq!(library.ncclGetUniqueId(&raw mut id), 0);
    assert_eq!(library.ncclCommInitRank(&raw mut communicator, 1, id, 0), 1, "no driver is there");
    let gpu = Gpu::open(1);
    let (driver, stream) = (&gpu.driver, gpu.stream);
    let mut address = [0; 16];
    assert_eq!(driver.cuDeviceGetPCIBusId(address.as_mut_ptr(), 16, 1), 0);
    assert_eq!(address.map(|byte| byte as u8), *b"0000:3D:00.0\0\0\0\0");
    assert_eq!(driver.cuDeviceGetPCIBusId(address.as_mut_ptr(), 16, 4), 101);
    let memory = gpu.allocate(100);
    assert_eq!(driver.cuMemsetD8Async(memory + 50, 1, 50, stream), 0);
    assert_eq!(driver.cuMemsetD8Async(memory + 50, 1, 51, stream), 1);
    assert_eq!(driver.cuMemsetD8Async(memory, 1, 1, null_mut()), 400);
    assert_eq!(driver.cuMemcpyHtoDAsync_v2(memory, (&raw const version).cast(), 4, stream), 1, "not pinned");
    assert_eq!(library.ncclCommInitRank(&raw mut communicator, 1, Id([7; 128]), 0), 4);
    assert_eq!(library.ncclCommInitRank(&raw mut communicator, 1, id, 1), 4);
    assert_eq!(library.ncclCommInitRank(&raw mut communicator, 1, id, 0), 0);
    for (send, count, datatype, operation, code) in
        [(memory, 25, 7, 0, 0), (memory, 26, 7, 0, 4), (memory, 25, 12, 0, 4), (memory, 25, 7, 5, 4), (8, 1, 7, 0, 4)]
    {
        let got = library.ncclAllReduce(send, memory, count, datatype, operation, communicator, stream);
        assert_eq!(got, code, "{send} {count} {datatype} {operation}");
    }
    assert_eq!(library.ncclAllReduce(memory, memory + 4, 10, 7, 0, communicator, stream), 4, "they overlap");
    assert_eq!(library.ncclCommDestroy(communicator), 0);
    assert_eq!((driver.cuMemFree_v2(memory), driver.cuMemFree_v2(memory)), (0, 1));
    configurations(&library);
}

/// A configuration of 2.28, with a magic number, a version and two of its fields.
fn config(magic: u32, version: i32, blocking: i32, centric: i32) -> [i32; 20] {
    let mut config = [i32::MIN; 20];
    (config[0], config[1], config[2], config[3]) = (80, 0, magic as i32, version);
    (config[4], config[8], config[9], config[12], config[13], config[19]) = (blocking, 0, 0, 0, 0, centric);
    config
}

fn configurations(library: &Loaded) {
    const UNSET: i32 = i32::MIN;
    for (config, code) in [
        (config(0xcafe_beef, 22_809, UNSET, 1), 0),
        (config(0xcafe_beef, 22_809, 0, 1), 7),
        (config(0xcafe_beee, 22_809, UNSET, 1), 4),
        (config(0xcafe_beef, 22_809, UNSET, 2), 4),
        (config(0xcafe_beef, 22_709, UNSET, 2), 0),
    ] {
        let (mut id, mut communicator) = (Id([0; 128]), null_mut());
        assert_eq!(library.ncclGetUniqueId(&raw mut id), 0);
        let got = library.ncclCommInitRankConfig(&raw mut communicator, 1, id, 0, config.as_ptr().cast());
        assert_eq!(got, code, "{config:?}");
        let mut state = code;
        while state == 7 {
            assert_eq!(library.ncclCommGetAsyncError(communicator, &raw mut state), 0);
        }
    }
}

#[test]
fn wrong_calls_are_refused() {
    child::told(child::start("edges", &[]));
}

#[test]
fn old_and_bare_libraries_lack_what_they_lack() {
    let newer = ["ncclMemAlloc", "ncclCommInitRankConfig", "ncclGetLastError"];
    let (new, old) = (Loaded::new("fake_nccl"), Loaded::new("fake_nccl_old"));
    assert!(newer.iter().all(|name| new.has(name) && !old.has(name)) && old.has("ncclCommInitRank"));
    let mut version = 0;
    assert_eq!((old.ncclGetVersion(&raw mut version), version), (0, 21_003));
    assert!(!Loaded::new("fake_cuda_bare").has("cuStreamQuery"));
    for name in ["fake_nccl", "fake_nccl_old", "fake_cuda", "fake_cuda_bare", "fake_hip"] {
        assert!(Loaded::new(name).has("linkspec_fake"), "{name}");
    }
}
