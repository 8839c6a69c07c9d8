//! Trees for the tests of the decoders, without places of their own.

use std::sync::Arc;

use super::{Node, NodeValue, Parameter, ParameterKind, Place, decoder::Errors};

/// The place of every node here.
pub(super) fn place() -> Place {
    Place { file: "test.yaml".into(), line: 1, column: 1, text: "".into() }
}

fn node(value: NodeValue) -> Node {
    Node { value, place: place(), parameter: None }
}

/// A plain scalar.
pub(super) fn scalar(text: &str) -> Node {
    node(NodeValue::Scalar { text: text.to_owned(), quoted: false })
}

/// A quoted scalar.
pub(super) fn quoted(text: &str) -> Node {
    node(NodeValue::Scalar { text: text.to_owned(), quoted: true })
}

/// A list.
pub(super) fn list(items: impl IntoIterator<Item = Node>) -> Node {
    node(NodeValue::List(items.into_iter().collect()))
}

/// A map.
pub(super) fn map<'a>(entries: impl IntoIterator<Item = (&'a str, Node)>) -> Node {
    node(NodeValue::Map(entries.into_iter().map(|(key, value)| (key.to_owned(), place(), value)).collect()))
}

/// A scalar that stands for a parameter.
pub(super) fn parameter(kind: ParameterKind, text: &str) -> Node {
    let parameter = Parameter { name: "p".to_owned(), kind, origin: "its default".to_owned() };
    Node { parameter: Some(Arc::new(parameter)), ..scalar(text) }
}

/// A tree from YAML on one line, in brackets and braces: `{ a: [1, "x"], b: ~ }`.
pub(super) fn flow(text: &str) -> Node {
    let mut rest = text;
    let node = value(&mut rest);
    assert!(rest.trim().is_empty(), "left over: {rest}");
    node
}

fn value(rest: &mut &str) -> Node {
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('[') {
        *rest = inner;
        return list(items(rest, ']', value));
    }
    if let Some(inner) = rest.strip_prefix('{') {
        *rest = inner;
        let entries = items(rest, '}', |rest| (key(rest), value(rest)));
        return map(entries.iter().map(|(key, value)| (key.as_str(), value.clone())));
    }
    if let Some(inner) = rest.strip_prefix('"') {
        let (text, after) = inner.split_once('"').expect("a closing quote");
        *rest = after;
        return quoted(text);
    }
    let end = rest.find([',', ']', '}']).unwrap_or(rest.len());
    let (text, after) = rest.split_at(end);
    *rest = after;
    if text.trim() == "~" { node(NodeValue::Null) } else { scalar(text.trim()) }
}

fn key(rest: &mut &str) -> String {
    let (key, after) = rest.split_once(':').expect("a colon");
    *rest = after;
    key.trim().trim_matches('"').to_owned()
}

fn items<T>(rest: &mut &str, close: char, read: impl Fn(&mut &str) -> T) -> Vec<T> {
    let mut items = Vec::new();
    loop {
        *rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(close) {
            *rest = after;
            return items;
        }
        items.push(read(rest));
        *rest = rest.trim_start();
        *rest = rest.strip_prefix(',').unwrap_or(rest);
    }
}

/// What a decoder reads from a tree that has no error.
pub(super) fn good<T>(decode: impl FnOnce(&Node, &mut Errors) -> Option<T>, node: &Node) -> T {
    let mut errors = Errors::default();
    let value = decode(node, &mut errors);
    assert_eq!(errors.0, [], "{node:?}");
    value.expect("a value where there is no error")
}

/// The one error, its message and after a bar its cure, of a tree that has one.
pub(super) fn bad<T>(decode: impl FnOnce(&Node, &mut Errors) -> Option<T>, node: &Node) -> String {
    let mut errors = Errors::default();
    let _value = decode(node, &mut errors);
    assert_eq!(errors.0.len(), 1, "{:?}", errors.0);
    let error = errors.0.remove(0);
    match error.help {
        Some(help) => format!("{} | {help}", error.message),
        None => error.message,
    }
}

/// A collective as it stands in a spec.
pub(crate) fn collective(text: &str) -> super::Collective {
    good(super::Collective::decode, &flow(text))
}
