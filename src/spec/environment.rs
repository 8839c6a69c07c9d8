use std::{collections::BTreeMap, fmt};

use super::{
    Node, NodeValue, Place, Placed, SpecError,
    decoder::{Errors, MapReader},
    shape::{Key, Shape, required},
    values,
};

/// Environment variables by name; names are not checked against any library's list.
pub type EnvironmentMap = BTreeMap<String, Placed<EnvironmentValue>>;

/// What happens to an environment variable. Values keep their spelling.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EnvironmentValue {
    /// `~`: it is removed, also where it is inherited.
    Removed,
    /// It is set.
    Set(String),
    /// It is set to another value for each rank, in the order of ranks.
    PerRank(Vec<String>),
}

const PER_RANK: &[Key] = &[required("per_rank", Shape::List(&Shape::Text), "a value for each rank, in their order")];

/// The value of a variable.
const VALUE: Shape = Shape::Any(&[Shape::Text, Shape::Null, Shape::Map(PER_RANK)]);

/// What `env` can be.
pub(super) const SHAPE: Shape = Shape::MapOf(&VALUE);

/// Reads `env`: names and what happens to them.
pub(super) fn environment(node: &Node, errors: &mut Errors) -> Option<EnvironmentMap> {
    let NodeValue::Map(entries) = &node.value else {
        errors.at(node, format!("expected a map of environment variables, found {}", node.kind()));
        return None;
    };
    let mut map = EnvironmentMap::new();
    for (name, place, value) in entries {
        if !is_name(name) {
            errors.0.push(wrong_name(name, place));
        } else if let Some(read) = EnvironmentValue::decode(value, errors) {
            map.insert(name.clone(), value.placed(read));
        }
    }
    Some(map)
}

/// Whether a text can be the name of a variable.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    name.bytes().all(plain) && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
}

/// The error of a name that cannot be one.
pub(super) fn wrong_name(name: &str, place: &Place) -> SpecError {
    SpecError::new(place, name.chars().count(), format!("`{name}` cannot be the name of an environment variable"))
        .with_help("a name has letters, digits and `_`, and does not begin with a digit")
}

/// A value that a process can be given: no NUL in it.
pub(super) fn value(node: &Node, errors: &mut Errors) -> Option<String> {
    let text = values::text(node, errors)?;
    if text.contains('\0') {
        errors.at(node, "an environment variable cannot hold a NUL character");
        return None;
    }
    Some(text)
}

impl EnvironmentValue {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        match &node.value {
            NodeValue::Null => Some(Self::Removed),
            NodeValue::Map(_) => {
                let reader = MapReader::open(node, "a value that differs by rank", PER_RANK, errors)?;
                let read = |node: &Node, errors: &mut Errors| values::list(node, "values", errors, value);
                reader.read("per_rank", errors, read).map(Self::PerRank)
            }
            NodeValue::Scalar { .. } | NodeValue::List(_) => value(node, errors).map(Self::Set),
        }
    }
}

impl fmt::Display for EnvironmentValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Removed => f.pad("~"),
            Self::Set(value) => f.pad(value),
            Self::PerRank(values) => f.pad(&format!("per rank: {}", values.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::testing::{bad, flow, good};

    #[test]
    fn values_keep_their_spelling() {
        let node = flow("{ A: 1, B: 1e3, C: \"no\", D: ~, E: { per_rank: [a, 0x1] }, _f: \"\" }");
        let map = good(environment, &node);
        let shown: Vec<String> = map.iter().map(|(name, value)| format!("{name}={}", value.value)).collect();
        assert_eq!(shown, ["A=1", "B=1e3", "C=no", "D=~", "E=per rank: a, 0x1", "_f="]);
        assert_eq!(map["D"].value, EnvironmentValue::Removed);
    }

    #[test]
    fn wrong_variables_are_one_error_each() {
        let help = "a name has letters, digits and `_`, and does not begin with a digit";
        for (text, message) in [
            ("{ 1A: 1 }", format!("`1A` cannot be the name of an environment variable | {help}")),
            ("{ A-B: 1 }", format!("`A-B` cannot be the name of an environment variable | {help}")),
            ("{ A: [1] }", "expected text, found a list".to_owned()),
            ("{ A: { per_rank: [] } }", "expected a list of values, found an empty one".to_owned()),
            ("[A]", "expected a map of environment variables, found a list".to_owned()),
        ] {
            assert_eq!(bad(environment, &flow(text)), message, "{text}");
        }
    }
}
