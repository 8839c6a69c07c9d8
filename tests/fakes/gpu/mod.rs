//! What the stand-ins of CUDA's and HIP's libraries share: GPUs from the environment, memory, streams, faults.

pub mod copy;
pub mod device;
pub mod fault;
pub mod interface;
pub mod memory;
pub mod out;
pub mod shared;
pub mod stream;
pub mod trouble;
