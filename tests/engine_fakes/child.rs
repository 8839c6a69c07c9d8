//! Processes of this test's own file: each does one job, with an environment of its own, as what the stand-ins play is
//! read from there once.

use std::{
    env,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Four GPUs.
pub const GPUS: &str = "0000:1b:00.0,0000:3d:00.0,0000:9a:00.0,0000:dc:00.0";

/// A process that does a job.
pub fn start(job: &str, environment: &[(&str, &str)]) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "work_of_a_child", "--ignored", "--nocapture", "--test-threads=1"]);
    // Some jobs are to fail; a trace of each takes a second.
    command
        .env("RUST_BACKTRACE", "0")
        .env("JOB", job)
        .env("LINKSPEC_FAKE_GPUS", GPUS)
        .env("LINKSPEC_FAKE_NCCL", "22809");
    command.envs(environment.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What a process left; one that does not end is killed, which is no output.
pub fn end(mut child: Child) -> Option<Output> {
    const PATIENCE: Duration = Duration::from_secs(30);
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        thread::sleep(Duration::from_millis(2));
    }
    Some(child.wait_with_output().unwrap())
}

/// What a job told, line by line.
pub fn told(child: Child) -> Vec<String> {
    let output = end(child).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    // The harness writes a line's beginning of its own.
    text(&output.stdout).lines().filter_map(|line| line.split_once("told: ")).map(|(_, told)| told.to_owned()).collect()
}
