use std::sync::Arc;

use super::{
    Node, NodeValue, Parameter, Place,
    extends::merge_test,
    resolve::{Resolved, ResolvedTest},
};

/// A value of a spec, as it holds after includes, parameters, `extends` and `defaults`, and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The way to it: `machine.gpus`, `tests.nvlink-mesh.topology.require`; items of lists as `[0]`.
    pub path: String,
    /// The value as it is spelt: `~` removes a variable, `[]` and `{}` are empty.
    pub value: String,
    /// Where it stands; `None` for a default of the language.
    pub place: Option<Place>,
    /// The parameter that it is the value of.
    pub parameter: Option<Arc<Parameter>>,
}

/// What holds of a test where nothing says otherwise.
const LANGUAGE_DEFAULTS: [(&str, &str); 3] = [("level", "standard"), ("pin", "gpu-local"), ("gpus", "all")];

/// Every value of the suite and its tests, in the order of the tests; after a test's own values those of its file's
/// `defaults`, then those of the language.
pub(super) fn explained(resolved: &Resolved) -> Vec<Explained> {
    let mut values = Vec::new();
    for (name, _, node) in resolved.root.entries().unwrap_or_default() {
        flatten(node, name, &mut values);
    }
    for (name, _, node) in &resolved.sources {
        flatten(node, &format!("sources.{name}"), &mut values);
    }
    values.extend(explained_tests(&resolved.tests));
    values
}

fn explained_tests(tests: &[ResolvedTest]) -> Vec<Explained> {
    let mut values = Vec::new();
    for (index, test) in tests.iter().enumerate() {
        let whole = test.defaults.as_ref().map_or_else(|| test.node.clone(), |defaults| with_defaults(defaults, test));
        let name = match whole.entry("name").map(|node| &node.value) {
            Some(NodeValue::Scalar { text, .. }) => text.clone(),
            _ => format!("[{index}]"),
        };
        flatten(&whole, &format!("tests.{name}"), &mut values);
        let unset = LANGUAGE_DEFAULTS.iter().filter(|(key, _)| whole.entry(key).is_none());
        values.extend(unset.map(|(key, value)| Explained {
            path: format!("tests.{name}.{key}"),
            value: (*value).to_owned(),
            place: None,
            parameter: None,
        }));
    }
    values
}

/// The test's own keys in front, in their order.
fn with_defaults(defaults: &Node, test: &ResolvedTest) -> Node {
    let mut whole = merge_test(defaults, &test.node);
    if let NodeValue::Map(entries) = &mut whole.value {
        let own = test.node.entries().unwrap_or_default();
        let rank = |name: &str| own.iter().position(|(key, ..)| key == name).unwrap_or(own.len());
        entries.sort_by_key(|(name, ..)| rank(name));
    }
    whole
}

fn flatten(node: &Node, path: &str, values: &mut Vec<Explained>) {
    let value = match &node.value {
        NodeValue::List(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                flatten(item, &format!("{path}[{index}]"), values);
            }
            return;
        }
        NodeValue::Map(entries) if !entries.is_empty() => {
            for (name, _, node) in entries {
                flatten(node, &format!("{path}.{name}"), values);
            }
            return;
        }
        NodeValue::List(_) => "[]".to_owned(),
        NodeValue::Map(_) => "{}".to_owned(),
        NodeValue::Null => "~".to_owned(),
        NodeValue::Scalar { text, .. } => text.clone(),
    };
    let (place, parameter) = (Some(node.place.clone()), node.parameter.clone());
    values.push(Explained { path: path.to_owned(), value, place, parameter });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::compose::compose;

    #[test]
    fn values_are_flat_with_defaults_and_places() {
        let tree = |text: &str, file: &str| compose(text, &file.into()).expect("a tree");
        let test = tree("name: a\nenv: { X: ~ }\nsizes: [8, 64K]\ntags: []\npin: none\n", "t.yaml");
        let defaults = tree("pin: gpu-local\ntimeout: 5m\nenv: { X: 1, Y: 2 }\n", "d.yaml");
        let values = explained_tests(&[ResolvedTest { node: test, defaults: Some(defaults) }]);
        let place =
            |place: &Option<Place>| place.as_ref().map_or("the language".into(), |p| format!("{}:{}", p.file, p.line));
        let lines: Vec<String> =
            values.iter().map(|v| format!("{} = {} at {}", v.path, v.value, place(&v.place))).collect();
        let expected = [
            "tests.a.name = a at t.yaml:1",
            "tests.a.env.Y = 2 at d.yaml:3",
            "tests.a.env.X = ~ at t.yaml:2",
            "tests.a.sizes[0] = 8 at t.yaml:3",
            "tests.a.sizes[1] = 64K at t.yaml:3",
            "tests.a.tags = [] at t.yaml:4",
            "tests.a.pin = none at t.yaml:5",
            "tests.a.timeout = 5m at d.yaml:2",
            "tests.a.level = standard at the language",
            "tests.a.gpus = all at the language",
        ];
        assert_eq!(lines, expected);
    }
}
