use super::{Placed, Wanted};
use crate::units::Size;

/// `compare`: two cases' bandwidths set against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The one side.
    pub left: Placed<CompareSide>,
    /// The other side.
    pub right: Placed<CompareSide>,
    /// The sizes at which they are compared.
    pub at: Placed<Vec<Size>>,
    /// The left divided by the right: the least and the most.
    pub ratio: Placed<Wanted<f64>>,
}

/// One side of a comparison: a test, a case `TEST[CELL]`, or the best of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareSide {
    /// One.
    Case(String),
    /// The best at each size.
    BestOf(Vec<String>),
}
