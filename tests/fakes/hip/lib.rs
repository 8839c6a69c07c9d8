//! A stand-in for libamdhip64: the same GPUs, memory and streams as that of libcuda, by HIP's names.
#![expect(unsafe_code, reason = "functions of a C library")]

#[path = "../gpu/mod.rs"]
pub mod gpu;

mod codes;
mod system;
mod transfer;
