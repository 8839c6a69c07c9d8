use std::{fs, path::Path, thread, time::Duration};

/// Between two looks at a process that sleeps uninterruptibly: one that merely reads a disk is through by then.
const SECOND_LOOK: Duration = Duration::from_millis(50);

/// A process as the kernel sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// Its state: `D` where any of its threads is in it, else that of its first thread; `None` where it is gone.
    pub state: Option<char>,
    /// The function of the kernel that this thread sleeps in, where the kernel says so.
    pub sleeps_in: Option<String>,
}

/// Looks at a process.
pub(super) fn look(pid: u32) -> Look {
    let found = look_once(pid);
    if found.state != Some('D') {
        return found;
    }
    thread::sleep(SECOND_LOOK);
    look_once(pid)
}

fn look_once(pid: u32) -> Look {
    let process = Path::new("/proc").join(pid.to_string());
    let state = |folder: &Path| fs::read_to_string(folder.join("stat")).ok().and_then(|stat| state(&stat));
    let threads = fs::read_dir(process.join("task")).into_iter().flatten().flatten().map(|entry| entry.path());
    let stuck = threads.into_iter().find(|thread| state(thread) == Some('D'));
    let folder = stuck.unwrap_or(process);
    // 0 where it runs, or where the kernel does not tell.
    let function = fs::read_to_string(folder.join("wchan")).ok().filter(|name| !matches!(name.trim(), "" | "0"));
    Look { state: state(&folder), sleeps_in: function.map(|name| name.trim().to_owned()) }
}

/// The state in a line of `/proc/PID/stat`: it follows the name, which may hold anything, in brackets.
fn state(stat: &str) -> Option<char> {
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use nix::{
        sys::signal::{Signal, kill},
        unistd::Pid,
    };

    use super::*;

    #[test]
    fn a_state_follows_the_name() {
        assert_eq!(state("12 (a) (b) S 1 2"), Some('S'));
        assert_eq!(state("12"), None);
    }

    #[test]
    fn a_stopped_process_and_one_that_is_gone() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        kill(pid, Signal::SIGSTOP).unwrap();
        while look(child.id()).state != Some('T') {
            thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(look(child.id()), Look::default());
    }
}
