use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use serde::de::DeserializeOwned;

use super::protocol::Line;

/// How long a child that was killed may take to go; one that is stuck in the kernel is left behind.
const REAP: Duration = Duration::from_millis(500);
/// How long a child that has told everything may take to end by itself.
const LEAVE: Duration = Duration::from_millis(200);
/// What is kept of a child's complaints.
const COMPLAINT: u64 = 16 << 10;

/// What a child told.
#[derive(Debug)]
pub(in crate::probe) struct Heard<A> {
    /// Its answers, in order.
    pub(in crate::probe) answers: Vec<A>,
    /// Lanes that are not through, by name: why.
    lost: BTreeMap<String, String>,
    /// Why lanes may be missing, where the child did not end in order.
    broken: Option<String>,
}

impl<A> Heard<A> {
    /// Nothing, and why.
    pub(in crate::probe) fn nothing(reason: impl Into<String>) -> Self {
        Self { answers: Vec::new(), lost: BTreeMap::new(), broken: Some(reason.into()) }
    }

    /// Why the answers of a lane are not complete; `None` where they are.
    pub(in crate::probe) fn lost(&self, lane: &str) -> Option<&str> {
        self.lost.get(lane).map(String::as_str)
    }

    /// Each lane that is not through, and why.
    pub(in crate::probe) fn all_lost(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lost.iter().map(|(lane, why)| (lane.as_str(), why.as_str()))
    }

    /// Why there may be lanes of which nothing was heard; `None` where there are none.
    pub(in crate::probe) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }
}

/// Starts a child and hears it to its end. A lane that says nothing for `deadline` is given up.
pub(in crate::probe) fn ask<A: DeserializeOwned + Send + 'static>(
    mut command: Command,
    deadline: Duration,
) -> Heard<A> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Heard::nothing(format!("the process that reads it could not be started: {error}")),
    };
    let lines = child.stdout.take().map(lines);
    let complaint = child.stderr.take().map(complaint);
    let mut hearing = Hearing::new(deadline);
    let end = lines.map_or(End::Closed, |lines| hearing.hear(&lines));
    let status = match end {
        End::Done => wait(&mut child, LEAVE).or_else(|| stop(&mut child)),
        End::Closed => wait(&mut child, deadline).or_else(|| stop(&mut child)),
        End::Silent => {
            stop(&mut child);
            None
        }
    };
    hearing.conclude(end, status, complaint.as_ref())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It told everything.
    Done,
    /// Its output was closed before that.
    Closed,
    /// What is left says nothing any more.
    Silent,
}

struct OpenLane {
    heard: Instant,
    what: Option<String>,
}

struct Hearing<A> {
    deadline: Duration,
    heard: Instant,
    answers: Vec<A>,
    open: BTreeMap<String, OpenLane>,
}

impl<A: DeserializeOwned> Hearing<A> {
    fn new(deadline: Duration) -> Self {
        Self { deadline, heard: Instant::now(), answers: Vec::new(), open: BTreeMap::new() }
    }

    fn hear(&mut self, lines: &Receiver<Line<A>>) -> End {
        loop {
            let Some(patience) = self.patience() else { return End::Silent };
            match lines.recv_timeout(patience) {
                Ok(Line::Done) => return End::Done,
                Ok(line) => self.take(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return End::Closed,
            }
        }
    }

    /// How long the lane that was heard last may still be silent; `None` where every lane has been for too long.
    fn patience(&self) -> Option<Duration> {
        let last = self.open.values().map(|lane| lane.heard).max().unwrap_or(self.heard);
        self.deadline.checked_sub(last.elapsed()).filter(|left| !left.is_zero())
    }

    fn take(&mut self, line: Line<A>) {
        self.heard = Instant::now();
        let heard = self.heard;
        if let Some(lane) = line.lane()
            && !matches!(line, Line::Open { .. })
            && let Some(open) = self.open.get_mut(lane)
        {
            open.heard = heard;
        }
        match line {
            Line::Open { lane } => {
                self.open.insert(lane, OpenLane { heard, what: None });
            }
            Line::Begin { lane, what } => {
                if let Some(open) = self.open.get_mut(&lane) {
                    open.what = Some(what);
                }
            }
            Line::Told { answer, .. } => self.answers.push(answer),
            Line::End { lane } => {
                self.open.remove(&lane);
            }
            Line::Done => {}
        }
    }

    fn conclude(self, end: End, status: Option<ExitStatus>, complaint: Option<&Receiver<String>>) -> Heard<A> {
        let said = complaint.and_then(|complaint| complaint.recv_timeout(LEAVE).ok()).unwrap_or_default();
        let how = match end {
            End::Done => None,
            End::Silent => Some(format!("gave no answer within {}", seconds(self.deadline))),
            End::Closed => Some(ended(status, &said)),
        };
        let Some(how) = how else { return Heard { answers: self.answers, lost: BTreeMap::new(), broken: None } };
        let lost = self.open.into_iter().map(|(lane, open)| {
            let why = match open.what {
                Some(what) => format!("{what}: {how}"),
                None => how.clone(),
            };
            (lane, why)
        });
        Heard { answers: self.answers, lost: lost.collect(), broken: Some(how) }
    }
}

fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

/// How a child ended that had not told everything.
fn ended(status: Option<ExitStatus>, said: &str) -> String {
    let signal = status.and_then(|status| status.signal()).map(|signal| match Signal::try_from(signal) {
        Ok(signal) => format!("the process that read it was ended by {signal}"),
        Err(_) => format!("the process that read it was ended by signal {signal}"),
    });
    let how = signal.unwrap_or_else(|| match status.and_then(|status| status.code()) {
        Some(code) => format!("the process that read it ended with exit code {code}"),
        None => "the process that read it went away".to_owned(),
    });
    match said.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => format!("{how}: {line}"),
        None => how,
    }
}

/// Reads lines in a thread of its own. What is no line of the protocol was printed by a library, and is passed over.
fn lines<A: DeserializeOwned + Send + 'static>(from: impl Read + Send + 'static) -> Receiver<Line<A>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
            let Some(line) = Line::read(&String::from_utf8_lossy(&line)) else { continue };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn complaint(from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut from = from.take(COMPLAINT);
        let _ = from.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
        // The rest is read and dropped, so that a full pipe stops nobody.
        let _ = std::io::copy(&mut from.into_inner(), &mut std::io::sink());
    });
    receiver
}

/// Waits for a child's end, for a time.
fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if began.elapsed() < patience => thread::sleep(Duration::from_millis(1)),
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Ends a child and what it started.
fn stop(child: &mut Child) -> Option<ExitStatus> {
    if let Ok(group) = i32::try_from(child.id()) {
        // A group that is gone already needs no signal.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    wait(child, REAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Heard<u32> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        ask(command, Duration::from_millis(300))
    }

    const TWO: &str = r#"
        echo '{"open":{"lane":"GPU0"}}'; echo '{"open":{"lane":"GPU1"}}'
        echo '{"told":{"lane":"GPU0","answer":1}}'; echo '{"begin":{"lane":"GPU1","what":"the name of GPU1"}}'
        echo '{"end":{"lane":"GPU0"}}'; "#;

    #[test]
    fn a_child_that_tells_everything() {
        let heard = shell(&format!(
            r#"{TWO} echo noise; echo '{{"told":{{"lane":"GPU1","answer":2}}}}'; echo '{{"end":{{"lane":"GPU1"}}}}'; echo '"done"'"#
        ));
        assert_eq!(heard.answers, [1, 2]);
        assert_eq!((heard.broken(), heard.all_lost().count()), (None, 0));
    }

    #[test]
    fn a_lane_that_hangs_costs_its_own_answers_and_is_named() {
        let began = Instant::now();
        let heard = shell(&format!("{TWO} sleep 60"));
        assert!(began.elapsed() < Duration::from_secs(5));
        assert_eq!(heard.answers, [1]);
        assert_eq!(heard.lost("GPU0"), None);
        assert_eq!(heard.lost("GPU1"), Some("the name of GPU1: gave no answer within 0.3 s"));
    }

    #[test]
    fn a_lane_goes_on_while_another_hangs() {
        let heard = shell(&format!(
            r#"echo '{{"open":{{"lane":"GPU2"}}}}'; {TWO} for i in 1 2 3 4 5 6; do sleep 0.1; echo '{{"told":{{"lane":"GPU2","answer":9}}}}'; done; echo '{{"end":{{"lane":"GPU2"}}}}'; sleep 60"#
        ));
        assert_eq!(heard.answers, [1, 9, 9, 9, 9, 9, 9]);
        assert_eq!(heard.all_lost().count(), 1);
    }

    #[test]
    fn a_crash_is_named_with_what_was_read_and_said() {
        let heard = shell(&format!("{TWO} echo 'driver: bad pointer' >&2; kill -SEGV $$"));
        assert_eq!(heard.answers, [1]);
        let why = "the name of GPU1: the process that read it was ended by SIGSEGV: driver: bad pointer";
        assert_eq!(heard.lost("GPU1"), Some(why));
    }

    #[test]
    fn an_end_without_done_is_broken() {
        let heard = shell("exit 3");
        assert_eq!(heard.broken(), Some("the process that read it ended with exit code 3"));
    }

    #[test]
    fn a_program_that_is_not_there() {
        let heard: Heard<u32> = ask(Command::new("/no/such/program"), Duration::from_millis(300));
        assert!(heard.broken().unwrap().contains("could not be started"));
    }
}
