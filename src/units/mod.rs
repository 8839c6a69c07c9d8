//! Quantities as people write them: size, bandwidth, rate, duration, version, list of numbers.
//!
//! Each type parses the spelling of a spec, prints itself in that spelling, and says in its error what was expected.

mod bandwidth;
mod duration;
mod index_list;
mod rate;
mod size;
mod version;

pub use bandwidth::Bandwidth;
pub use duration::Span;
pub use index_list::IndexList;
pub use rate::Rate;
pub use size::Size;
pub use version::Version;

/// A text that is not the quantity it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not {expected}")]
pub struct UnitError {
    /// What was written.
    pub text: String,
    /// What would have been right, with an example.
    pub expected: &'static str,
}

impl UnitError {
    pub(crate) fn new(text: &str, expected: &'static str) -> Self {
        Self { text: text.to_owned(), expected }
    }
}

/// Splits `26.562 GB/s` into its number and its unit. The number is plain decimal, not negative.
fn split_number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if number.is_empty() || number.starts_with('.') || number.ends_with('.') {
        return None;
    }
    let number: f64 = number.parse().ok()?;
    number.is_finite().then_some((number, unit.trim()))
}
