//! Fills [`crate::facts::Facts`]: from saved tool outputs (`texts`), from recorded facts, from the live machine.

mod lines;
mod live;
mod measured;
mod nccl_settings;
mod saved;
pub mod texts;

pub use live::live;
pub use saved::{Saved, SavedError, open, read_saved};
