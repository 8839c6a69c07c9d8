//! Faults that end or stop the whole process, or fill its output.

use std::{thread, time::Duration};

use nix::libc;

use super::fault::{self, Moment};

/// Does what is asked for at this moment: `noise`, `crash`, `exit`, `stop` and a `hang` of the calling thread.
pub fn at(moment: &Moment) {
    if moment.at != "call" && fault::of("noise", moment).is_some() {
        noise(moment.at);
    }
    if let Some(fault) = fault::at("crash", moment) {
        crash(fault.number("signal").and_then(|signal| i32::try_from(signal).ok()).unwrap_or(libc::SIGSEGV));
    }
    if let Some(fault) = fault::at("exit", moment) {
        std::process::exit(fault.code(1));
    }
    if fault::at("stop", moment).is_some() {
        // SAFETY: a signal to the own process.
        unsafe { libc::raise(libc::SIGSTOP) };
    }
    if moment.at != "call" && fault::at("hang", moment).is_some() {
        for_ever();
    }
}

/// Does not return.
pub fn for_ever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

/// Ends the process by a signal, whatever handlers it has.
fn crash(signal: i32) {
    // SAFETY: the default action of a signal, and the signal to the own process.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Text on both outputs: one line that looks like a message, and one without an end.
fn noise(at: &str) {
    let text = format!("stand-in: a library's own words at {at}\n{{\"noise\":\"{at}\"}}\nno end of line");
    for file in [1, 2] {
        // SAFETY: the bytes are those of a living string.
        unsafe { libc::write(file, text.as_ptr().cast(), text.len()) };
    }
}
