//! RDMA devices of a live machine, as the whole binary reads them: small trees in the place of sysfs, and a stand-in
//! for libibverbs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

#[path = "../fakes/library.rs"]
mod library;
mod support;
mod sysfs;
mod verbs;
