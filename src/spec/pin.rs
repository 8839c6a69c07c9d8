use std::{fmt, str::FromStr};

use super::{Node, ParameterKind, decoder::Errors, shape::Shape, values};
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

/// What `pin` can be.
pub(super) const SHAPE: Shape =
    Shape::Pattern("^(gpu-local|gpu-remote|none|node:[0-9]+|cpus:[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)$", "gpu-local");

impl Pin {
    /// Reads a pin.
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        values::unit(node, ParameterKind::Text, "a pin such as gpu-local", errors)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::testing::{bad, flow, good};

    #[test]
    fn pins_are_read_and_written() {
        for text in ["gpu-local", "gpu-remote", "node:1", "\"cpus:0-3,8\"", "none"] {
            assert_eq!(good(Pin::decode, &flow(text)).to_string(), text.trim_matches('"'));
        }
    }

    #[test]
    fn other_pins_are_refused() {
        for text in ["local", "node:x", "node:+1", "cpus:", "[none]"] {
            assert!(bad(Pin::decode, &flow(text)).starts_with("expected "), "{text}");
        }
    }
}
