//! The stand-in of libcuda without `cuStreamQuery`, as no driver is.
#![expect(unsafe_code, reason = "functions of a C library")]

#[path = "../gpu/mod.rs"]
pub mod gpu;

mod codes;
mod context;
mod system;
mod transfer;
