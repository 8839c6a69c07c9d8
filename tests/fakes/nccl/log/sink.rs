//! Where lines go, and which are asked for: `NCCL_DEBUG`, `NCCL_DEBUG_SUBSYS`, `NCCL_DEBUG_FILE`.

use std::{
    env,
    fs::File,
    io::{self, Write},
    process,
    sync::{Mutex, OnceLock, PoisonError},
};

use nix::libc;

use crate::runtime;

struct Sink {
    output: Mutex<Box<dyn Write + Send>>,
    level: u8,
    subsystems: Vec<String>,
    is_inverted: bool,
    host: String,
}

const WARN: u8 = 2;
const INFO: u8 = 3;

fn sink() -> &'static Sink {
    static SINK: OnceLock<Sink> = OnceLock::new();
    SINK.get_or_init(Sink::open)
}

impl Sink {
    fn open() -> Self {
        let level = match env::var("NCCL_DEBUG").unwrap_or_default().to_ascii_uppercase().as_str() {
            "VERSION" => 1,
            "WARN" => WARN,
            "INFO" => INFO,
            "ABORT" | "TRACE" => INFO + 1,
            _ => 0,
        };
        let list = env::var("NCCL_DEBUG_SUBSYS").unwrap_or_else(|_| "INIT,BOOTSTRAP,ENV".to_owned());
        let subsystems = list.trim_start_matches('^').split(',').map(str::to_ascii_uppercase).collect();
        let host = host();
        let output = Mutex::new(output(&host));
        Self { output, level, subsystems, is_inverted: list.starts_with('^'), host }
    }

    fn speaks_of(&self, subsystems: &[&str]) -> bool {
        let is_listed = |name: &&str| self.subsystems.iter().any(|listed| listed == name || listed == "ALL");
        subsystems.iter().any(is_listed) != self.is_inverted
    }

    fn write(&self, time: &str, words: &str, text: &str) {
        let (host, process, device) = (&self.host, process::id(), runtime::device().unwrap_or(0));
        // SAFETY: a call without arguments.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) };
        let line = format!("{time}{host}:{process}:{thread} [{device}] {words} {text}\n");
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk is no reason to stop computing.
        let _ = output.write_all(line.as_bytes()).and_then(|()| output.flush());
    }
}

/// The host's name up to the first dot.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().split('.').next().filter(|name| !name.is_empty()).unwrap_or("node0").to_owned()
}

/// The file of `NCCL_DEBUG_FILE`, with `%h` for the host and `%p` for the process; else standard output.
fn output(host: &str) -> Box<dyn Write + Send> {
    let named = env::var("NCCL_DEBUG_FILE").ok().filter(|name| !name.is_empty());
    let name = named.map(|name| name.replace("%h", host).replace("%p", &process::id().to_string()));
    match name.and_then(|name| File::create(name).ok()) {
        Some(file) => Box::new(file),
        None => Box::new(io::stdout()),
    }
}

/// A line of one of the subsystems.
pub fn info(subsystems: &[&str], text: &str) {
    if sink().level >= INFO && sink().speaks_of(subsystems) {
        sink().write("", "NCCL INFO", text);
    }
}

/// A warning, with its time.
pub fn warn(text: &str) {
    if sink().level >= WARN {
        let time = chrono::Local::now().format("[%Y-%m-%d %H:%M:%S] ").to_string();
        sink().write(&time, "init.cc:1 NCCL WARN", text);
    }
}
