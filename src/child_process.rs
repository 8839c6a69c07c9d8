//! What a process of linkspec does first where it is the child of another.

use std::{
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
};

/// Takes standard output for what this process tells its parent: what libraries print from now on goes to `instead`, or
/// is lost where they close it, and no process that a library starts holds the real one open.
pub(crate) fn take_standard_output(instead: impl AsFd) -> io::Result<File> {
    let mut answers = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    nix::unistd::dup2_stdout(instead)?;
    // What a library printed while it was loaded before this program, is a line of its own.
    answers.write_all(b"\n")?;
    Ok(answers)
}

/// Ties this process to its parent; `false` where the parent is gone already.
pub(crate) fn dies_with(parent: i32) -> bool {
    // Where the kernel refuses, the parent still ends the child at its deadline.
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
    nix::unistd::getppid().as_raw() == parent
}
