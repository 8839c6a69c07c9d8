//! One rank: a process of its own, which drives one GPU, takes orders from the supervisor and reports to it.
//!
//! `protocol` is what the two say to each other, line by line; the board (shared memory) is what they must not wait for.

mod board;
mod protocol;

pub use board::{At, Board, Stopped};
pub use protocol::{Libraries, Order, Phase, RankStart, Report};
