use std::{fmt, sync::Arc};

use super::Place;

/// A YAML tree in which every value knows its place. Anchors and merge keys are resolved in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: NodeValue,
    /// Where it stands.
    pub place: Place,
    /// The parameter whose value this is, where the spec says `$NAME`.
    pub parameter: Option<Arc<Parameter>>,
}

/// A parameter that stands for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name, without the dollar.
    pub name: String,
    /// Its type.
    pub kind: ParameterKind,
    /// Where its value is from: its default, an includer, or `--param`.
    pub origin: String,
}

/// The types of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// `text`.
    Text,
    /// `integer`.
    Integer,
    /// `size`.
    Size,
    /// `bandwidth`.
    Bandwidth,
    /// `rate`.
    Rate,
    /// `duration`.
    Duration,
    /// `link_class`.
    LinkClass,
}

impl ParameterKind {
    /// Every type with its name.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("text", Self::Text),
        ("integer", Self::Integer),
        ("size", Self::Size),
        ("bandwidth", Self::Bandwidth),
        ("rate", Self::Rate),
        ("duration", Self::Duration),
        ("link_class", Self::LinkClass),
    ];
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::NAMES.iter().find(|(_, kind)| kind == self).map_or("", |(name, _)| name))
    }
}

/// A YAML value.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeValue {
    /// `~`, `null` or nothing.
    Null,
    /// A plain or quoted scalar as it is spelt.
    Scalar {
        /// The text.
        text: String,
        /// Whether it was quoted, so that it is text whatever it looks like.
        quoted: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A map: keys with their places, in the order of the file.
    Map(Vec<(String, Place, Node)>),
}
