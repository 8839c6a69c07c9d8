use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::probe::{program, tree::Tree};

/// What is shown of a program's complaint.
const LONGEST_COMPLAINT: usize = 200;

/// A program of the machine.
pub(super) fn find(tree: &Tree, name: &str) -> Result<PathBuf, String> {
    program::find(tree, name, None).ok_or_else(|| format!("{name} is not there"))
}

/// What a program prints, in the words of no language but its own.
pub(super) fn output(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let mut command = Command::new(program);
    command.args(arguments).env("LC_ALL", "C").env("SYSTEMD_COLORS", "0").stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("{name} could not be started: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    let complaint = complaint.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let complaint: String = complaint.chars().filter(|c| !c.is_control()).take(LONGEST_COMPLAINT).collect();
    Err(if complaint.is_empty() { format!("{name}: {}", output.status) } else { format!("{name}: {complaint}") })
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    #[test]
    fn a_rebuilt_machine_has_its_own_programs_only() {
        let machine = rebuilt(&[("usr/bin/cat", "no program")]);
        machine.program("usr/bin/systemctl", "echo \"$LC_ALL $1\"");
        assert_eq!(find(&machine.tree, "sh"), Err("sh is not there".to_owned()));
        assert_eq!(find(&machine.tree, "cat"), Err("cat is not there".to_owned()));
        let program = find(&machine.tree, "systemctl").unwrap();
        assert_eq!(output(&program, &["list"]), Ok("C list\n".to_owned()));
    }

    #[test]
    fn a_program_that_fails_says_why() {
        let machine = rebuilt(&[]);
        machine.program("usr/bin/loud", "echo; echo 'no bus' >&2; exit 1");
        machine.program("usr/bin/mute", "exit 3");
        let fails = |name: &str| output(&find(&machine.tree, name).unwrap(), &[]);
        assert_eq!(fails("loud"), Err("loud: no bus".to_owned()));
        assert_eq!(fails("mute"), Err("mute: exit status: 3".to_owned()));
    }
}
