//! Runs amd-smi: in a process of its own, which the parent's deadline ends with this one.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
};

use super::answer::Subject;
use crate::probe::{program, tree::Tree};

/// What is taken of an output: a machine of 64 GPUs prints less than 1 MiB.
const MOST: u64 = 16 << 20;
/// What is taken of what amd-smi complains of.
const COMPLAINT: u64 = 16 << 10;
/// Where packages put it, beside a folder of PATH.
const INSTALLED: &str = "opt/rocm/bin/amd-smi";

/// Where amd-smi is.
pub(super) fn find(tree: &Tree) -> Result<PathBuf, String> {
    let beside = if tree.is_this_machine() { "on PATH" } else { "in /usr/bin" };
    program::find(tree, "amd-smi", Some(INSTALLED))
        .ok_or_else(|| format!("amd-smi is neither {beside} nor /{INSTALLED}"))
}

/// What `amd-smi SUBJECT --json` prints, or why there is nothing to rely on.
pub(super) fn run(program: &Path, subject: Subject) -> Result<String, String> {
    run_up_to(program, subject, MOST).map_err(|reason| format!("{}: {reason}", subject.source()))
}

fn run_up_to(program: &Path, subject: Subject, most: u64) -> Result<String, String> {
    let mut command = Command::new(program);
    command.arg(subject.word()).arg("--json").env("LC_ALL", "C");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("could not be started: {error}"))?;
    let complaint = child.stderr.take().map(|stderr| thread::spawn(move || last_line(stderr)));
    let read = child.stdout.take().map_or(Ok(Vec::new()), |stdout| up_to(stdout, most));
    let read = read.map_err(|error| format!("its output could not be read: {error}"));
    let whole = read.as_ref().is_ok_and(|bytes| bytes.len() as u64 <= most);
    if !whole {
        // One that has ended by itself needs no signal.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("its end was not seen: {error}"))?;
    let bytes = read?;
    if !whole {
        return Err(format!("it printed more than {most} bytes"));
    }
    let complaint = complaint.and_then(|thread| thread.join().ok()).unwrap_or_default();
    if !status.success() {
        return Err(failed(status, &complaint));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// One byte more than `most`, so that an output that is too long shows.
fn up_to(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn failed(status: ExitStatus, complaint: &str) -> String {
    // `exit status: 2`, or `signal: 9 (SIGKILL)`.
    match complaint {
        "" => format!("it ended with {status}"),
        line => format!("it ended with {status}: {line}"),
    }
}

/// The last line of what was complained of, without control characters.
fn last_line(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = from.by_ref().take(COMPLAINT).read_to_end(&mut bytes);
    // The rest is read and dropped, so that a full pipe stops nobody.
    let _ = io::copy(&mut from, &mut io::sink());
    let text = String::from_utf8_lossy(&bytes);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    last.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// Longer complaints are cut here.
const LONGEST: usize = 200;

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    /// A machine whose amd-smi is a script.
    fn with_script(script: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(INSTALLED);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        (folder, file)
    }

    #[test]
    fn what_it_prints() {
        let (folder, file) = with_script(r#"echo "$1 $2""#);
        assert_eq!(find(&Tree::new(folder.path())), Ok(file.clone()));
        assert_eq!(run(&file, Subject::Static), Ok("static --json\n".to_owned()));
    }

    #[test]
    fn how_it_failed() {
        let (_folder, file) = with_script("echo '[]'; echo first >&2; echo 'no driver' >&2; exit 3");
        let reason = "amd-smi metric --json: it ended with exit status: 3: no driver";
        assert_eq!(run(&file, Subject::Metric), Err(reason.to_owned()));
    }

    #[test]
    fn an_output_without_end() {
        let (_folder, file) = with_script("while :; do echo 'again and again and again'; done");
        assert_eq!(run_up_to(&file, Subject::Metric, 1000), Err("it printed more than 1000 bytes".to_owned()));
    }

    #[test]
    fn where_it_was_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let reason = "amd-smi is neither in /usr/bin nor /opt/rocm/bin/amd-smi";
        assert_eq!(find(&Tree::new(folder.path())), Err(reason.to_owned()));
    }
}
