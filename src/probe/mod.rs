//! Fills [`crate::facts::Facts`]: from saved tool outputs (`texts`), from recorded facts, from the live machine.

mod files;
mod lines;
mod live;
mod measured;
mod nccl_settings;
mod recordings;
mod saved;
pub mod texts;
mod unread;

pub use live::live;
pub use saved::{Saved, SavedError, open, read_saved};
