use crate::{facts::Fact, probe::tree::Tree, units::IndexList};

const ONLINE: &str = "sys/devices/system/cpu/online";
const STATUS: &str = "proc/self/status";

/// The number of CPUs that are online.
pub(super) fn online(tree: &Tree) -> Fact<u32> {
    let list = tree.parse::<IndexList>(ONLINE);
    Fact::told(list.map(|list| u32::try_from(list.0.len()).unwrap_or(u32::MAX)), "/sys/devices/system/cpu/online")
}

/// The CPUs that this process may use, and so a rank that it starts: a cgroup or an affinity may leave fewer.
pub(super) fn allowed(tree: &Tree) -> Fact<IndexList> {
    let read = || {
        let text = tree.read(STATUS)?;
        let list = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let list = list.ok_or_else(|| format!("/{STATUS} has no line Cpus_allowed_list"))?;
        list.trim().parse().map_err(|error| format!("/{STATUS}: {error}"))
    };
    Fact::told(read(), "/proc/self/status")
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    #[test]
    fn a_cgroup_leaves_fewer_than_there_are() {
        let machine = rebuilt(&[
            (ONLINE, "0-191\n"),
            (STATUS, "Name:\tlinkspec\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,96-99\nMems_allowed_list:\t0\n"),
        ]);
        assert_eq!(online(&machine.tree).value(), Some(&192));
        assert_eq!(allowed(&machine.tree).value().map(ToString::to_string).as_deref(), Some("0-3,96-99"));
    }

    #[test]
    fn what_is_missing_or_odd_is_unknown() {
        let machine = rebuilt(&[(ONLINE, "all\n"), (STATUS, "Name:\tlinkspec\n")]);
        assert!(online(&machine.tree).reason().unwrap().contains("\"all\""));
        assert_eq!(allowed(&machine.tree).reason(), Some("/proc/self/status has no line Cpus_allowed_list"));
    }
}
