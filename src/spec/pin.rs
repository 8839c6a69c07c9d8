use std::{fmt, str::FromStr};

use crate::units::{IndexList, UnitError};

/// Where a rank's CPU and memory are placed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// On the node of its GPU.
    #[default]
    GpuLocal,
    /// On a node that is not its GPU's.
    GpuRemote,
    /// On a node.
    Node(u32),
    /// On CPUs.
    Cpus(IndexList),
    /// Nowhere in particular.
    None,
}

impl FromStr for Pin {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let expected = "gpu-local, gpu-remote, node:N, cpus:LIST or none";
        let wrong = || UnitError { text: text.to_owned(), expected };
        Ok(match text {
            "gpu-local" => Self::GpuLocal,
            "gpu-remote" => Self::GpuRemote,
            "none" => Self::None,
            _ => match text.split_once(':') {
                Some(("node", number)) if number.bytes().all(|b| b.is_ascii_digit()) => {
                    Self::Node(number.parse().map_err(|_| wrong())?)
                }
                Some(("cpus", list)) => Self::Cpus(list.parse().map_err(|_| wrong())?),
                _ => return Err(wrong()),
            },
        })
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GpuLocal => f.pad("gpu-local"),
            Self::GpuRemote => f.pad("gpu-remote"),
            Self::Node(node) => f.pad(&format!("node:{node}")),
            Self::Cpus(cpus) => f.pad(&format!("cpus:{cpus}")),
            Self::None => f.pad("none"),
        }
    }
}
