//! Joins findings to the findings that explain them, over all cases.

mod circumstances;
mod collective;
mod explain;
mod p2p_path;

pub use circumstances::Circumstances;
pub use explain::relate;
