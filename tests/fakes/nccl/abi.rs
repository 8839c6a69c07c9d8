//! Types and codes of nccl.h.

/// `ncclResult_t`.
pub type Code = std::ffi::c_int;

pub const UNHANDLED_CUDA: Code = 1;
pub const SYSTEM: Code = 2;
pub const INVALID_ARGUMENT: Code = 4;
pub const INVALID_USAGE: Code = 5;
pub const REMOTE: Code = 6;
pub const IN_PROGRESS: Code = 7;

/// `ncclUniqueId`, which goes by value.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct UniqueId {
    pub bytes: [u8; 128],
}
