//! linkspec's own engine beside an installed nccl-tests: the same sweep by turns, and whether the figures agree.
//!
//! `compare` is the rule. `wanted` is the sweep, `command` how nccl-tests is told, `told` whether it did that; `turns` has
//! the runs by turns, `reference` makes one of nccl-tests, `engine` one of linkspec.

mod command;
pub mod compare;
mod engine;
mod ground;
mod leftovers;
mod reference;
mod stripped;
mod told;
mod turns;
mod wanted;

pub use command::{default_launcher, named_launcher, shared_variables};
pub use engine::Engine;
pub use ground::{common_placement, placement_words, selected, visible};
pub use reference::{Reference, find};
pub use turns::{Failure, Run, RunError, Side, Turns, by_turns};
pub use wanted::Wanted;
