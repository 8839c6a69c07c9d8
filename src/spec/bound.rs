use super::{Place, Placed};

/// A bound on a measured value: `440 GB/s`, `{min, max}`, or `{at_least: 85%, of: link}`.
///
/// A plain value is a floor for bandwidth and a ceiling for latency.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound<T> {
    /// The limits.
    pub value: BoundValue<T>,
    /// The name of an entry of `sources` that the figure is from.
    pub source: Option<Placed<String>>,
    /// A remark of the spec's author.
    pub note: Option<String>,
    /// Where the bound stands.
    pub place: Place,
}

/// The limits of a [`Bound`].
#[derive(Clone, Debug, PartialEq)]
pub enum BoundValue<T> {
    /// Written out; at least one of them is there.
    Limits {
        /// The least.
        min: Option<T>,
        /// The most.
        max: Option<T>,
    },
    /// A share of something else.
    Share {
        /// The share, 0.85 for `85%`.
        at_least: f64,
        /// Of what.
        of: BoundBase,
    },
}

/// What a share is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundBase {
    /// The payload per direction of one GPU's links.
    Link,
    /// The recorded baseline.
    Baseline,
    /// Another case of the suite.
    Case {
        /// The test.
        test: String,
        /// The cell within its brackets, if the test has a matrix.
        cell: Option<String>,
    },
}
