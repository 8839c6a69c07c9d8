//! Reads a tree into the types of the language and collects every error on the way.

use super::{Node, NodeValue, Place, Placed, SpecError, error::nearest, shape::Key};

/// The errors found so far.
#[derive(Debug, Default)]
pub(super) struct Errors(pub(super) Vec<SpecError>);

impl Errors {
    /// Adds an error at a node.
    pub(super) fn at(&mut self, node: &Node, message: impl Into<String>) {
        self.0.push(SpecError::new(&node.place, node.shown_length(), message));
    }

    /// Adds an error at a node, with its cure.
    pub(super) fn at_with_help(&mut self, node: &Node, message: impl Into<String>, help: impl Into<String>) {
        self.0.push(SpecError::new(&node.place, node.shown_length(), message).with_help(help));
    }

    /// A value that is none of some words: says which there are, and which was meant.
    pub(super) fn unknown_word(&mut self, node: &Node, what: &str, word: &str, words: &[&str]) {
        let message = format!("unknown {what} `{word}`, expected {}", listed(words));
        match nearest(word, words.iter().copied()) {
            Some(near) => self.at_with_help(node, message, format!("did you mean `{near}`?")),
            None => self.at(node, message),
        }
    }
}

/// `a`, `a or b`, `one of a, b, c`.
pub(super) fn listed(words: &[&str]) -> String {
    match words {
        [one] => format!("`{one}`"),
        [one, other] => format!("`{one}` or `{other}`"),
        _ => format!("one of {}", words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")),
    }
}

impl Node {
    /// What kind of value it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            NodeValue::Null => "nothing",
            NodeValue::Scalar { .. } => "a plain value",
            NodeValue::List(_) => "a list",
            NodeValue::Map(_) => "a map",
        }
    }

    /// How many characters of its line an error marks.
    pub(super) fn shown_length(&self) -> usize {
        match &self.value {
            NodeValue::Scalar { text, quoted } => text.chars().count() + if *quoted { 2 } else { 0 },
            NodeValue::Null | NodeValue::List(_) | NodeValue::Map(_) => 1,
        }
    }

    /// The text of a scalar, or an error that says what was expected.
    pub(super) fn scalar(&self, expected: &str, errors: &mut Errors) -> Option<&str> {
        match &self.value {
            NodeValue::Scalar { text, .. } => Some(text),
            NodeValue::Null | NodeValue::List(_) | NodeValue::Map(_) => {
                errors.at(self, format!("expected {expected}, found {}", self.kind()));
                None
            }
        }
    }

    /// The items of a list; a single value that is no list is an error.
    pub(super) fn list(&self, expected: &str, errors: &mut Errors) -> Option<&[Node]> {
        match &self.value {
            NodeValue::List(items) => Some(items),
            NodeValue::Null | NodeValue::Scalar { .. } | NodeValue::Map(_) => {
                errors.at(self, format!("expected {expected}, found {}", self.kind()));
                None
            }
        }
    }

    /// A value with this node's place.
    pub(super) fn placed<T>(&self, value: T) -> Placed<T> {
        Placed { value, place: self.place.clone() }
    }
}

/// A map whose keys are known. A key that is `~` counts as not there.
pub(super) struct MapReader<'a> {
    keys: &'static [Key],
    entries: &'a [(String, Place, Node)],
    node: &'a Node,
}

impl<'a> MapReader<'a> {
    /// Opens a map; unknown and missing keys are errors at once. `what` names the map in messages: `a test`.
    pub(super) fn open(node: &'a Node, what: &str, keys: &'static [Key], errors: &mut Errors) -> Option<Self> {
        let NodeValue::Map(entries) = &node.value else {
            let names: Vec<&str> = keys.iter().map(|key| key.name).take(6).collect();
            errors.at_with_help(
                node,
                format!("expected {what}, which is a map, found {}", node.kind()),
                format!("its keys are {}{}", names.join(", "), if keys.len() > 6 { ", ..." } else { "" }),
            );
            return None;
        };
        let reader = Self { keys, entries, node };
        reader.check_keys(what, errors);
        Some(reader)
    }

    fn check_keys(&self, what: &str, errors: &mut Errors) {
        let mut misspelt = Vec::new();
        for (name, place, _) in self.entries {
            if self.keys.iter().any(|key| key.name == name) {
                continue;
            }
            let names: Vec<&str> = self.keys.iter().map(|key| key.name).collect();
            let near = nearest(name, names.iter().copied());
            misspelt.extend(near);
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("{what} has the keys {}", names.join(", ")),
            };
            let error = SpecError::new(place, name.chars().count(), format!("unknown key `{name}` in {what}"));
            errors.0.push(error.with_help(help));
        }
        for key in self.keys.iter().filter(|key| key.required) {
            // A misspelt key is told once: that the right one is missing follows from it.
            if self.get(key.name).is_none() && !misspelt.contains(&key.name) {
                errors.at_with_help(self.node, format!("{what} lacks the key `{}`", key.name), key.about);
            }
        }
    }

    /// The value of a key.
    pub(super) fn get(&self, name: &str) -> Option<&'a Node> {
        debug_assert!(self.keys.iter().any(|key| key.name == name), "{name} is not in the table of keys");
        let entry = self.entries.iter().find(|(key, _, _)| key == name).map(|(_, _, node)| node);
        entry.filter(|node| node.value != NodeValue::Null)
    }

    /// The value of a key, read by `read`.
    pub(super) fn read<T>(
        &self,
        name: &str,
        errors: &mut Errors,
        read: impl FnOnce(&'a Node, &mut Errors) -> Option<T>,
    ) -> Option<T> {
        self.get(name).and_then(|node| read(node, errors))
    }

    /// The value of a key with its place, read by `read`.
    pub(super) fn placed<T>(
        &self,
        name: &str,
        errors: &mut Errors,
        read: impl FnOnce(&'a Node, &mut Errors) -> Option<T>,
    ) -> Option<Placed<T>> {
        let node = self.get(name)?;
        read(node, errors).map(|value| node.placed(value))
    }

    /// Whether no key is there.
    pub(super) fn is_empty(&self) -> bool {
        !self.says_more_than(&[])
    }

    /// Whether a key besides these is there.
    pub(super) fn says_more_than(&self, keys: &[&str]) -> bool {
        self.entries.iter().any(|(name, _, node)| node.value != NodeValue::Null && !keys.contains(&name.as_str()))
    }

    /// The node of the map.
    pub(super) const fn node(&self) -> &'a Node {
        self.node
    }
}
