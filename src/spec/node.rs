use super::Place;

/// A YAML tree in which every value knows its place. Anchors and merge keys are resolved in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: NodeValue,
    /// Where it stands.
    pub place: Place,
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
