//! A run that is ended from outside.

use std::{
    fs,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{healthy::test, seat::Seat};

/// How long anything here may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The journal's line of the second case.
const SECOND: &str = "{\"case-started\":{\"name\":\"one::second\"}}";

/// A run whose first case passes and whose second hangs for as long as nobody ends it.
fn begin(seat: &Seat) -> (Child, Vec<u32>) {
    let tests = format!("{}{}", test("first", ""), test("second", "").replace("[1K]", "[4K]"));
    let mut command = seat.command(&tests, &[]);
    let child = quiet(&mut command).spawn().unwrap();
    let stuck = || seat.journal().contains(SECOND).then(|| ranks(child.id())).filter(|ranks| ranks.len() == 2);
    let ranks = wait_for(stuck);
    (child, ranks)
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdout(Stdio::piped()).stderr(Stdio::null())
}

/// The ranks that a process has started.
pub fn ranks(parent: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let children = threads.map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default());
    let children = children.collect::<Vec<_>>().join(" ");
    let pids = children.split_whitespace().map(|pid| pid.parse().unwrap());
    let is_rank = |pid: &u32| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split('\0').any(|word| word == "worker")
    };
    pids.filter(is_rank).collect()
}

pub fn wait_for<T>(mut what: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = what() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "it did not come");
        thread::sleep(Duration::from_millis(20));
    }
}

fn signal(pid: u32, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(pid).unwrap()), signal).unwrap();
}

/// One that has ended counts as gone before it is reaped.
fn is_gone(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_none_or(|rest| rest.is_empty() || rest.starts_with(" Z"))
}

#[test]
fn ctrl_c_ends_the_ranks_and_writes_the_reports() {
    let seat = Seat::two_h200().fault("hang:size=4096:rank=1");
    let (child, ranks) = begin(&seat);
    thread::sleep(Duration::from_millis(300));
    signal(child.id(), Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(ranks.iter().all(|rank| is_gone(*rank)), "{ranks:?}");
    let record = seat.record();
    let outcome = |case: usize| record["cases"][case]["verdict"]["outcome"].as_str().unwrap().to_owned();
    assert_eq!((outcome(0), outcome(1)), ("pass".to_owned(), "error".to_owned()));
    let junit = fs::read_to_string(seat.path("linkspec-out/one/junit.xml")).unwrap();
    assert!(junit.contains("first") && junit.contains("second"), "{junit}");
    assert!(text.contains("INTERRUPTED: 1 could not be judged, 1 passed"), "{text}");
    let findings = record["cases"][1]["verdict"]["findings"].to_string();
    assert!(findings.contains("not-finished"), "{findings}");
}

#[test]
fn ranks_end_with_linkspec() {
    let seat = Seat::two_h200().fault("hang:size=4096:rank=1");
    let (mut child, ranks) = begin(&seat);
    signal(child.id(), Signal::SIGKILL);
    child.wait().unwrap();
    let began = Instant::now();
    wait_for(|| ranks.iter().all(|rank| is_gone(*rank)).then_some(()));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // What had ended is in the journal.
    assert!(seat.journal().contains("case-finished"));
}
