//! The only unsafe code: calls into libraries that are loaded at run time, shared memory, and calls of the kernel that
//! no crate wraps. Each block says why it is sound.
//!
//! A library or symbol that is missing is an error value. Nothing here loads one in the process that judges: the children
//! that probe and the ranks that measure load what they need.
#![expect(unsafe_code, reason = "the vendors' libraries and the kernel are C; every block here has its reason")]

pub(crate) mod collective;
mod dl;
pub(crate) mod gpu;
mod leave;
mod mapped;
pub(crate) mod nvml;
pub(crate) mod nvml_use;
mod placement;
mod places;
mod shared;
pub(crate) mod verbs;

pub(crate) use dl::LoadError;
pub(crate) use leave::leave;
pub(crate) use placement::{place, placed};
pub(crate) use shared::SharedWords;
