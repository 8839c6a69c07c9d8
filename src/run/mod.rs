//! The effectful middle: what a run does to the disk and to the machine.
//!
//! `journal` writes and reads `run.jsonl`; `output_place` is the folder that a suite's reports go to.

mod journal;
mod output_place;
mod replace;

pub use journal::{Journal, JournalError, read_journal};
pub use output_place::{OutputPlace, OutputPlaceError};
pub use replace::replace_atomically;
