//! The only unsafe code: calls into libraries that are loaded at run time. Each block says why it is sound.
//!
//! A library or symbol that is missing is an error value. Nothing here runs in the process that judges: the children
//! that probe and the ranks that measure load what they need.
#![expect(unsafe_code, reason = "the vendors' libraries are C; every block here has its reason")]

pub(crate) mod collective;
mod dl;
#[expect(dead_code, reason = "for the process of a rank, which is not there yet")]
pub(crate) mod gpu;
mod mapped;
pub(crate) mod nvml;
mod places;
mod shared;
pub(crate) mod verbs;

pub(crate) use dl::LoadError;
pub(crate) use shared::SharedWords;
