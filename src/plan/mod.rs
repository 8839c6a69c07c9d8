//! From suites to cases: matrix, names, selection, and the environment that each case gets.

mod case;

pub use case::{Case, Cell, MACHINE};
