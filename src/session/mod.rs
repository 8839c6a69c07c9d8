//! The supervisor of the ranks: starts a process for each, tells them what to measure, hears them, and ends them all
//! when one dies, hangs or reports trouble.
//!
//! A session's communicator serves all its tests; NCCL reads its environment once, so that another environment is another
//! session. `start`, `measure` and `ending` are a session's life, `deadlines` how long each part of it may take. Who is at
//! fault where something goes wrong is decided in `diagnosis`, `causes` and `agreement`, which are pure.

mod agreement;
mod causes;
mod clocks;
mod crew;
mod deadlines;
mod diagnosis;
mod ending;
mod environment;
mod measure;
mod plan;
mod process;
mod rank;
mod ras;
mod start;
#[cfg(test)]
mod tests;
mod watched;

pub use deadlines::Deadlines;
pub use environment::{Subsystems, engine_variables, free_port};
pub use plan::{RankPlan, SessionPlan};
pub use start::{Ended, Session};
pub use watched::Watched;
