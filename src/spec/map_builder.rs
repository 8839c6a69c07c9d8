use std::collections::{HashMap, HashSet};

use super::{Node, NodeValue, Place, SpecError};

/// The entries of a map, whose own keys come before those of its merge key.
#[derive(Default)]
pub(super) struct MapBuilder {
    entries: Vec<(String, Place, Node)>,
    known: HashMap<String, Place>,
    merged: Option<Node>,
}

impl MapBuilder {
    /// Adds an entry; a key that is there already, or is no scalar, is an error.
    pub(super) fn add(&mut self, key: Node, value: Node, errors: &mut Vec<SpecError>) {
        let length = key.shown_length();
        let (name, quoted) = match key.value {
            NodeValue::Scalar { text, quoted } => (text, quoted),
            NodeValue::Null | NodeValue::List(_) | NodeValue::Map(_) => {
                errors.push(SpecError::new(&key.place, length, format!("a key is plain text, found {}", key.kind())));
                return;
            }
        };
        if let Some(first) = self.known.get(&name) {
            let message = format!("the key `{name}` is already in this map, in line {}", first.line);
            errors.push(SpecError::new(&key.place, length, message));
            return;
        }
        self.known.insert(name.clone(), key.place.clone());
        if name == "<<" && !quoted {
            self.merged = Some(value);
        } else {
            self.entries.push((name, key.place, value));
        }
    }

    /// The entries, with those of the merge key at the end.
    pub(super) fn finish(mut self, errors: &mut Vec<SpecError>) -> Vec<(String, Place, Node)> {
        let merged = match self.merged.take() {
            None => Vec::new(),
            Some(Node { value: NodeValue::List(items), .. }) => items,
            Some(one) => vec![one],
        };
        let mut known: HashSet<String> = self.known.into_keys().collect();
        for node in merged {
            let (length, kind) = (node.shown_length(), node.kind());
            let NodeValue::Map(entries) = node.value else {
                let message = format!("`<<` merges a map or a list of maps, found {kind}");
                errors.push(SpecError::new(&node.place, length, message));
                continue;
            };
            self.entries.extend(entries.into_iter().filter(|(name, ..)| known.insert(name.clone())));
        }
        self.entries
    }
}
