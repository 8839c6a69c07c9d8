//! From suites to cases: matrix, names, selection, and the environment that each case gets.

mod case;
mod environment;
mod pins;
mod planner;
mod selection;

pub use case::{Case, MACHINE};
pub use environment::{EnvironmentOrigin, OperatorEnvironment, ResolvedVariable, environment};
pub use pins::{PinConflict, pin_conflicts};
pub use planner::{Plan, PlanError, plan};
pub use selection::{IgnoredTests, LeftOut, Selection};
