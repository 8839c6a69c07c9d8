//! The stand-ins of the driver's and the collective libraries: they compute what the real ones would, and fail as asked.

#![expect(unsafe_code, reason = "functions of C libraries are called")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

mod child;
mod edges;
mod faults;
mod hip;
mod libraries;
#[path = "../fakes/library.rs"]
mod library;
#[path = "../fakes/nccl/number/mod.rs"]
pub mod number;
mod number_tests;
mod ranks;
mod sums;

/// What the processes of this test do; see [`child`].
#[test]
#[ignore = "for processes that the other tests start"]
fn work_of_a_child() {
    match std::env::var("JOB").unwrap_or_default().as_str() {
        "sums" => sums::work(),
        "faulty" => faults::work(),
        "hip" => hip::work(),
        "rank" => ranks::work(),
        "edges" => edges::work(),
        _ => {}
    }
}

#[test]
fn every_type_and_reduction() {
    child::told(child::start("sums", &[]));
}
