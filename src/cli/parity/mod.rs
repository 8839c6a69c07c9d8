//! `linkspec parity`.

mod arguments;
mod prepared;
mod progress;
mod verb;

pub(super) use arguments::ParityArguments;
pub(super) use verb::parity;
