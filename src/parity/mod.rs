//! linkspec's own engine beside an installed nccl-tests: the same sweep by turns, and whether the figures agree.
//!
//! `compare` is the rule.

pub mod compare;
