//! The judge: facts and measurements against a case. Pure; one file or folder per kind of check.
//!
//! [`judge`] looks at one case at a time; [`relate`] afterwards links findings to the findings that explain them.
//! `want` holds a value against what is wanted and `ledger` keeps what follows, so that every check treats what is
//! right, wrong and unknown alike.

mod collective;
mod command;
mod compare;
mod conditional;
mod evidence;
mod finding;
mod gpu;
mod guard;
mod hints;
mod host;
mod judge;
mod ledger;
mod log;
mod machine;
mod outcome;
mod p2p;
mod rdma_ports;
mod relate;
mod subjects;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_engine;
#[cfg(test)]
mod testing_measured;
#[cfg(test)]
mod tests;
mod topology;
mod want;

pub use evidence::{CommandOutput, Evidence};
pub use finding::{Cause, Finding, FindingCode, Severity};
pub use guard::ruled_out;
pub use judge::judge;
pub use outcome::{Measured, Outcome, Verdict};
pub use relate::{Circumstances, relate};
