//! Merging of maps, and of the tests of a spec's files.

use std::collections::{HashMap, HashSet};

use super::{Node, NodeValue, decoder::Errors, error::nearest, resolve::ResolvedTest, values};

/// One map over another: maps merge key by key, scalars and lists replace, `~` removes.
///
/// Both are composed trees, so that the recursion is as shallow as they are.
pub(super) fn merge(base: &Node, over: &Node) -> Node {
    let (NodeValue::Map(below), NodeValue::Map(above)) = (&base.value, &over.value) else {
        return over.clone();
    };
    let mut entries = Vec::with_capacity(below.len() + above.len());
    let changes: HashMap<&str, &Node> = above.iter().map(|(name, _, node)| (name.as_str(), node)).collect();
    for (name, place, node) in below {
        match changes.get(name.as_str()) {
            Some(Node { value: NodeValue::Null, .. }) => {}
            Some(change) => entries.push((name.clone(), place.clone(), merge(node, change))),
            None => entries.push((name.clone(), place.clone(), node.clone())),
        }
    }
    let old: HashSet<&str> = below.iter().map(|(name, ..)| name.as_str()).collect();
    let new = above.iter().filter(|(name, _, node)| !old.contains(name.as_str()) && node.value != NodeValue::Null);
    entries.extend(new.cloned());
    Node { value: NodeValue::Map(entries), place: over.place.clone(), parameter: None }
}

/// One test, or its defaults, over another. In `env`, `~` stays: there it removes an inherited variable too.
pub(super) fn merge_test(base: &Node, over: &Node) -> Node {
    let mut merged = merge(base, over);
    let Some(changes) = over.entry("env").and_then(Node::entries) else { return merged };
    let removed = changes.iter().filter(|(_, _, node)| node.value == NodeValue::Null);
    if let Some(NodeValue::Map(environment)) = merged.entry_mut("env").map(|node| &mut node.value) {
        for entry in removed {
            if !environment.iter().any(|(name, ..)| *name == entry.0) {
                environment.push(entry.clone());
            }
        }
    }
    merged
}

/// The tests of one file, and what they share.
pub(super) struct FileTests {
    /// The tests as they stand in the file.
    pub(super) tests: Vec<Node>,
    /// The `defaults` of the file.
    pub(super) defaults: Option<Node>,
}

/// The tests of all files, those of included files first. One that extends another takes its place.
pub(super) fn combine(files: Vec<FileTests>, errors: &mut Errors) -> Vec<ResolvedTest> {
    let mut combined = Combined::default();
    for (file, FileTests { tests, defaults }) in files.into_iter().enumerate() {
        for test in tests {
            combined.add(file, ResolvedTest { node: test, defaults: defaults.clone() }, errors);
        }
    }
    combined.tests
}

#[derive(Default)]
struct Combined {
    tests: Vec<ResolvedTest>,
    /// By name: which test it is, and the file that spoke of it last.
    known: HashMap<String, (usize, usize)>,
}

impl Combined {
    fn add(&mut self, file: usize, mut test: ResolvedTest, errors: &mut Errors) {
        let extends = extends(&mut test.node, errors);
        let Some(name_node) = test.node.entry("name").cloned() else {
            self.tests.push(test);
            return;
        };
        let NodeValue::Scalar { text: name, .. } = &name_node.value else {
            self.tests.push(test);
            return;
        };
        match (self.known.get(name).copied(), extends) {
            (None, true) => self.no_base(&name_node, name, errors),
            (None, false) => {
                self.known.insert(name.clone(), (self.tests.len(), file));
                self.tests.push(test);
            }
            (Some((at, of)), _) if of == file => self.same_file(at, &name_node, name, errors),
            (Some((at, _)), false) => self.not_extended(at, &name_node, name, errors),
            (Some((at, _)), true) => {
                self.known.insert(name.clone(), (at, file));
                if let Some(base) = self.tests.get_mut(at) {
                    base.extend(&test);
                }
            }
        }
    }

    fn no_base(&self, at: &Node, name: &str, errors: &mut Errors) {
        let message = format!("the test `{name}` extends no test: no included file has one of this name");
        match nearest(name, self.known.keys().map(String::as_str)) {
            Some(near) => errors.at_with_help(at, message, format!("did you mean `{near}`?")),
            None => errors.at_with_help(at, message, "leave `extends` out, or include the file that has it"),
        }
    }

    fn same_file(&self, first: usize, at: &Node, name: &str, errors: &mut Errors) {
        let place = self.place(first);
        errors.at(at, format!("the test `{name}` is already in this file, at {place}"));
    }

    fn not_extended(&self, first: usize, at: &Node, name: &str, errors: &mut Errors) {
        let message = format!("the test `{name}` is already in an included file, at {}", self.place(first));
        errors.at_with_help(at, message, "write `extends: true` to change that test, or choose another name");
    }

    fn place(&self, test: usize) -> String {
        let node = self.tests.get(test).map(|test| test.node.entry("name").unwrap_or(&test.node));
        node.map_or_else(String::new, |node| node.place.to_string())
    }
}

impl ResolvedTest {
    /// Another file's test over this one. It stands in both files, so that the defaults of both reach it.
    fn extend(&mut self, over: &Self) {
        self.node = merge_test(&self.node, &over.node);
        self.defaults = match (self.defaults.take(), &over.defaults) {
            (Some(base), Some(over)) => Some(merge_test(&base, over)),
            (base, over) => base.or_else(|| over.clone()),
        };
    }
}

/// Takes `extends` out of a test: whether it is true.
fn extends(test: &mut Node, errors: &mut Errors) -> bool {
    test.take("extends").and_then(|(_, node)| values::boolean(&node, errors)).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{compose::compose, tree::shown};

    fn tree(text: &str) -> Node {
        compose(text, &"t.yaml".into()).expect("a tree")
    }

    fn merged(base: &str, over: &str) -> String {
        shown(&merge(&tree(base), &tree(over)))
    }

    /// Combines files, each a list of tests, all without defaults.
    fn combined(files: &[&str]) -> (Vec<String>, Vec<String>) {
        let mut errors = Errors::default();
        let files = files.iter().map(|text| match tree(text).value {
            NodeValue::List(tests) => FileTests { tests, defaults: None },
            _ => unreachable!("a list"),
        });
        let tests = combine(files.collect(), &mut errors);
        let messages = errors.0.iter().map(|error| format!("{}: {}", error.place.line, error.message));
        (tests.iter().map(|test| shown(&test.node)).collect(), messages.collect())
    }

    #[test]
    fn maps_merge_scalars_and_lists_replace_and_null_removes() {
        assert_eq!(merged("{ a: 1, b: { c: 1, d: 2 } }", "{ b: { c: 3, e: 4 } }"), "{a: 1, b: {c: 3, d: 2, e: 4}}");
        assert_eq!(merged("{ a: [1, 2] }", "{ a: [3] }"), "{a: [3]}");
        assert_eq!(merged("{ a: 1, b: 2 }", "{ a: ~, c: ~ }"), "{b: 2}");
        assert_eq!(merged("{ a: 1 }", "{ a: { b: 1 } }"), "{a: {b: 1}}");
        assert_eq!(merged("{ a: { b: 1 } }", "{ a: 1 }"), "{a: 1}");
    }

    #[test]
    fn a_variable_that_a_test_removes_stays_removed() {
        let (tests, errors) =
            combined(&["[{ name: a, env: { X: 1, Y: 2 } }]", "[{ name: a, extends: true, env: { X: ~, Z: ~ } }]"]);
        assert_eq!((tests, errors), (vec!["{name: a, env: {Y: 2, X: ~, Z: ~}}".to_owned()], vec![]));
    }

    #[test]
    fn a_test_that_extends_takes_the_place_of_its_base() {
        let (tests, errors) = combined(&[
            "[{ name: a, level: quick, tags: [x] }, { name: b }]",
            "[{ name: a, extends: true, level: full, tags: ~ }]",
            "[{ name: a, extends: yes, title: t }]",
        ]);
        assert_eq!(errors, [""; 0]);
        assert_eq!(tests, ["{name: a, level: full, title: t}", "{name: b}"]);
    }

    #[test]
    fn a_second_test_of_a_name_names_both_places() {
        let (tests, errors) = combined(&["[{ name: a }]", "[{ b: 1 },\n { name: a }]"]);
        assert_eq!(tests.len(), 2);
        assert_eq!(errors, ["2: the test `a` is already in an included file, at t.yaml:1:10"]);
        let (_, errors) = combined(&["[{ name: a },\n { name: a, extends: true }]"]);
        assert_eq!(errors, ["2: the test `a` is already in this file, at t.yaml:1:10"]);
    }

    #[test]
    fn extending_needs_a_base_and_a_plain_answer() {
        let (_, errors) = combined(&["[{ name: all-reduce }]", "[{ name: all-reduc, extends: true }]"]);
        assert_eq!(errors, ["1: the test `all-reduc` extends no test: no included file has one of this name"]);
        let (_, errors) = combined(&["[{ name: a, extends: maybe }]"]);
        assert_eq!(errors.len(), 1, "{errors:?}");
        let (tests, errors) = combined(&["[{ name: a, extends: false }]"]);
        assert_eq!((tests, errors), (vec!["{name: a}".to_owned()], vec![]));
    }

    #[test]
    fn the_defaults_of_both_files_reach_a_test_of_both() {
        let test = |text: &str| vec![tree(text)];
        let mut errors = Errors::default();
        let base = FileTests { tests: test("{ name: a }"), defaults: Some(tree("{ pin: none, timeout: 1m }")) };
        let over = FileTests { tests: test("{ name: a, extends: true }"), defaults: Some(tree("{ timeout: 5m }")) };
        let tests = combine(vec![base, over], &mut errors);
        assert_eq!(tests[0].defaults.as_ref().map(shown).as_deref(), Some("{pin: none, timeout: 5m}"));
    }
}
