//! Fills [`crate::facts::Facts`]: from saved tool outputs (`texts`), from recorded facts, from the live machine.

mod live;
mod saved;
pub mod texts;

pub use live::{kept_variables, live};
pub use saved::{Saved, SavedError, open};
