//! Fills [`crate::facts::Facts`]: from saved tool outputs (`texts`), from recorded facts, from the live machine.

mod live;
mod nccl_settings;
mod saved;
pub mod texts;

pub use live::{is_kept_variable, live};
pub use saved::{Saved, SavedError, open, read_saved};
