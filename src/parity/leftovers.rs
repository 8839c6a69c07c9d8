use std::{
    fs, thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// The variable by which the processes of one run are told from all others.
pub(super) const MARK: &str = "LINKSPEC_PARITY_RUN";
/// How long killed processes may take to go.
const PATIENCE: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_millis(20);

/// Ends what a run has left: a launcher that is killed may leave its ranks, which are in groups of their own. The error
/// is a fragment that names the processes which do not go.
pub(super) fn end_leftovers(mark: &str) -> Result<(), String> {
    let began = Instant::now();
    loop {
        let left = marked(mark);
        if left.is_empty() {
            return Ok(());
        }
        for pid in &left {
            // One that is gone meanwhile needs no signal.
            let _ = kill(*pid, Signal::SIGKILL);
        }
        if began.elapsed() >= PATIENCE {
            let pids: Vec<String> = left.iter().map(ToString::to_string).collect();
            return Err(format!("processes {} do not end: they are inside the driver", pids.join(", ")));
        }
        thread::sleep(TICK);
    }
}

/// The processes with the mark. Those of other users cannot be read, and are none of ours; of one that has ended but not
/// been waited for nothing can be read either.
fn marked(mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let is_marked = |environment: Vec<u8>| environment.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes());
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        fs::read(entry.path().join("environ")).is_ok_and(is_marked).then(|| Pid::from_raw(pid))
    });
    pids.collect()
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::process::CommandExt,
        process::{Command, Stdio},
    };

    use super::*;

    #[test]
    fn only_what_has_the_mark_is_ended() {
        let own = format!("{}-leftovers", std::process::id());
        let start =
            |mark: &str| Command::new("sleep").arg("60").env(MARK, mark).stdin(Stdio::null()).process_group(0).spawn();
        let (mut ours, mut other) = (start(&own).unwrap(), start(&format!("{own}-other")).unwrap());
        while marked(&own).is_empty() {
            thread::sleep(TICK);
        }
        end_leftovers(&own).unwrap();
        assert!(!ours.wait().unwrap().success());
        assert_eq!(other.try_wait().unwrap(), None);
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(end_leftovers(&own), Ok(()));
    }
}
