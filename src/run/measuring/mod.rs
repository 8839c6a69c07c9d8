//! Measures the collective cases of a live run: which session a case needs, what the session's processes are given, and
//! what becomes evidence of what they tell.

mod cell;
mod evidence;
mod ground;
mod logs;
mod measurer;
mod order;
mod sweep;
#[cfg(test)]
mod tests;
mod wanted;

pub use measurer::MeasureOptions;
pub(super) use measurer::Measurer;
pub(super) use order::{Turn, order};
pub(super) use sweep::sweep;
