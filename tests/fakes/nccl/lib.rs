//! A stand-in for libnccl or librccl: collectives of real processes on host memory, with faults on demand.
//!
//! It says the version that the variable `LINKSPEC_FAKE_NCCL` holds, as a code such as 22803, and fails to say one where
//! it holds none. Memory and streams are those of the driver's stand-in.
#![expect(unsafe_code, reason = "functions of a C library")]

#[path = "../gpu/fault.rs"]
pub mod fault;
#[path = "../gpu/interface.rs"]
pub mod interface;
#[path = "../gpu/trouble.rs"]
pub mod trouble;

mod abi;
mod calls;
mod collective;
mod communicator;
mod config;
mod exchange;
mod identity;
mod log;
mod meeting;
mod newer;
mod number;
mod reduce;
pub mod runtime;
pub mod say;
mod start;
mod team;
mod version;

/// Whether the library is the old one.
pub const IS_OLD: bool = false;
