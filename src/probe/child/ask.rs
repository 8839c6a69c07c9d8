use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Read},
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

use super::{Heard, Manner, heard::Told, protocol::Line};

/// How long a child that was killed may take to go; one that is stuck in the kernel is left behind.
const REAP: Duration = Duration::from_millis(500);
/// How long a child that has told everything may take to end by itself.
const LEAVE: Duration = Duration::from_millis(200);
/// For what was told while this process itself did not run: it was stopped, or its machine paused.
const LAST_LOOK: Duration = Duration::from_millis(50);
/// How many crashes of one source are met with another child.
const MOST_CRASHES: usize = 4;
/// What is kept of a child's complaints.
const COMPLAINT: u64 = 16 << 10;

/// Hears a source to its end. A lane that says nothing for `deadline` is given up.
///
/// After a crash, which ends every lane, another child reads what is left one lane after another, without the lane that
/// is at fault.
pub(in crate::probe) fn ask<A: DeserializeOwned + Send + 'static>(
    command: impl Fn(&Manner) -> Command,
    deadline: Duration,
) -> Heard<A> {
    let mut manner = Manner::default();
    let mut told = ask_once(command(&manner), deadline);
    for _ in 0..MOST_CRASHES {
        let Some(lane) = told.crashed_in.take() else { break };
        if !told.lane(&lane).is_some_and(|lane| lane.apart) {
            break;
        }
        if manner.alone {
            manner.without.push(lane);
        }
        manner.alone = true;
        told.amend(ask_once(command(&manner), deadline));
    }
    told.heard()
}

fn ask_once<A: DeserializeOwned + Send + 'static>(mut command: Command, deadline: Duration) -> Told<A> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Told::nothing(format!("the process that reads it could not be started: {error}")),
    };
    let ears = child.stdout.take().map(lines).transpose().and_then(|lines| {
        let complaint = child.stderr.take().map(complaint).transpose()?;
        Ok((lines, complaint))
    });
    let (lines, complaint) = match ears {
        Ok(ears) => ears,
        Err(error) => {
            stop(&mut child);
            return Told::nothing(format!("no thread could be started to hear it: {error}"));
        }
    };
    let mut hearing = Hearing::new(deadline);
    let end = lines.map_or(End::Closed, |lines| hearing.hear(&lines));
    let status = match end {
        End::Done => {
            leave(child);
            None
        }
        End::Closed => {
            let status = wait(&mut child, deadline);
            // What it started and left behind goes with it.
            let stopped = stop(&mut child);
            status.or(stopped)
        }
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

/// A lane that is not through.
struct OpenLane {
    heard: Instant,
    what: Option<String>,
}

struct Hearing<A> {
    deadline: Duration,
    heard: Instant,
    told: Told<A>,
    open: BTreeMap<String, OpenLane>,
    /// The lane that began a step last.
    begun: Option<String>,
}

impl<A: DeserializeOwned> Hearing<A> {
    fn new(deadline: Duration) -> Self {
        let told = Told { lanes: Vec::new(), broken: None, crashed_in: None };
        Self { deadline, heard: Instant::now(), told, open: BTreeMap::new(), begun: None }
    }

    fn hear(&mut self, lines: &Receiver<Line<A>>) -> End {
        loop {
            let patience = self.patience();
            match lines.recv_timeout(patience.unwrap_or(LAST_LOOK)) {
                Ok(Line::Done) => return End::Done,
                Ok(line) => self.take(line),
                Err(RecvTimeoutError::Timeout) if patience.is_none() => return End::Silent,
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
        let heard = Instant::now();
        self.heard = heard;
        if let Some(open) = line.lane().and_then(|lane| self.open.get_mut(lane)) {
            open.heard = heard;
        }
        match line {
            Line::Open { lane, apart } => {
                self.told.lane_mut(lane.clone(), apart);
                self.open.insert(lane, OpenLane { heard, what: None });
            }
            Line::Begin { lane, what } => {
                if let Some(open) = self.open.get_mut(&lane) {
                    open.what = Some(what);
                }
                self.begun = Some(lane);
            }
            Line::Told { lane, answer } => self.told.lane_mut(lane, false).answers.push(answer),
            Line::End { lane } => {
                self.open.remove(&lane);
            }
            Line::Done => {}
        }
    }

    fn conclude(self, end: End, status: Option<ExitStatus>, complaint: Option<&Receiver<String>>) -> Told<A> {
        let mut told = self.told;
        let how = match end {
            End::Done => return told,
            End::Silent => format!("gave no answer within {}", seconds(self.deadline)),
            End::Closed => {
                // Side by side, the lane that began a step last may be through: another that is in a step crashed then.
                let in_a_step = self.open.iter().filter(|(_, lane)| lane.what.is_some()).map(|(name, _)| name.clone());
                told.crashed_in = self.begun.filter(|lane| self.open.contains_key(lane)).or_else(|| {
                    let mut apart = in_a_step.filter(|name| told.lane(name).is_some_and(|lane| lane.apart));
                    apart.next()
                });
                ended(status, &complaint.and_then(|said| said.recv_timeout(LEAVE).ok()).unwrap_or_default())
            }
        };
        for (name, open) in self.open {
            let why = match open.what {
                Some(what) => format!("{what}: {how}"),
                None => how.clone(),
            };
            if let Some(lane) = told.lane(&name) {
                lane.lost = Some(why);
            }
        }
        told.broken = Some(how);
        told
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

/// Reads lines in a thread of its own. What is no line of the protocol was printed by a library before the child took
/// its output for itself, and is passed over.
fn lines<A: DeserializeOwned + Send + 'static>(from: impl Read + Send + 'static) -> io::Result<Receiver<Line<A>>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
            let Some(line) = Line::read(&String::from_utf8_lossy(&line)) else { continue };
            if sender.send(line).is_err() {
                break;
            }
        }
    })?;
    Ok(receiver)
}

fn complaint(from: impl Read + Send + 'static) -> io::Result<Receiver<String>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        let mut from = from.take(COMPLAINT);
        let _ = from.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
        // The rest is read and dropped, so that a full pipe stops nobody.
        let _ = io::copy(&mut from.into_inner(), &mut io::sink());
    })?;
    Ok(receiver)
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

/// Lets a child that has told everything end by itself; a driver takes milliseconds to let go of its GPUs.
fn leave(mut child: Child) {
    // Without a thread it is left to the kernel: it dies with the thread that started it.
    let _ = thread::Builder::new().spawn(move || wait(&mut child, LEAVE).or_else(|| stop(&mut child)));
}

/// Ends a child and what it started.
fn stop(child: &mut Child) -> Option<ExitStatus> {
    if let Ok(group) = i32::try_from(child.id()) {
        // A group that is gone already needs no signal.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    // Itself too: a library may have moved it to a group of its own.
    let _ = child.kill();
    wait(child, REAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell begins well within this, also on a machine that is busy.
    const DEADLINE: Duration = Duration::from_secs(2);

    fn shell(script: &str) -> Heard<u32> {
        let command = |_: &Manner| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        ask(command, DEADLINE)
    }

    const TWO: &str = r#"
        echo '{"open":{"lane":"GPU0","apart":false}}'; echo '{"open":{"lane":"GPU1","apart":false}}'
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
        assert!(began.elapsed() < Duration::from_secs(30));
        assert_eq!(heard.answers, [1]);
        assert_eq!(heard.lost("GPU0"), None);
        assert_eq!(heard.lost("GPU1"), Some("the name of GPU1: gave no answer within 2 s"));
    }

    #[test]
    fn what_was_told_while_nobody_listened_is_heard() {
        let (sender, lines) = mpsc::channel();
        let mut hearing = Hearing::<u32>::new(Duration::from_millis(1));
        thread::sleep(Duration::from_millis(20));
        sender.send(Line::Open { lane: "GPU0".into(), apart: false }).unwrap();
        sender.send(Line::Done).unwrap();
        assert_eq!(hearing.hear(&lines), End::Done);
    }

    #[test]
    fn a_lane_goes_on_while_another_hangs() {
        let heard = shell(&format!(
            r#"echo '{{"open":{{"lane":"GPU2","apart":false}}}}'; {TWO} for i in 1 2 3 4 5 6; do sleep 0.5; echo '{{"told":{{"lane":"GPU2","answer":9}}}}'; done; echo '{{"end":{{"lane":"GPU2"}}}}'; sleep 60"#
        ));
        assert_eq!(heard.answers, [9, 9, 9, 9, 9, 9, 1]);
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
        let heard: Heard<u32> = ask(|_| Command::new("/no/such/program"), DEADLINE);
        assert!(heard.broken().unwrap().contains("could not be started"));
    }

    #[test]
    fn a_child_that_left_its_group_is_ended_all_the_same() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert_eq!(stop(&mut child).and_then(|status| status.signal()), Some(9));
    }

    #[test]
    fn a_crash_takes_along_what_the_child_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let left = format!("sleep 60 >/dev/null 2>&1 & echo $! > {}; kill -SEGV $$", file.display());
        assert!(shell(&left).broken().unwrap().contains("SIGSEGV"));
        let process = std::path::Path::new("/proc").join(std::fs::read_to_string(file).unwrap().trim());
        let ended = || match std::fs::read_to_string(process.join("stat")) {
            Ok(stat) => stat.contains(") Z "),
            Err(_) => true,
        };
        let began = Instant::now();
        while !ended() && began.elapsed() < Duration::from_secs(5) {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(ended());
    }

    #[test]
    fn after_a_crash_the_other_lanes_are_read_without_the_one_at_fault() {
        three_lanes_of_which_the_second_crashes(false);
    }

    /// The lane that was heard last is through, and tells nothing of which one crashed.
    #[test]
    fn after_a_crash_behind_the_end_of_a_lane_the_others_are_read() {
        three_lanes_of_which_the_second_crashes(true);
    }

    /// A child that reads three lanes, of which the second crashes it: side by side all are lost, or all but the third.
    fn three_lanes_of_which_the_second_crashes(third_is_through: bool) {
        let command = |manner: &Manner| {
            let open = |lane: &str| format!(r#"echo '{{"open":{{"lane":"{lane}","apart":true}}}}';"#);
            let begin = |lane: &str| format!(r#"echo '{{"begin":{{"lane":"{lane}","what":"its name"}}}}';"#);
            let rest = |lane: &str, answer: u32| match lane {
                "b" => "kill -SEGV $$;".to_owned(),
                _ => format!(
                    r#"echo '{{"told":{{"lane":"{lane}","answer":{answer}}}}}'; echo '{{"end":{{"lane":"{lane}"}}}}';"#
                ),
            };
            let lanes = ["a", "b", "c"].into_iter().filter(|lane| !manner.without.iter().any(|left| left == lane));
            let lanes: Vec<&str> = lanes.collect();
            let mut script: String = lanes.iter().map(|lane| open(lane)).collect();
            if !manner.alone {
                script.extend(lanes.iter().map(|lane| begin(lane)));
                if third_is_through {
                    script.push_str(&rest("c", 2));
                }
                script.push_str("kill -SEGV $$;");
            }
            for (lane, answer) in lanes.iter().zip(1..) {
                script.push_str(&(begin(lane) + &rest(lane, answer)));
            }
            let mut command = Command::new("sh");
            command.args(["-c", &(script + r#"echo '"done"'"#)]);
            command
        };
        let heard: Heard<u32> = ask(command, Duration::from_secs(20));
        assert_eq!(heard.answers, [1, 2]);
        assert_eq!(heard.lost("b"), Some("its name: the process that read it was ended by SIGSEGV"));
        assert_eq!((heard.lost("a"), heard.lost("c"), heard.broken()), (None, None, None));
    }
}
