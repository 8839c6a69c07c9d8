//! Reads a source in a child process, so that a call that hangs or crashes costs its own facts and not the run.
//!
//! The child ([`Lanes`]) writes a line before each step and one for each answer; the parent ([`ask`]) keeps what it
//! heard, and names what did not answer within its deadline.

mod ask;
mod heard;
mod lanes;
mod protocol;

use std::fs::File;

use serde::Serialize;

pub(super) use ask::ask;
pub(super) use heard::Heard;
pub(super) use lanes::{Lane, Lanes};

use crate::child_process::{dies_with, take_standard_output};

/// How a child reads its lanes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// One after another, not side by side: a crash then shows which it was.
    pub alone: bool,
    /// Lanes that are left out.
    pub without: Vec<String>,
}

/// Runs a reader as the child of the process `parent`, and answers on what was standard output.
pub(super) fn answer<A: Serialize>(parent: i32, manner: Manner, read: impl FnOnce(&Lanes<A>)) {
    if !dies_with(parent) {
        return;
    }
    let Ok(nothing) = File::options().write(true).open("/dev/null") else { return };
    let Ok(answers) = take_standard_output(nothing) else { return };
    let lanes = Lanes::new(Box::new(answers), manner);
    read(&lanes);
    lanes.done();
}
