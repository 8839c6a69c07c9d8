//! The live machine: what can be read of it without a vendor's library.
//!
//! Everything is read below an injectable root, so that any machine can be rebuilt in a test.

use std::{collections::BTreeMap, fs, path::Path};

use super::nccl_settings;
use crate::{
    facts::{Fact, Facts, NumaNode, Origin, Switch},
    units::IndexList,
};

/// Reads the machine below `root`, which is `/` but for tests.
///
/// `environment` holds the variables that the process was given, and `home` the folder of its user.
pub fn live(root: &Path, home: Option<&Path>, environment: &BTreeMap<String, String>) -> Facts {
    let mut facts = Facts::new(Origin::Live);
    let tree = Tree { root };
    gpus(&tree, &mut facts);
    rdma(&tree, &mut facts);
    host(&tree, &mut facts);
    nccl_settings::read(root, home, environment, &mut facts.host);
    facts
}

/// Files below a root. What cannot be read is a reason, never a value.
struct Tree<'a> {
    root: &'a Path,
}

impl Tree<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let text = fs::read_to_string(self.root.join(path)).map_err(|error| format!("/{path}: {error}"))?;
        Ok(text.trim_end().to_owned())
    }

    fn names(&self, path: &str) -> Result<Vec<String>, String> {
        let entries = fs::read_dir(self.root.join(path)).map_err(|error| format!("/{path}: {error}"))?;
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn has(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }
}

/// What each vendor's driver leaves in the file system when it is loaded.
const DRIVERS: [(&str, &str); 2] = [("NVIDIA GPUs", "proc/driver/nvidia/version"), ("AMD GPUs", "sys/class/kfd")];

fn gpus(tree: &Tree<'_>, facts: &mut Facts) {
    for (name, path) in DRIVERS {
        let line = if tree.has(path) {
            format!("the driver is loaded (/{path}), but this version reads GPUs from saved outputs only: see --host")
        } else {
            format!("not looked for: no driver is loaded (/{path} is not there)")
        };
        facts.sources.insert(name.to_owned(), line);
    }
    let reason = "no GPU of this machine could be looked for: no driver is loaded";
    let reason = match DRIVERS.iter().find(|(_, path)| tree.has(path)) {
        Some((name, _)) => format!("the live {name} are not read by this version"),
        None => reason.to_owned(),
    };
    facts.vendor = Fact::unknown(&reason);
    facts.gpu_count = Fact::unknown(&reason);
    facts.nics = Fact::unknown(&reason);
    facts.driver = Fact::unknown(&reason);
}

fn rdma(tree: &Tree<'_>, facts: &mut Facts) {
    let path = "sys/class/infiniband";
    let line = match tree.names(path) {
        Err(_) => format!("not looked for: no RDMA driver is loaded (/{path} is not there)"),
        Ok(names) => {
            for name in &names {
                facts.rdma_mut(name);
            }
            format!("{} devices, whose ports this version reads from saved outputs only: see --host", names.len())
        }
    };
    facts.rdma_count = Fact::unknown(&line);
    facts.sources.insert("RDMA devices".to_owned(), line);
}

fn host(tree: &Tree<'_>, facts: &mut Facts) {
    let fact = |path: &str| match tree.read(path) {
        Ok(text) => Fact::known(text, format!("/{path}")),
        Err(reason) => Fact::unknown(reason),
    };
    let host = &mut facts.host;
    host.name = fact("proc/sys/kernel/hostname");
    host.kernel_arguments = fact("proc/cmdline").map(|text| text.split_whitespace().map(str::to_owned).collect());
    host.numa_balancing = match tree.read("proc/sys/kernel/numa_balancing").as_deref() {
        Ok("0") => Fact::known(Switch::Off, "/proc/sys/kernel/numa_balancing"),
        Ok(text) if text.bytes().all(|b| b.is_ascii_digit()) => {
            Fact::known(Switch::On, "/proc/sys/kernel/numa_balancing")
        }
        Ok(text) => Fact::unknown(format!("/proc/sys/kernel/numa_balancing: {text:?} is no number")),
        Err(reason) => Fact::unknown(reason),
    };
    host.numa_nodes = numa_nodes(tree);
    host.cpus = match tree.read("sys/devices/system/cpu/online").map(|text| text.parse::<IndexList>()) {
        Ok(Ok(list)) => Fact::known(u32::try_from(list.0.len()).unwrap_or(u32::MAX), "/sys/devices/system/cpu/online"),
        Ok(Err(error)) => Fact::unknown(format!("/sys/devices/system/cpu/online: {error}")),
        Err(reason) => Fact::unknown(reason),
    };
    host.memlock = memlock(tree);
    let known = [host.kernel_arguments.reason(), host.numa_nodes.reason(), host.cpus.reason()];
    let gaps: Vec<&str> = known.into_iter().flatten().collect();
    let line = if gaps.is_empty() { "read from /proc and /sys".to_owned() } else { gaps.join("; ") };
    facts.sources.insert("host".to_owned(), line);
}

fn numa_nodes(tree: &Tree<'_>) -> Fact<Vec<NumaNode>> {
    let path = "sys/devices/system/node";
    let read = || -> Result<Vec<NumaNode>, String> {
        let numbers = tree.names(path)?.into_iter().filter_map(|name| name.strip_prefix("node")?.parse::<u32>().ok());
        let mut nodes = Vec::new();
        for index in numbers {
            let file = format!("{path}/node{index}/cpulist");
            let text = tree.read(&file)?;
            // A node that holds only memory has an empty list.
            let cpus = if text.is_empty() { Ok(IndexList::default()) } else { text.parse() };
            nodes.push(NumaNode { index, cpus: cpus.map_err(|error| format!("/{file}: {error}"))? });
        }
        nodes.sort_by_key(|node| node.index);
        Ok(nodes)
    };
    match read() {
        Ok(nodes) if nodes.is_empty() => Fact::unknown(format!("/{path} lists no node")),
        Ok(nodes) => Fact::known(nodes, format!("/{path}")),
        Err(reason) => Fact::unknown(reason),
    }
}

/// The soft limit of this process: what a rank started from here would get.
fn memlock(tree: &Tree<'_>) -> Fact<Option<crate::units::Size>> {
    let path = "proc/self/limits";
    let text = match tree.read(path) {
        Ok(text) => text,
        Err(reason) => return Fact::unknown(reason),
    };
    let line = text.lines().find_map(|line| line.strip_prefix("Max locked memory"));
    let soft = line.and_then(|rest| rest.split_whitespace().next());
    match soft.map(|soft| (soft, soft.parse())) {
        Some(("unlimited", _)) => Fact::known(None, format!("/{path}")),
        Some((_, Ok(bytes))) => Fact::known(Some(crate::units::Size(bytes)), format!("/{path}")),
        Some(_) | None => Fact::unknown(format!("/{path} shows no limit on locked memory")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn a_machine_without_drivers_says_so_source_by_source() {
        let root = tree(&[]);
        let facts = live(root.path(), None, &BTreeMap::new());
        assert_eq!(facts.gpu_count.value(), None);
        for source in ["NVIDIA GPUs", "AMD GPUs", "RDMA devices"] {
            assert!(facts.sources[source].starts_with("not looked for:"), "{source}: {}", facts.sources[source]);
        }
        assert!(facts.host.numa_nodes.reason().unwrap().contains("/sys/devices/system/node"));
    }

    #[test]
    fn nodes_with_and_without_cpus() {
        let root = tree(&[
            ("sys/devices/system/node/node0/cpulist", "0-3\n"),
            ("sys/devices/system/node/node10/cpulist", "\n"),
            ("sys/devices/system/node/online", "0,10\n"),
        ]);
        let facts = live(root.path(), None, &BTreeMap::new());
        let nodes = facts.host.numa_nodes.value().unwrap();
        assert_eq!(nodes.iter().map(|node| (node.index, node.cpus.0.len())).collect::<Vec<_>>(), [(0, 4), (10, 0)]);
    }
}
