use std::{fmt, str::FromStr};

use crate::units::{IndexList, UnitError};

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

impl FromStr for GpuSelection {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        if text == "all" {
            return Ok(Self::All);
        }
        let expected = "all, a count such as 4, or a list such as 4-7";
        let wrong = || UnitError { text: text.to_owned(), expected };
        match text.parse::<u32>() {
            Ok(0) => Err(wrong()),
            Ok(count) => Ok(Self::Count(count)),
            Err(_) => text.parse().map(Self::List).map_err(|_| wrong()),
        }
    }
}
