use crate::{evidence::TroubleKind, sys::dl::LoadError};

/// `CUDA_ERROR_OUT_OF_MEMORY` (cuda.h), `hipErrorOutOfMemory` (hip_runtime_api.h).
const OUT_OF_MEMORY: i32 = 2;
/// `CUDA_ERROR_DEVICE_UNAVAILABLE` (cuda.h): another process has the GPU, whose compute mode lets in only one.
const UNAVAILABLE: i32 = 46;

/// `CUDA_ERROR_SYSTEM_NOT_READY` (cuda.h).
const NOT_READY: i32 = 802;

/// What went wrong with a GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DeviceError {
    /// There is no driver's library, or it lacks a function.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The driver is older than what the collective library and linkspec rely on.
    #[error("{file} is of a driver for CUDA {version}: linkspec needs one for CUDA 12.2 (535) or newer")]
    OldDriver {
        /// The library.
        file: String,
        /// The newest CUDA that it can run.
        version: String,
    },
    /// A call failed.
    #[error("{call}: {text} (error {code})")]
    Call {
        /// The function.
        call: &'static str,
        /// What it returned.
        code: i32,
        /// The driver's words for that.
        text: String,
    },
    /// The driver does not show the GPU.
    #[error("{driver} shows no GPU at {pci}, but {shown}{hidden}")]
    NotFound {
        /// `CUDA driver` or `HIP`.
        driver: String,
        /// The GPU's address.
        pci: String,
        /// The addresses of those that it shows, in words.
        shown: String,
        /// The variables that hide GPUs, in words.
        hidden: String,
    },
    /// A part of a buffer that the buffer does not have.
    #[error("{bytes} bytes at {offset} are outside of a buffer of {length} bytes")]
    Outside {
        /// The part's start.
        offset: u64,
        /// Its length.
        bytes: u64,
        /// The buffer's length.
        length: u64,
    },
}

impl DeviceError {
    /// Its class of trouble.
    pub(crate) const fn kind(&self) -> TroubleKind {
        match self {
            Self::Load(_) | Self::OldDriver { .. } => TroubleKind::Library,
            Self::Call { code: OUT_OF_MEMORY, .. } => TroubleKind::OutOfMemory,
            Self::Call { code: UNAVAILABLE, .. } => TroubleKind::Busy,
            Self::Call { .. } | Self::NotFound { .. } => TroubleKind::Device,
            Self::Outside { .. } => TroubleKind::Internal,
        }
    }

    /// What the driver's words leave out.
    pub(crate) const fn remark(&self) -> Option<&'static str> {
        match self {
            Self::Call { code: NOT_READY, .. } => Some(
                "a machine with NVSwitches says 802 until the fabric manager has set them up: it does not run, has \
                 failed, or is not of the driver's version",
            ),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let old = DeviceError::OldDriver { file: "/usr/lib/libcuda.so.525.60.13".into(), version: "12.0".into() };
        let expected = "/usr/lib/libcuda.so.525.60.13 is of a driver for CUDA 12.0: linkspec needs one for CUDA 12.2 (535) \
                        or newer";
        assert_eq!(old.to_string(), expected);
        assert_eq!(old.kind(), TroubleKind::Library);
        let text = "CUDA_ERROR_OUT_OF_MEMORY, out of memory".to_owned();
        let full = DeviceError::Call { call: "cuMemAlloc", code: 2, text };
        assert_eq!(full.to_string(), "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY, out of memory (error 2)");
        let outside = DeviceError::Outside { offset: 8, bytes: 8, length: 12 };
        assert_eq!(outside.to_string(), "8 bytes at 8 are outside of a buffer of 12 bytes");
    }
}
