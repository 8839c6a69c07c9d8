//! The stand-in as a library of 2021 would be, 2.10: without configurations, last errors and memory of its own.
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
mod exchange;
mod identity;
mod log;
mod meeting;
mod number;
mod reduce;
pub mod runtime;
pub mod say;
mod start;
mod team;
mod version;

/// Whether the library is the old one.
pub const IS_OLD: bool = true;
