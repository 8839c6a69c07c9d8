use std::{fmt, str::FromStr};

use super::{Node, NodeValue, ParameterKind, decoder::Errors, shape::Shape, values};
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

/// What `gpus` can be.
pub(super) const SHAPE: Shape = Shape::Any(&[
    Shape::Words(&["all"]),
    Shape::Integer,
    Shape::Pattern("^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$", "4-7"),
    Shape::List(&Shape::Integer),
]);

impl GpuSelection {
    /// Reads a selection of GPUs: a plain number is a count, a list and a range are indices.
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let NodeValue::List(_) = &node.value else {
            return values::unit(node, integer_or_text(node), "all, a count such as 4, or a list such as 4-7", errors);
        };
        let indices = values::placed_list(node, "GPU indices", errors, values::integer::<u32>)?;
        let list: IndexList = indices.iter().map(|index| index.value).collect();
        if list.0.len() < indices.len() {
            errors.at(node, "a GPU is in the list twice");
            return None;
        }
        Some(Self::List(list))
    }
}

/// A parameter of type integer stands for a count; everything else has to be text.
fn integer_or_text(node: &Node) -> ParameterKind {
    match &node.parameter {
        Some(parameter) if parameter.kind == ParameterKind::Integer => ParameterKind::Integer,
        _ => ParameterKind::Text,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::testing::{bad, flow, good, parameter};

    #[test]
    fn a_number_is_a_count_and_a_list_are_indices() {
        let list = |indices: &[u32]| GpuSelection::List(indices.iter().copied().collect());
        assert_eq!(good(GpuSelection::decode, &flow("all")), GpuSelection::All);
        assert_eq!(good(GpuSelection::decode, &flow("4")), GpuSelection::Count(4));
        assert_eq!(good(GpuSelection::decode, &flow("[4, 5]")), list(&[4, 5]));
        assert_eq!(good(GpuSelection::decode, &flow("\"4-7\"")), list(&[4, 5, 6, 7]));
        assert_eq!(good(GpuSelection::decode, &parameter(ParameterKind::Integer, "8")), GpuSelection::Count(8));
    }

    #[test]
    fn wrong_selections_are_one_error_each() {
        for text in ["0", "some", "[]", "[0, 0]", "[a]", "{ min: 1 }"] {
            let error = bad(GpuSelection::decode, &flow(text));
            assert!(error.starts_with("expected ") || error == "a GPU is in the list twice", "{error}");
        }
        let error = bad(GpuSelection::decode, &parameter(ParameterKind::Size, "8"));
        assert!(error.contains("found the parameter `$p` of type size"), "{error}");
    }
}
