//! NCCL and RCCL, which have one C interface: the functions, the configuration of a communicator, and communicators.
//!
//! Results stay the integers that the library returned: newer versions have codes that older headers lack.

mod api;
mod communicator;
mod config;
mod library;
mod memory;
mod version;

pub(crate) use communicator::{Communicator, Operands};
pub(crate) use config::Config;
pub(crate) use library::{CallFailed, Collective, IDENTITY, IN_PROGRESS, NoCollective};
pub(crate) use version::collective_version;
