//! The effectful middle: runs the cases of a plan on a machine and tells what happens as events.

mod command;
mod interrupt;
mod machine;
mod repeat;
mod reporter;
mod runner;

pub use interrupt::Interrupt;
pub use machine::Machine;
pub use repeat::RepeatCommand;
pub use reporter::Reporter;
pub use runner::SuiteRun;
