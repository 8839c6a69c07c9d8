//! Reads a source in a child process, so that a call that hangs or crashes costs its own facts and not the run.
//!
//! The child ([`Lanes`]) writes a line before each step and one for each answer; the parent ([`ask`]) keeps what it
//! heard, and names what did not answer within its deadline.

mod ask;
mod heard;
mod lanes;
mod protocol;

use std::{
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
};

use serde::Serialize;

pub(super) use ask::ask;
pub(super) use heard::Heard;
pub(super) use lanes::{Lane, Lanes};

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
    let Ok(answers) = answers_alone() else { return };
    let lanes = Lanes::new(Box::new(answers), manner);
    read(&lanes);
    lanes.done();
}

/// Takes standard output for the answers: what the libraries print from now on, or close, is no longer in their way, and
/// no process that a library starts holds them open.
fn answers_alone() -> io::Result<File> {
    let mut answers = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    nix::unistd::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    // What a library printed while it was loaded before this program, is a line of its own.
    answers.write_all(b"\n")?;
    Ok(answers)
}

/// Ties this process to its parent; `false` where the parent is gone already.
fn dies_with(parent: i32) -> bool {
    // Where the kernel refuses, the parent still ends the child at its deadline.
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
    nix::unistd::getppid().as_raw() == parent
}
