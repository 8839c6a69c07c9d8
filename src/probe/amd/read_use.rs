use std::collections::{BTreeMap, BTreeSet};

use super::{
    answer::{KFD, Node},
    kfd,
};
use crate::probe::{GpuProcess, GpuUse, child::Lanes, live::Site, occupancy::Answer, tree::Tree};

/// The processes that use KFD, a folder for each PID.
const PROCESSES: &str = "sys/class/kfd/kfd/proc";

/// Reads who is on each GPU, in the child.
pub(in crate::probe) fn read_use(site: &Site, lanes: &Lanes<Answer>) {
    let tree = site.tree();
    let lane = lanes.open(KFD);
    lane.begin("the nodes of KFD");
    let nodes = match kfd::nodes(&tree) {
        Ok(nodes) => nodes,
        Err(why) => return lane.tell(Err(why)),
    };
    lane.begin("the processes of KFD");
    let processes = processes(&tree);
    lane.begin("the memory in use");
    for (address, ids) in gpus(&nodes) {
        let memory = |which| tree.parse(&format!("sys/bus/pci/devices/{address}/mem_info_vram_{which}"));
        let (used, total) = (memory("used"), memory("total"));
        let processes = processes.clone().map(|all| on(&all, &ids));
        lane.tell(Ok(GpuUse { pci: address, used, total, reserved: None, processes }));
    }
}

/// The GPUs by address, each with its ids: one that is partitioned has several.
fn gpus(nodes: &[Node]) -> BTreeMap<String, BTreeSet<u64>> {
    let mut gpus: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for node in nodes {
        if let (Some(address), Ok(id)) = (node.gpu_address(), &node.gpu_id) {
            gpus.entry(address).or_default().insert(*id);
        }
    }
    gpus
}

/// What KFD says of a process.
#[derive(Clone)]
struct Attached {
    pid: u32,
    name: Option<String>,
    /// Its memory by the GPU's id. Every process that uses KFD has an entry for every GPU.
    memory: BTreeMap<u64, u64>,
    /// The GPUs that it has a queue on.
    queues: BTreeSet<u64>,
}

fn processes(tree: &Tree) -> Result<Vec<Attached>, String> {
    if tree.lacks(PROCESSES) {
        return Err(format!("/{PROCESSES} is not there: the kernel is too old to list them"));
    }
    let pids = tree.names(PROCESSES)?.into_iter().filter_map(|name| name.parse().ok());
    let read = pids.map(|pid| (pid, attached(tree, pid)));
    // One that ended meanwhile is on no GPU.
    read.filter(|(pid, read)| read.is_ok() || tree.has(&format!("{PROCESSES}/{pid}"))).map(|(_, read)| read).collect()
}

fn attached(tree: &Tree, pid: u32) -> Result<Attached, String> {
    let folder = format!("{PROCESSES}/{pid}");
    let mut memory = BTreeMap::new();
    for name in tree.names(&folder)? {
        if let Some(id) = name.strip_prefix("vram_").and_then(|id| id.parse().ok()) {
            memory.insert(id, tree.parse(&format!("{folder}/{name}"))?);
        }
    }
    let queues = format!("{folder}/queues");
    // A queue may go while it is read.
    let of = |queue: String| tree.parse(&format!("{queues}/{queue}/gpuid")).ok();
    let queues = tree.names(&queues).unwrap_or_default().into_iter().filter_map(of).collect();
    let name = tree.read(&format!("proc/{pid}/comm")).ok().filter(|name| !name.is_empty());
    Ok(Attached { pid, name, memory, queues })
}

/// Those that have memory or a queue on a GPU.
fn on(all: &[Attached], ids: &BTreeSet<u64>) -> Vec<GpuProcess> {
    let process = |attached: &Attached| {
        let memory: u64 = ids.iter().filter_map(|id| attached.memory.get(id)).sum();
        let computes = !attached.queues.is_disjoint(ids);
        let known = GpuProcess { pid: attached.pid, name: attached.name.clone(), memory: Some(memory), computes };
        (computes || memory > 0).then_some(known)
    };
    let mut processes: Vec<GpuProcess> = all.iter().filter_map(process).collect();
    processes.sort_by_key(|process| process.pid);
    processes
}
