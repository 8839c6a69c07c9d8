//! linkspec proves that a GPU server's links are what was bought.
//!
//! A spec in YAML says what must hold of topology, ports and bandwidth; linkspec plans cases, judges them against
//! the facts of a live or recorded machine, and reports pass, fail or could-not-measure. The folders are named after
//! the stages that data passes: see `docs/architecture.md`.

pub mod capture;
mod child_process;
pub mod cli;
pub mod collective;
mod comm;
mod device;
pub mod evidence;
pub mod facts;
pub mod ground;
pub mod parity;
pub mod plan;
pub mod probe;
pub mod record;
pub mod report;
pub mod run;
pub mod session;
pub mod spec;
mod sys;
pub mod units;
pub mod verdict;
pub mod worker;
