use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::Sender,
    thread,
    time::Instant,
};

use nix::{
    fcntl::{FcntlArg, OFlag, fcntl},
    sys::{
        signal::{Signal, kill, killpg},
        wait::{Id, WaitPidFlag, WaitStatus, waitid},
    },
    unistd::Pid,
};

use super::{RankPlan, causes::Exit};
use crate::worker::{Order, Report};

/// What is read of the end of a rank's standard error, in bytes.
const TAIL: u64 = 8 << 10;

/// The process of one rank, as the supervisor holds it.
pub(super) struct Rank {
    pub number: u32,
    pub gpu: u32,
    /// How its process ended, once it has.
    pub exit: Option<Exit>,
    /// When its process was seen to have ended.
    pub ended: Option<Instant>,
    /// When its output was closed.
    pub closed: Option<Instant>,
    /// When its last line was heard.
    pub heard: Instant,
    /// Whether it said that it ends.
    pub said_ended: bool,
    child: Child,
    /// Its input, which is never waited for: a rank that is stopped does not read it.
    orders: Option<ChildStdin>,
    /// What it has been told and its input had no room for yet.
    unsent: Vec<u8>,
    stderr: Option<PathBuf>,
}

/// What is heard from a rank.
pub(super) enum Heard {
    Report(Box<Report>),
    /// A line that is no report: a library printed it.
    Noise(String),
    /// Its output ended.
    Closed,
}

/// What is heard, and from which rank.
pub(super) type Event = (u32, Heard);

impl Rank {
    /// Starts the process, and a thread that hears it.
    pub fn start(number: u32, plan: &RankPlan, program: &Path, events: Sender<Event>) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.arg0("linkspec").args(["worker", "--parent", &std::process::id().to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        command.stderr(match &plan.stderr {
            Some(path) => File::create(path).map_err(|error| format!("{}: {error}", path.display()))?.into(),
            None => Stdio::null(),
        });
        for (name, value) in &plan.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let started = |error: io::Error| format!("{} could not be started: {error}", program.display());
        let mut child = command.spawn().map_err(started)?;
        let orders = child.stdin.take();
        let output = child.stdout.take();
        let mut rank = Self {
            number,
            gpu: plan.gpu,
            exit: None,
            ended: None,
            closed: None,
            heard: Instant::now(),
            said_ended: false,
            child,
            orders,
            unsent: Vec::new(),
            stderr: plan.stderr.clone(),
        };
        if let Some(Err(error)) = rank.orders.as_ref().map(|orders| fcntl(orders, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)))
        {
            rank.kill();
            return Err(format!("its input cannot be written without waiting: {error}"));
        }
        if let Err(error) = output.map(|output| hear(number, output, events)).transpose() {
            rank.kill();
            return Err(format!("no thread could be started to hear it: {error}"));
        }
        Ok(rank)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Tells it something. One that cannot hear any more is noticed by its end, so nothing is said of it here.
    pub fn tell(&mut self, order: &Order) {
        let Ok(mut line) = serde_json::to_vec(order) else { return };
        line.push(b'\n');
        self.unsent.append(&mut line);
        self.send();
    }

    /// Sends what it was told before and had no room for, as far as there is room now.
    pub fn send(&mut self) {
        while !self.unsent.is_empty() {
            let Some(orders) = &mut self.orders else { return };
            match orders.write(&self.unsent) {
                Ok(sent) if sent > 0 => drop(self.unsent.drain(..sent)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Ok(_) | Err(_) => self.orders = None,
            }
        }
    }

    /// Whether it has to be sent more.
    pub fn is_behind(&self) -> bool {
        self.orders.is_some() && !self.unsent.is_empty()
    }

    /// Tells it that nothing more is wanted: by word, and by the end of its input.
    pub fn call_off(&mut self) {
        self.tell(&Order::Abort);
        self.orders = None;
    }

    /// Whether its process has ended. What it started and left behind is ended with it.
    pub fn has_ended(&mut self) -> bool {
        if self.exit.is_some() {
            return true;
        }
        // Seen before it is reaped, so that its group's number is still its own when the group is ended.
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        let Some(pid) = self.process() else { return false };
        if matches!(waitid(Id::Pid(pid), flags), Ok(WaitStatus::StillAlive)) {
            return false;
        }
        let _ = killpg(pid, Signal::SIGKILL);
        let exit = match self.child.try_wait() {
            Ok(None) => return false,
            Ok(Some(status)) => match (status.signal(), status.code()) {
                (Some(signal), _) => Exit::Signal(signal_name(signal)),
                (None, Some(code)) => Exit::Code(code),
                (None, None) => Exit::Unknown,
            },
            Err(_) => Exit::Unknown,
        };
        self.exit = Some(exit);
        self.ended = Some(Instant::now());
        true
    }

    /// Sends a signal to it and what it started, unless it has ended.
    pub fn signal(&self, signal: Signal) {
        if self.exit.is_some() {
            return;
        }
        let Some(pid) = self.process() else { return };
        // A group that is gone already needs no signal.
        let _ = killpg(pid, signal);
        // Itself too: a library may have moved it to a group of its own.
        let _ = kill(pid, signal);
    }

    fn kill(&mut self) {
        self.signal(Signal::SIGKILL);
        let _ = self.child.wait();
    }

    fn process(&self) -> Option<Pid> {
        i32::try_from(self.pid()).ok().map(Pid::from_raw)
    }

    /// The last lines of its standard error, at most so many.
    pub fn last_words(&self, most: usize) -> Vec<String> {
        let read = |path: &Path| -> io::Result<Vec<u8>> {
            let mut file = File::open(path)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
            let mut bytes = Vec::new();
            file.take(TAIL).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        // A file that is not there says nothing.
        let bytes = self.stderr.as_deref().and_then(|path| read(path).ok()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(most)..].iter().map(|line| (*line).to_owned()).collect()
    }
}

fn signal_name(signal: i32) -> String {
    Signal::try_from(signal).map_or_else(|_| format!("signal {signal}"), |signal| signal.to_string())
}

/// Hears a rank in a thread of its own until its output ends or nobody listens.
fn hear(rank: u32, output: ChildStdout, events: Sender<Event>) -> io::Result<()> {
    thread::Builder::new().name(format!("rank {rank}")).spawn(move || {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            let heard = match serde_json::from_str(line.trim()) {
                Ok(report) => Heard::Report(Box::new(report)),
                Err(_) if line.trim().is_empty() => continue,
                Err(_) => Heard::Noise(line.trim().to_owned()),
            };
            // The output is read to its end all the same: a rank must not wait for a reader.
            let _ = events.send((rank, heard));
        }
        let _ = events.send((rank, Heard::Closed));
    })?;
    Ok(())
}
