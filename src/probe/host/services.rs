use std::collections::BTreeMap;

use super::{aliases, program};
use crate::probe::tree::Tree;

/// The command whose output is read.
pub(super) const COMMAND: &str = "systemctl list-units --type=service --all";
const ARGUMENTS: [&str; 6] = ["list-units", "--type=service", "--all", "--plain", "--no-legend", "--no-pager"];
/// Every word of the column ACTIVE.
///
/// Source: systemd, src/basic/unit-def.c.
const STATES: [&str; 8] =
    ["active", "reloading", "inactive", "failed", "activating", "deactivating", "maintenance", "refreshing"];

/// Every service that systemd has loaded, by each of its names, with its state; what is not among them does not run.
pub(super) fn services(tree: &Tree) -> Result<BTreeMap<String, String>, String> {
    let program = program::find(tree, "systemctl")?;
    let mut services = listed(&program::output(&program, &ARGUMENTS)?)?;
    aliases::add(tree, &mut services)?;
    Ok(services)
}

fn listed(text: &str) -> Result<BTreeMap<String, String>, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let services: Option<BTreeMap<String, String>> = lines.map(service).collect();
    match services {
        Some(services) if services.is_empty() => Err("systemctl lists no service".to_owned()),
        Some(services) => Ok(services),
        None => Err("systemctl prints lines that are no services".to_owned()),
    }
}

/// `ssh.service loaded active running OpenBSD Secure Shell server`; some versions mark a unit that failed.
fn service(line: &str) -> Option<(String, String)> {
    let mut columns = line.split_whitespace();
    let first = columns.next()?;
    let name = if first.ends_with(".service") { first } else { columns.next()? };
    let state = columns.nth(1).filter(|state| STATES.contains(state))?;
    Some((name.strip_suffix(".service")?.to_owned(), state.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    const THREE: &str = "cat <<'END'\n\
        nvidia-fabricmanager.service loaded    active   running NVIDIA fabric manager service\n\
        openibd.service              not-found inactive dead    openibd.service\n\
        * nvidia-persistenced.service loaded   failed   failed  NVIDIA Persistence Daemon\n\
        END\n";

    #[test]
    fn three_services() {
        let machine = rebuilt(&[]);
        assert_eq!(services(&machine.tree), Err("systemctl is not there".to_owned()));
        machine.program("usr/bin/systemctl", THREE);
        let expected = [("nvidia-fabricmanager", "active"), ("nvidia-persistenced", "failed"), ("openibd", "inactive")];
        let expected = expected.map(|(name, state)| (name.to_owned(), state.to_owned()));
        assert_eq!(services(&machine.tree), Ok(expected.clone().into()));
        machine.link("etc/systemd/system/mlnx-openibd.service", "/lib/systemd/system/openibd.service");
        let told = services(&machine.tree).unwrap();
        assert_eq!((told.len(), told["mlnx-openibd"].as_str()), (4, "inactive"));
    }

    /// Names with escapes and instances, the sign of a unit that failed, and colours that the user's shell asks for.
    #[test]
    fn units_as_systemd_prints_them() {
        let machine = rebuilt(&[]);
        let script = "test \"$SYSTEMD_COLORS\" = 0 || printf '\\033[0m'\ncat <<'END'\n\
            systemd-fsck@dev-disk-by\\x2duuid-1.service loaded active exited File System Check\n\
            \u{25cf} opensm@mlx5_0.service loaded failed failed Subnet manager\nEND\n";
        machine.program("usr/bin/systemctl", script);
        let expected = [("opensm@mlx5_0", "failed"), ("systemd-fsck@dev-disk-by\\x2duuid-1", "active")];
        let expected = expected.map(|(name, state)| (name.to_owned(), state.to_owned()));
        assert_eq!(services(&machine.tree), Ok(expected.into()));
    }

    #[test]
    fn a_listing_that_is_not_whole_is_none() {
        assert_eq!(listed("\n"), Err("systemctl lists no service".to_owned()));
        for damaged in ["ssh.service loaded active running\ncron.serv", "ssh.service loaded running active"] {
            assert_eq!(listed(damaged), Err("systemctl prints lines that are no services".to_owned()), "{damaged}");
        }
    }

    #[test]
    fn a_machine_without_systemd_says_so() {
        let machine = rebuilt(&[]);
        let script =
            "echo 'System has not been booted with systemd as init system (PID 1). Can'\"'\"'t operate.' >&2; exit 1";
        machine.program("usr/bin/systemctl", script);
        assert!(services(&machine.tree).unwrap_err().starts_with("systemctl: System has not been booted with systemd"));
    }
}
