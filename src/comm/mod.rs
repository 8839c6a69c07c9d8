//! The collective library of a rank, NCCL or RCCL, and the rank's part in a communicator.
//!
//! What calls the library is in `sys`.

mod communicator;
mod error;
mod identity;
mod library;
#[cfg(test)]
mod tests;

pub(crate) use communicator::{Communicator, JoinOptions};
pub(crate) use error::CommError;
pub(crate) use identity::Identity;
pub(crate) use library::Library;
