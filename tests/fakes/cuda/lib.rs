//! A stand-in for libcuda: GPUs from the variable `LINKSPEC_FAKE_GPUS`, whose memory is the process's own.
#![expect(unsafe_code, reason = "functions of a C library")]

#[path = "../gpu/mod.rs"]
pub mod gpu;

mod codes;
mod context;
mod query;
mod system;
mod transfer;
