//! Where a pin puts the process that drives a GPU.

use crate::{
    facts::{Gpu, Host, NumaNode},
    spec::Pin,
    units::IndexList,
};

/// CPUs and memory of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The CPUs that it runs on; `None` leaves it where it is.
    pub cpus: Option<IndexList>,
    /// The NUMA nodes that its memory comes from; `None` leaves that to the kernel. On a machine with one node it is
    /// always `None`: there is nothing to choose, and containers that forbid the choice do no harm.
    pub nodes: Option<IndexList>,
}

/// What a pin means for the process of one GPU. The error is a fragment with its cure.
///
/// CPUs are cut to those that a process may use here. On a machine where one node has CPUs, every pin to a node is that
/// node.
pub fn placement(pin: &Pin, gpu: &Gpu, host: &Host) -> Result<Placement, String> {
    let nodes = match pin {
        Pin::None => return Ok(Placement::default()),
        Pin::Cpus(cpus) => return on_cpus(cpus, host),
        Pin::GpuLocal | Pin::GpuRemote | Pin::Node(_) => known_nodes(host)?,
    };
    let with_cpus: Vec<&NumaNode> = nodes.iter().filter(|node| !node.cpus.0.is_empty()).collect();
    let chosen: Vec<&NumaNode> = match pin {
        _ if with_cpus.len() == 1 => with_cpus,
        Pin::Node(number) => vec![node(*number, &with_cpus)?],
        _ => {
            let near = near_nodes(gpu, nodes)?;
            let remote = *pin == Pin::GpuRemote;
            let chosen: Vec<_> = with_cpus.into_iter().filter(|node| near.contains(node.index) != remote).collect();
            if chosen.is_empty() {
                return Err(if remote {
                    format!("no NUMA node with CPUs is remote from GPU{}, which is near {near}", gpu.index)
                } else {
                    format!("NUMA node {near} of GPU{} has no CPUs: {CURE}", gpu.index)
                });
            }
            chosen
        }
    };
    let cpus = allowed(chosen.iter().flat_map(|node| node.cpus.0.iter().copied()).collect(), &chosen, host)?;
    let memory = (nodes.len() > 1).then(|| chosen.iter().map(|node| node.index).collect());
    Ok(Placement { cpus: Some(cpus), nodes: memory })
}

/// What to write where the machine does not say enough for a pin by the GPU.
const CURE: &str = "name a node (`pin: node:N`), or leave the process where it is (`pin: none`)";

fn known_nodes(host: &Host) -> Result<&[NumaNode], String> {
    let nodes = host.numa_nodes.require().map_err(|reason| {
        format!("the NUMA nodes are not known ({reason}): name CPUs (`pin: cpus:LIST`), or none (`pin: none`)")
    })?;
    if nodes.iter().all(|node| node.cpus.0.is_empty()) {
        return Err("no NUMA node has CPUs: name CPUs (`pin: cpus:LIST`), or none (`pin: none`)".to_owned());
    }
    Ok(nodes)
}

fn node<'a>(number: u32, with_cpus: &[&'a NumaNode]) -> Result<&'a NumaNode, String> {
    with_cpus.iter().find(|node| node.index == number).copied().ok_or_else(|| {
        let there: IndexList = with_cpus.iter().map(|node| node.index).collect();
        format!("there is no NUMA node {number} with CPUs: there are {there}")
    })
}

fn near_nodes<'a>(gpu: &'a Gpu, nodes: &[NumaNode]) -> Result<&'a IndexList, String> {
    let unknown = |reason: &str| format!("the NUMA node of GPU{} is not known ({reason}): {CURE}", gpu.index);
    let near = gpu.numa_nodes.require().map_err(unknown)?;
    let is_there = |index: &u32| nodes.iter().any(|node| node.index == *index);
    match near.0.iter().find(|index| !is_there(index)) {
        // A node that is not there would make every node remote.
        Some(missing) => Err(unknown(&format!("it is said to be {missing}, which is not there"))),
        None if near.0.is_empty() => Err(unknown("it is near none")),
        None => Ok(near),
    }
}

/// The CPUs of nodes that a process may use.
fn allowed(cpus: IndexList, of: &[&NumaNode], host: &Host) -> Result<IndexList, String> {
    let Some(allowed) = host.allowed_cpus.value() else { return Ok(cpus) };
    let rest: IndexList = cpus.0.intersection(&allowed.0).copied().collect();
    if rest.0.is_empty() {
        let of: IndexList = of.iter().map(|node| node.index).collect();
        return Err(format!(
            "of the CPUs of NUMA node {of} ({cpus}) this process may use none: its cgroup or affinity allows {allowed}"
        ));
    }
    Ok(rest)
}

/// CPUs by number, with memory from their nodes where these are known.
fn on_cpus(cpus: &IndexList, host: &Host) -> Result<Placement, String> {
    let refused = |there: &IndexList| -> Option<IndexList> {
        let missing: IndexList = cpus.0.difference(&there.0).copied().collect();
        (!missing.0.is_empty()).then_some(missing)
    };
    let nodes = host.numa_nodes.value().map_or(&[][..], Vec::as_slice);
    let there: IndexList = nodes.iter().flat_map(|node| node.cpus.0.iter().copied()).collect();
    if let Some(missing) = refused(&there).filter(|_| !there.0.is_empty()) {
        return Err(format!("there is no CPU {missing}: there are {there}"));
    }
    if let Some((allowed, missing)) = host.allowed_cpus.value().and_then(|allowed| Some((allowed, refused(allowed)?))) {
        return Err(format!("this process may not use CPU {missing}: its cgroup or affinity allows {allowed}"));
    }
    let theirs = nodes.iter().filter(|node| !node.cpus.0.is_disjoint(&cpus.0));
    let memory = (nodes.len() > 1).then(|| theirs.map(|node| node.index).collect());
    Ok(Placement { cpus: Some(cpus.clone()), nodes: memory })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Fact;

    fn list(text: &str) -> IndexList {
        if text.is_empty() { IndexList::default() } else { text.parse().unwrap() }
    }

    fn host(nodes: &[&str]) -> Host {
        let nodes = nodes.iter().zip(0..).map(|(cpus, index)| NumaNode::new(index, list(cpus))).collect();
        Host { numa_nodes: Fact::known(nodes, "sysfs"), ..Host::default() }
    }

    fn gpu(near: Option<&str>) -> Gpu {
        let mut gpu = Gpu::new(3);
        gpu.numa_nodes = near.map_or_else(|| Fact::unknown("numa_node is -1"), |near| Fact::known(list(near), "NVML"));
        gpu
    }

    /// CPUs and nodes as texts, `-` for `None`; or the error.
    fn placed(pin: &str, near: Option<&str>, host: &Host) -> Result<(String, String), String> {
        let placement = placement(&pin.parse().unwrap(), &gpu(near), host)?;
        let text = |list: Option<IndexList>| list.map_or_else(|| "-".to_owned(), |list| list.to_string());
        Ok((text(placement.cpus), text(placement.nodes)))
    }

    fn to(cpus: &str, nodes: &str) -> Result<(String, String), String> {
        Ok((cpus.to_owned(), nodes.to_owned()))
    }

    #[test]
    fn two_sockets() {
        let host = host(&["0-3,8-11", "4-7,12-15"]);
        assert_eq!(placed("gpu-local", Some("1"), &host), to("4-7,12-15", "1"));
        assert_eq!(placed("gpu-remote", Some("1"), &host), to("0-3,8-11", "0"));
        assert_eq!(placed("gpu-local", Some("0-1"), &host), to("0-15", "0-1"));
        assert_eq!(placed("node:0", None, &host), to("0-3,8-11", "0"));
        assert_eq!(placed("cpus:4,5", None, &host), to("4-5", "1"));
        assert_eq!(placed("cpus:3,4", None, &host), to("3-4", "0-1"));
        assert_eq!(placed("none", None, &host), to("-", "-"));
    }

    #[test]
    fn remote_is_every_other_node() {
        let host = host(&["0", "1", "2", "3"]);
        assert_eq!(placed("gpu-remote", Some("2"), &host), to("0-1,3", "0-1,3"));
        let error = placed("gpu-remote", Some("0-3"), &host).unwrap_err();
        assert_eq!(error, "no NUMA node with CPUs is remote from GPU3, which is near 0-3");
    }

    #[test]
    fn one_node_is_every_node_and_binds_no_memory() {
        for pin in ["gpu-local", "gpu-remote", "node:0", "node:1"] {
            assert_eq!(placed(pin, None, &host(&["0-31"])), to("0-31", "-"), "{pin}");
        }
        assert_eq!(placed("cpus:2", None, &host(&["0-31"])), to("2", "-"));
    }

    #[test]
    fn nodes_of_gpu_memory_are_no_place_for_a_process() {
        let two = host(&["0-71", "72-143", "", "", "", ""]);
        assert_eq!(placed("gpu-remote", Some("0"), &two), to("72-143", "1"));
        assert_eq!(placed("gpu-local", Some("1"), &two), to("72-143", "1"));
        let error = placed("node:2", None, &two).unwrap_err();
        assert_eq!(error, "there is no NUMA node 2 with CPUs: there are 0-1");
        let error = placed("gpu-local", Some("2"), &two).unwrap_err();
        assert!(error.starts_with("NUMA node 2 of GPU3 has no CPUs: name a node"), "{error}");
        // One node with CPUs beside one of GPU memory: memory can still go wrong.
        assert_eq!(placed("gpu-remote", None, &host(&["0-71", ""])), to("0-71", "0"));
    }

    #[test]
    fn an_unknown_node_of_the_gpu_needs_another_pin() {
        let two = host(&["0-3", "4-7"]);
        for pin in ["gpu-local", "gpu-remote"] {
            let error = placed(pin, None, &two).unwrap_err();
            assert!(error.starts_with("the NUMA node of GPU3 is not known (numa_node is -1): name a node"), "{error}");
            assert!(error.contains("`pin: node:N`") && error.contains("`pin: none`"), "{error}");
        }
        for near in ["", "7", "0,7"] {
            assert!(placed("gpu-local", Some(near), &two).is_err(), "{near}");
            assert!(placed("gpu-remote", Some(near), &two).is_err(), "{near}");
        }
    }

    #[test]
    fn a_node_or_cpu_that_is_not_there() {
        let two = host(&["0-3", "4-7"]);
        assert_eq!(placed("node:4", None, &two).unwrap_err(), "there is no NUMA node 4 with CPUs: there are 0-1");
        assert_eq!(placed("cpus:6-9", None, &two).unwrap_err(), "there is no CPU 8-9: there are 0-7");
    }

    #[test]
    fn what_the_cgroup_forbids() {
        let mut two = host(&["0-3", "4-7"]);
        two.allowed_cpus = Fact::known(list("2-3"), "status");
        assert_eq!(placed("gpu-local", Some("0"), &two), to("2-3", "0"));
        let error = placed("gpu-local", Some("1"), &two).unwrap_err();
        assert!(error.contains("NUMA node 1 (4-7)") && error.ends_with("its cgroup or affinity allows 2-3"), "{error}");
        assert_eq!(placed("cpus:2", None, &two), to("2", "0"));
        // A CPU that was named is wanted, and not some other.
        assert!(placed("cpus:2,4", None, &two).unwrap_err().contains("may not use CPU 4"));
    }

    #[test]
    fn unknown_nodes_leave_cpus_and_none() {
        let unknown = Host::default();
        for pin in ["gpu-local", "gpu-remote", "node:0"] {
            assert!(placed(pin, Some("0"), &unknown).unwrap_err().starts_with("the NUMA nodes are not known ("));
        }
        assert_eq!(placed("cpus:5", None, &unknown), to("5", "-"));
        assert_eq!(placed("none", None, &unknown), to("-", "-"));
        assert!(placed("gpu-local", Some("0"), &host(&[])).is_err());
    }
}
