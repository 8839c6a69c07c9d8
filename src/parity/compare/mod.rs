//! The rule by which two engines' figures are compared, and how the result is shown. Pure: runs are data here.

mod comparison;
mod row;
mod statistics;
mod times;

pub use comparison::{CompareError, Comparison, LEAST_PAIRS, Pair, Verdict, compare};
pub use row::{Agreement, Row};
pub use times::{Key, Times, TimesError, ours, theirs};
