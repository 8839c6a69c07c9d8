//! NVIDIA's driver API, without the CUDA runtime: only the driver's library is sure to be there.

mod api;
mod driver;
mod runtime;

pub(crate) use driver::Cuda;
