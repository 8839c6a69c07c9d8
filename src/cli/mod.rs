//! The command line: one file per verb.

mod arguments;
mod capture;
mod check;
mod completions;
mod demo;
mod explain;
mod list;
mod nothing;
mod operator;
mod parity;
mod report;
mod run;
mod schema;
mod screen;
mod site;
mod strangers;
mod suites;

use std::{
    ffi::OsString,
    io::{ErrorKind, Write},
    sync::Arc,
};

use anyhow::Result;
use clap::Parser;
use signal_hook::consts::SIGCHLD;

use crate::record::exit;
use arguments::{Arguments, Format, VERBS, Verb};

/// Runs linkspec with the arguments of a process, its name first, and gives the exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    hear_of_children();
    let arguments = match Arguments::try_parse_from(with_verb(arguments.into_iter().collect())) {
        Ok(arguments) => arguments,
        Err(error) => {
            // A closed pipe while showing help is nobody's fault.
            let _ = error.print();
            return if error.use_stderr() { exit::USAGE } else { exit::PASSED };
        }
    };
    // A reader that closes the pipe (`| head`) is no error where only text was asked for; a run never ends so.
    let only_text = !matches!(arguments.verb, Verb::Run(_) | Verb::Report(_) | Verb::Parity(_));
    match dispatch(arguments.verb) {
        Ok(code) => code,
        Err(error) if only_text && is_closed_pipe(&error) => exit::PASSED,
        Err(error) => failed(&error),
    }
}

/// A launcher that ignores SIGCHLD hands that down: the kernel would keep from this process how its children end. With a
/// handler it does not, and the children start with none.
fn hear_of_children() {
    // Where the kernel refuses, the end of a child is unknown, and said to be.
    let _ = signal_hook::flag::register(SIGCHLD, Arc::default());
}

/// `linkspec SPEC...` is `linkspec run SPEC...`.
fn with_verb(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let global = ["-h", "--help", "-V", "--version"];
    let has_verb =
        |first: &OsString| first.to_str().is_some_and(|first| VERBS.contains(&first) || global.contains(&first));
    if arguments.len() > 1 && !has_verb(&arguments[1]) {
        arguments.insert(1, "run".into());
    }
    arguments
}

fn dispatch(verb: Verb) -> Result<u8> {
    match verb {
        Verb::Run(arguments) if arguments.list => {
            list::libtest_list(&arguments.cases, arguments.format.unwrap_or(Format::Pretty))
        }
        Verb::Run(arguments) => run::run(&arguments),
        Verb::List(arguments) => list::list(&arguments),
        Verb::Check(arguments) => check::check(&arguments),
        Verb::Explain(arguments) => explain::explain(&arguments),
        Verb::Schema(arguments) => schema::schema(&arguments),
        Verb::Report(arguments) => report::report(&arguments),
        Verb::Demo(arguments) => demo::demo(&arguments),
        Verb::Capture(arguments) => capture::capture(&arguments),
        Verb::Parity(arguments) => parity::parity(&arguments),
        Verb::ProbeSource(arguments) => site::probe_source(&arguments),
        Verb::Worker(arguments) => {
            crate::worker::serve(arguments.parent);
            Ok(exit::PASSED)
        }
        Verb::Completions { shell } => completions::completions(shell),
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

/// Shows an error and gives its exit code.
fn failed(error: &anyhow::Error) -> u8 {
    let mut stderr = anstream::stderr().lock();
    // Where standard error is closed there is nobody left to tell.
    let _ = match error.downcast_ref::<suites::Shown>() {
        Some(suites::Shown(text)) => writeln!(stderr, "{}", text.trim_end()),
        None => writeln!(stderr, "error: {error:#}"),
    };
    exit::USAGE
}
