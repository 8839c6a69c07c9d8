//! The only unsafe code: calls into libraries that are loaded at run time, shared memory, and calls of the kernel that
//! no crate wraps. Each block says why it is sound.
//!
//! A library or symbol that is missing is an error value. Nothing here runs in the process that judges: the probes'
//! child processes load what they need.
#![expect(unsafe_code, reason = "the vendors' libraries and the kernel are C; every block here has its reason")]

mod collective_version;
mod mapped;
pub(crate) mod nvml;
pub(crate) mod nvml_use;
mod placement;
mod shared;
pub(crate) mod verbs;

pub(crate) use collective_version::collective_version;
pub(crate) use placement::{place, placed};
pub(crate) use shared::SharedWords;
