//! One rank: a process of its own, which drives one GPU, takes orders from the supervisor and reports to it.
//!
//! `protocol` is what the two say to each other, line by line; the board (shared memory) is what they must not wait for.

mod board;
mod check;
mod compare;
mod link;
mod material;
mod measure;
mod protocol;
mod rank;
mod spent;

pub use board::{At, Board, Stopped};
pub use protocol::{Libraries, Likely, Order, Phase, RankStart, Report};
pub use rank::serve;

use crate::evidence::{Trouble, TroubleKind};

/// A trouble in one line.
fn trouble(kind: TroubleKind, rank: Option<u32>, message: String) -> Trouble {
    Trouble { kind, rank, message, details: Vec::new() }
}
