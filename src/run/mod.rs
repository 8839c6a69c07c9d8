//! The effectful middle: runs the cases of a plan on a machine, tells what happens as events, and keeps the results.
//!
//! `runner` knows nothing of terminals and files; `journal` writes and reads `run.jsonl`, `output_place` is the folder
//! that a suite's reports go to.

mod command;
mod interrupt;
mod journal;
mod machine;
mod measuring;
mod output_place;
mod repeat;
mod replace;
mod runner;

pub(crate) use command::run as run_command;
pub use interrupt::Interrupt;
pub use journal::{Journal, JournalError, read_journal, read_journal_bytes};
pub use machine::Machine;
pub use measuring::MeasureOptions;
pub use output_place::{OutputPlace, OutputPlaceError};
pub use repeat::{RepeatCommand, quoted};
pub use replace::{create_atomically, replace_atomically};
pub use runner::{Happening, SuiteRun, Tell};
