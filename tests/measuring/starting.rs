//! Sessions that do not come to their first collective.

use std::thread;

use crate::seat::{Ran, Seat};

const ONE: &str = "  - name: only\n    pin: none\n    collective: { op: all_reduce, sizes: [4K, 1M], iterations: 2, in_place: never }\n";

fn ends(seat: &Seat, code: &str, texts: &[&str]) -> Ran {
    let code = format!("error[{code}]: ");
    let ran = seat.run(ONE, &["--phase-deadline", "2"]);
    ran.expect(3, &[&["1 could not be judged; 1 case", &code], texts].concat())
}

/// The same on two GPUs of each vendor, side by side.
fn of_both(fault: &str, code: &str, texts: &[&str]) {
    thread::scope(|scope| {
        for seat in Seat::both() {
            scope.spawn(move || ends(&seat.fault(fault), code, texts));
        }
    });
}

#[test]
fn a_driver_that_crashes() {
    of_both("crash:at=open:signal=6", "rank-crashed", &["was ended by SIGABRT while opening its GPU"]);
}

#[test]
fn an_identity_that_is_refused() {
    of_both("error:at=identity", "library-error", &["rank 0 (GPU0), ready: ncclGetUniqueId: ", "(error 2)"]);
}

#[test]
fn a_driver_without_a_gpu() {
    of_both("zero-device", "gpu-unusable", &["opening its GPU: ", "Init: ", "(error 100)"]);
}

#[test]
fn a_fabric_manager_that_is_not_ready() {
    let seat = Seat::two_h200().fault("zero-device:code=802");
    ends(
        &seat,
        "gpu-unusable",
        &["opening its GPU: ", "Init: ", "(error 802)", "until the fabric manager has set them up"],
    );
}

#[test]
fn memory_that_is_not_there() {
    // Two buffers of 5 MiB on each GPU.
    of_both("out-of-memory:gpu=1:bytes=4194304", "out-of-memory", &["rank 1 (GPU1), filling its buffers"]);
    let seat = Seat::two_h200().with("LINKSPEC_FAKE_GPU_MEMORY", "8388608");
    ends(
        &seat,
        "out-of-memory",
        &["filling its buffers", "the buffers need 10 MiB and ", "of the GPU's memory are free"],
    );
    let seat = Seat::eight_mi300x().fault("out-of-memory:gpu=7");
    ends(&seat, "out-of-memory", &["rank 7 (GPU7), "]);
}

#[test]
fn a_driver_that_lacks_a_function() {
    let seat = Seat::two_h200().library("--cuda-library", "fake_cuda_bare");
    ends(&seat, "library-missing", &["opening its GPU: ", "libfake_cuda_bare.so", "cuStreamQuery"]);
}

#[test]
fn libraries_of_amd_that_lack_a_function() {
    let seat = Seat::two_mi300x().library("--hip-library", "fake_cuda");
    ends(&seat, "library-missing", &["opening its GPU: ", "libfake_cuda.so", "has no hip"]);
    let seat = Seat::two_mi300x().library("--rccl-library", "fake_hip");
    ends(&seat, "library-missing", &["libfake_hip.so", "has no nccl"]);
}

#[test]
fn a_driver_that_is_too_old() {
    let seat = Seat::two_h200().with("LINKSPEC_FAKE_CUDA_VERSION", "12000");
    ends(&seat, "library-missing", &["is of a driver for CUDA 12.0: linkspec needs one for CUDA 12.2 (535) or newer"]);
}

#[test]
fn libraries_that_are_not_there() {
    let seat = Seat::two_h200().library_at("--nccl-library", "/nowhere/libnccl.so.2");
    ends(&seat, "library-missing", &["/nowhere/libnccl.so.2"]);
    let seat = Seat::two_mi300x().library_at("--rccl-library", "/nowhere/librccl.so.1");
    ends(&seat, "library-missing", &["/nowhere/librccl.so.1"]);
    let seat = Seat::two_mi300x().library_at("--hip-library", "/nowhere/libamdhip64.so");
    ends(&seat, "library-missing", &["/nowhere/libamdhip64.so"]);
    let seat = Seat::two_h200().without_library("--nccl-library");
    ends(&seat, "library-missing", &["libnccl.so.2"]);
}

#[test]
fn what_waits_for_ranks_that_do_not_come() {
    let cases = [
        // The other one is inside the call too.
        ("hang:at=init:rank=1", "hang-init", "within 2 s: no rank is behind, every one is making the communicator"),
        ("hang:at=open", "hang-init", "within 2 s: no rank is behind, every one is opening its GPU"),
        (
            "stop:at=init:rank=1",
            "hang-init",
            "rank 1 (GPU1) did not get on within 2 s: stopped (state T) while making the communicator",
        ),
        ("error:at=init:rank=1:code=2", "library-error", "rank 1 (GPU1), making the communicator: ncclCommInitRank"),
    ];
    // They mostly wait.
    thread::scope(|scope| {
        for (fault, code, words) in cases {
            for seat in Seat::both() {
                scope.spawn(move || ends(&seat.fault(fault), code, &[words]));
            }
        }
    });
}
