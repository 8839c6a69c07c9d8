//! AMD's HIP runtime, whose functions are the twins of NVIDIA's.

mod api;
mod driver;
mod runtime;

pub(crate) use driver::Hip;
