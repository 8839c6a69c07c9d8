//! A stand-in for libnvidia-ml: answers from a file that describes a machine, with faults on demand.
//!
//! The file is JSON (see [`model`]), named by the environment variable `LINKSPEC_FAKE_NVML`. Answers are those that
//! two H200 gave under driver 580: which calls fail, and with which code.
#![expect(unsafe_code, reason = "a C library; every block has its reason")]

mod codes;
mod fabric;
mod fields;
mod health;
mod identity;
pub mod model;
mod newer;
mod nvlink;
mod nvlink_remote;
mod out;
mod pairs;
mod processes;
mod processes_newer;
mod state;
mod system;

/// The highest field value that the library knows.
const NEWEST_FIELD: u32 = 250;
