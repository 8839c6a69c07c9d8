//! Runs the program of a `command` test: no shell, a deadline, capped output, nothing left behind.

use std::{
    io::Read,
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::{
        signal::{Signal, killpg},
        wait::{Id, WaitPidFlag, WaitStatus, waitid},
    },
    unistd::Pid,
};

use super::Interrupt;
use crate::{plan::ResolvedVariable, spec::EnvironmentValue, verdict::CommandOutput};

/// What is kept of each output; the rest is read and dropped.
const KEPT: usize = 1 << 20;
/// The deadline of a test that has no `timeout`.
pub(super) const DEADLINE: Duration = Duration::from_secs(60);
/// Between the polite signal and the one that cannot be refused.
const GRACE: Duration = Duration::from_secs(2);
/// How long the outputs may stay open after the program ended: something it started may hold them.
const DRAIN: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(5);

/// Runs a program to its end or its deadline.
pub(crate) fn run(
    program: &[String],
    environment: &[ResolvedVariable],
    deadline: Duration,
    interrupt: &Interrupt,
) -> CommandOutput {
    let mut output = CommandOutput::default();
    let mut child = match start(program, environment) {
        Ok(child) => child,
        Err(problem) => {
            output.problem = Some(problem);
            return output;
        }
    };
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    match wait(&mut child, deadline, interrupt) {
        Ok(status) => settle(status, &mut output),
        Err(problem) => output.problem = Some(problem),
    }
    let ended = Instant::now();
    output.stdout = stdout.map(|stdout| drain(&stdout, ended)).unwrap_or_default();
    output.stderr = stderr.map(|stderr| drain(&stderr, ended)).unwrap_or_default();
    output
}

fn start(program: &[String], environment: &[ResolvedVariable]) -> Result<Child, String> {
    let (name, arguments) = program.split_first().ok_or("no program is named")?;
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    for variable in environment {
        match &variable.value {
            EnvironmentValue::Removed => command.env_remove(&variable.name),
            EnvironmentValue::Set(value) => command.env(&variable.name, value),
            // One program is one rank: the first.
            EnvironmentValue::PerRank(values) => match values.first() {
                Some(value) => command.env(&variable.name, value),
                None => command.env_remove(&variable.name),
            },
        };
    }
    command.spawn().map_err(|error| format!("{name} could not be started: {error}"))
}

fn wait(child: &mut Child, deadline: Duration, interrupt: &Interrupt) -> Result<ExitStatus, String> {
    let started = Instant::now();
    let problem = loop {
        if has_ended(child) {
            break None;
        }
        if interrupt.is_set() {
            break Some("interrupted".to_owned());
        }
        if started.elapsed() >= deadline {
            break Some(format!("it did not end within {} s and was stopped", deadline.as_secs_f64()));
        }
        thread::sleep(POLL);
    };
    if problem.is_some() {
        ask_to_end(child);
    }
    signal(child, Signal::SIGKILL);
    let ended = child.wait().map_err(|error| format!("its end could not be read: {error}"));
    problem.map_or(ended, Err)
}

/// Whether the program has ended. It is not reaped yet, so that its group's number is still its own.
fn has_ended(child: &Child) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    process(child).is_none_or(|pid| !matches!(waitid(Id::Pid(pid), flags), Ok(WaitStatus::StillAlive)))
}

/// Gives the program and what it started time to end by themselves.
fn ask_to_end(child: &Child) {
    signal(child, Signal::SIGTERM);
    let asked = Instant::now();
    while asked.elapsed() < GRACE && !has_ended(child) {
        thread::sleep(POLL);
    }
}

/// Sends a signal to the program and everything in its process group.
fn signal(child: &Child, signal: Signal) {
    // A group that is gone already needs no signal, so errors say nothing.
    let _ = process(child).map(|group| killpg(group, signal));
}

fn process(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().map(Pid::from_raw)
}

fn settle(status: ExitStatus, output: &mut CommandOutput) {
    output.exit = status.code();
    if let Some(signal) = status.signal() {
        output.problem = Some(format!("it was ended by signal {signal}"));
    }
}

/// Reads an output to its end in a thread of its own, so that a full pipe stops nobody.
fn collect(mut from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        let mut kept = 0;
        while let Ok(count) = from.read(&mut buffer) {
            if count == 0 {
                break;
            }
            let room = count.min(KEPT - kept);
            kept += room;
            if room > 0 && sender.send(buffer[..room].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}

fn drain(chunks: &Receiver<Vec<u8>>, ended: Instant) -> String {
    let mut bytes = Vec::new();
    loop {
        let left = DRAIN.saturating_sub(ended.elapsed());
        match chunks.recv_timeout(left) {
            Ok(chunk) => bytes.extend(chunk),
            Err(_) => return String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::EnvironmentOrigin;

    fn shell(script: &str, deadline: Duration) -> CommandOutput {
        let variable = ResolvedVariable {
            name: "NCCL_ALGO".into(),
            value: EnvironmentValue::Set("Ring".into()),
            origin: EnvironmentOrigin::Test,
        };
        run(&["sh".into(), "-c".into(), script.into()], &[variable], deadline, &Interrupt::default())
    }

    #[test]
    fn exit_code_outputs_and_environment() {
        let output = shell("echo $NCCL_ALGO; echo oops >&2; exit 7", DEADLINE);
        assert_eq!((output.exit, output.problem), (Some(7), None));
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("Ring\n", "oops\n"));
    }

    #[test]
    fn a_program_that_hangs_is_stopped_with_its_children() {
        let started = Instant::now();
        let output = shell("sleep 60 & echo $!; sleep 60", Duration::from_secs(2));
        assert!(started.elapsed() < Duration::from_secs(30));
        assert!(output.problem.unwrap().contains("did not end within 2 s"));
        assert_ends(output.stdout.trim().parse().unwrap());
    }

    #[test]
    fn what_a_program_leaves_behind_is_ended() {
        let output = shell("sleep 60 >/dev/null 2>&1 & echo $!; exit 3", DEADLINE);
        assert_eq!((output.exit, &output.problem), (Some(3), &None));
        assert_ends(output.stdout.trim().parse().unwrap());
    }

    fn assert_ends(orphan: i32) {
        let gone = || nix::sys::signal::kill(Pid::from_raw(orphan), None).is_err() || is_zombie(orphan);
        let deadline = Instant::now() + Duration::from_secs(20);
        while !gone() && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        assert!(gone());
    }

    /// An orphan that nobody reaps in a container still answers to signal 0.
    fn is_zombie(pid: i32) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'))
    }

    #[test]
    fn a_flood_is_capped_and_does_not_block() {
        let output = shell("head -c 3000000 /dev/zero | tr '\\0' x", DEADLINE);
        assert_eq!((output.exit, output.stdout.len()), (Some(0), KEPT));
    }

    #[test]
    fn a_program_that_is_not_there() {
        let output = run(&["/no/such/program".into()], &[], DEADLINE, &Interrupt::default());
        assert!(output.problem.unwrap().contains("/no/such/program could not be started"));
    }

    #[test]
    fn a_daemon_that_keeps_the_pipe_open_does_not_hold_the_run() {
        let started = Instant::now();
        let output = shell("setsid sleep 60 & echo $!", DEADLINE);
        assert!(started.elapsed() < Duration::from_secs(30));
        assert_eq!(output.exit, Some(0));
        let daemon = output.stdout.trim().parse().unwrap();
        nix::sys::signal::kill(Pid::from_raw(daemon), Signal::SIGKILL).unwrap();
    }
}
