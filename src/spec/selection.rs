use std::fmt;

use crate::units::IndexList;

/// Which GPUs a test uses. Indices are nvidia-smi's or amd-smi's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GpuSelection {
    /// All of them.
    #[default]
    All,
    /// The first so many.
    Count(u32),
    /// These.
    List(IndexList),
}

impl fmt::Display for GpuSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.pad("all"),
            Self::Count(count) => f.pad(&count.to_string()),
            Self::List(list) => f.pad(&list.to_string()),
        }
    }
}
