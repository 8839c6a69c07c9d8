//! The judge: facts and measurements against a case. Pure; one file per kind of check.
//!
//! [`judge`] looks at one case at a time; [`relate`] afterwards links findings to the findings that explain them.

mod finding;
mod outcome;

pub use finding::{Cause, Finding, FindingCode, Severity};
pub use outcome::{Measured, Outcome, Verdict};
