use crate::{
    facts::{Fact, Switch},
    probe::tree::Tree,
};

const NUMA_BALANCING: &str = "proc/sys/kernel/numa_balancing";

/// The host's name.
pub(super) fn name(tree: &Tree) -> Fact<String> {
    text(tree, "proc/sys/kernel/hostname")
}

/// The kernel's release.
pub(super) fn release(tree: &Tree) -> Fact<String> {
    text(tree, "proc/sys/kernel/osrelease")
}

/// Automatic NUMA balancing: 0 is off, 1 moves pages between nodes, 2 between tiers of memory.
pub(super) fn numa_balancing(tree: &Tree) -> Fact<Switch> {
    let mode = tree.parse::<u32>(NUMA_BALANCING);
    Fact::told(mode.map(|mode| if mode == 0 { Switch::Off } else { Switch::On }), "/proc/sys/kernel/numa_balancing")
}

/// A file of one line that may not be empty.
fn text(tree: &Tree, path: &str) -> Fact<String> {
    let source = format!("/{path}");
    let read =
        tree.read(path).and_then(|text| if text.is_empty() { Err(format!("{source} is empty")) } else { Ok(text) });
    Fact::told(read, &source)
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    #[test]
    fn names_and_the_reason_why_there_is_none() {
        let machine = rebuilt(&[("proc/sys/kernel/hostname", "node7\n"), ("proc/sys/kernel/osrelease", "\n")]);
        assert_eq!(name(&machine.tree), Fact::known("node7".to_owned(), "/proc/sys/kernel/hostname"));
        assert_eq!(release(&machine.tree).reason(), Some("/proc/sys/kernel/osrelease is empty"));
    }

    #[test]
    fn every_mode_but_zero_is_on() {
        for (text, expected) in
            [("0\n", Some(Switch::Off)), ("1\n", Some(Switch::On)), ("2\n", Some(Switch::On)), ("?", None)]
        {
            let machine = rebuilt(&[(NUMA_BALANCING, text)]);
            assert_eq!(numa_balancing(&machine.tree).value().copied(), expected, "{text}");
        }
    }
}
