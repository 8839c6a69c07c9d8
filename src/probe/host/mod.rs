//! The host: its kernel, CPUs, memory and settings, the kernel log, services, and the collective libraries.
//!
//! [`read`] runs in the child, a lane for each of those; [`fill`] makes facts of its answers and reads nothing.

mod aliases;
mod answer;
mod cpuinfo;
mod cpus;
mod fabric_manager;
mod fill;
mod gpudirect;
mod iommu;
mod kernel;
mod kernel_log;
mod kmsg;
mod libraries;
mod memory;
mod nodes;
mod program;
mod read;
mod services;
mod shm;
#[cfg(test)]
mod testing;
mod virtual_machine;

pub(super) use answer::Answer;
pub(super) use fill::fill;
pub(super) use read::read;
