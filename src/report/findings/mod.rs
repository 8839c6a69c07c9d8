//! Findings as text: those that share their place, hint and causes are told together, and those that differ by the
//! device alone are folded.

mod causes;
mod devices;
mod group;
mod text;

pub(super) use group::{Statement, blocks};
pub(super) use text::{Fold, headline, lines};
