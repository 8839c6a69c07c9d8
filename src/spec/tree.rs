use super::{Node, NodeValue, Place};

impl Node {
    /// The entries of a map.
    pub(super) fn entries(&self) -> Option<&[(String, Place, Self)]> {
        match &self.value {
            NodeValue::Map(entries) => Some(entries),
            NodeValue::Null | NodeValue::Scalar { .. } | NodeValue::List(_) => None,
        }
    }

    /// The value of a key of a map; one that is `~` is there.
    pub(super) fn entry(&self, key: &str) -> Option<&Self> {
        self.entries()?.iter().find(|(name, ..)| name == key).map(|(_, _, node)| node)
    }

    /// The same, to change it.
    pub(super) fn entry_mut(&mut self, key: &str) -> Option<&mut Self> {
        match &mut self.value {
            NodeValue::Map(entries) => entries.iter_mut().find(|(name, ..)| name == key).map(|(_, _, node)| node),
            NodeValue::Null | NodeValue::Scalar { .. } | NodeValue::List(_) => None,
        }
    }

    /// Takes a key out of a map. One that is `~` is gone, and counts as not there.
    pub(super) fn take(&mut self, key: &str) -> Option<(Place, Self)> {
        let NodeValue::Map(entries) = &mut self.value else { return None };
        let at = entries.iter().position(|(name, ..)| name == key)?;
        let (_, place, node) = entries.remove(at);
        (node.value != NodeValue::Null).then_some((place, node))
    }
}

/// A tree as text, to compare: quoted scalars in quotes.
#[cfg(test)]
pub(super) fn shown(node: &Node) -> String {
    match &node.value {
        NodeValue::Null => "~".to_owned(),
        NodeValue::Scalar { text, quoted: true } => format!("{text:?}"),
        NodeValue::Scalar { text, quoted: false } => text.clone(),
        NodeValue::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        NodeValue::Map(entries) => {
            let entries: Vec<String> = entries.iter().map(|(key, _, node)| format!("{key}: {}", shown(node))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}
