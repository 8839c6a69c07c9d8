//! The stand-in as a library of 2018 would be: without MIG, remapped rows, fabric, event reasons, the GPU's own NUMA
//! node, memory affinity, and what is at the other end of a link.
//!
//! The same machine file is read; what it says of newer things is never told.
#![expect(unsafe_code, reason = "a C library; every block has its reason")]

mod codes;
mod fields;
mod health;
mod identity;
pub mod model;
mod nvlink;
mod out;
mod pairs;
mod processes;
mod state;
mod system;

/// The highest field value that the library knows: `NVML_FI_DEV_NVLINK_LINK_COUNT`.
const NEWEST_FIELD: u32 = 91;
