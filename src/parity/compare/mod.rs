//! The rule by which two engines' figures are compared, and how the result is shown. Pure: runs are data here.

mod comparison;
mod markdown;
mod report;
mod row;
mod statistics;
mod table;
#[cfg(test)]
mod testing;
mod times;

pub use comparison::{CompareError, Comparison, LEAST_PAIRS, Pair, Verdict, compare};
pub use markdown::markdown;
pub use report::{ParityReport, Setup, Wall};
pub use row::{Agreement, Row};
pub use table::text;
pub use times::{Key, Times, TimesError, ours, theirs};
