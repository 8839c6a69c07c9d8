use crate::{
    device::DeviceError,
    evidence::TroubleKind,
    sys::{
        LoadError,
        collective::{CallFailed, NoCollective},
    },
};

/// `ncclInvalidArgument` and `ncclInvalidUsage` (nccl.h).
const REFUSED: [i32; 2] = [4, 5];
/// What a failed call says where there was not memory enough: the library has no code for it.
const NO_MEMORY: [&str; 2] = ["out of memory", "cannot allocate memory"];

/// What went wrong with the collective library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CommError {
    /// There is no library, or it lacks a function.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// What the library says of its version is none.
    #[error("ncclGetVersion of {file} says {code}, which is no version")]
    Version {
        /// The library.
        file: String,
        /// What it said.
        code: i32,
    },
    /// A call failed.
    #[error("{call}: {text} (error {code}){}", last.as_ref().map_or_else(String::new, |last| format!("; {last}")))]
    Call {
        /// The function.
        call: &'static str,
        /// What it returned.
        code: i32,
        /// What the library calls that.
        text: String,
        /// What it says of its last error.
        last: Option<String>,
    },
    /// The library cannot do it.
    #[error("{library} {version} has no {function}, without which {without}")]
    Lacks {
        /// `NCCL` or `RCCL`.
        library: String,
        /// Its version.
        version: String,
        /// The function.
        function: &'static str,
        /// What cannot be done.
        without: &'static str,
    },
    /// The identity of a communicator that is none.
    #[error("an identity is 256 hexadecimal digits")]
    Identity,
    /// The GPU.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl CommError {
    /// Its class of trouble.
    pub(crate) fn kind(&self) -> TroubleKind {
        match self {
            Self::Load(_) | Self::Version { .. } => TroubleKind::Library,
            Self::Lacks { .. } => TroubleKind::Unsupported,
            Self::Call { text, last, .. } if no_memory(text) || last.as_deref().is_some_and(no_memory) => {
                TroubleKind::OutOfMemory
            }
            Self::Call { code, .. } if REFUSED.contains(code) => TroubleKind::Unsupported,
            Self::Call { .. } => TroubleKind::LibraryError,
            Self::Identity => TroubleKind::Internal,
            Self::Device(error) => error.kind(),
        }
    }
}

fn no_memory(text: &str) -> bool {
    let text = text.to_lowercase();
    NO_MEMORY.iter().any(|words| text.contains(words))
}

impl From<CallFailed> for CommError {
    fn from(failed: CallFailed) -> Self {
        let CallFailed { call, code, text, last } = failed;
        Self::Call { call, code, text, last }
    }
}

impl From<NoCollective> for CommError {
    fn from(none: NoCollective) -> Self {
        match none {
            NoCollective::Load(error) => Self::Load(error),
            NoCollective::Call(failed) => failed.into(),
            NoCollective::Version(file, code) => Self::Version { file, code },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(code: i32, last: Option<&str>) -> CommError {
        let text = "unhandled cuda error".to_owned();
        CommError::Call { call: "ncclAllReduce", code, text, last: last.map(str::to_owned) }
    }

    #[test]
    fn words_of_a_failed_call() {
        assert_eq!(failed(1, None).to_string(), "ncclAllReduce: unhandled cuda error (error 1)");
        let last = failed(1, Some("Cuda failure 700"));
        assert_eq!(last.to_string(), "ncclAllReduce: unhandled cuda error (error 1); Cuda failure 700");
    }

    #[test]
    fn classes_of_trouble() {
        assert_eq!(failed(1, None).kind(), TroubleKind::LibraryError);
        assert_eq!(failed(1, Some("Cuda failure 2 'out of memory'")).kind(), TroubleKind::OutOfMemory);
        assert_eq!(failed(2, Some("Cannot allocate memory")).kind(), TroubleKind::OutOfMemory);
        assert_eq!([failed(4, None).kind(), failed(5, None).kind()], [TroubleKind::Unsupported; 2]);
        // A code that only newer headers have.
        assert_eq!(failed(42, None).kind(), TroubleKind::LibraryError);
    }
}
