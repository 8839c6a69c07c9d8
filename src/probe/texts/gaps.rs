//! Says of every fact that no file told which file would have told it.

use std::collections::BTreeMap;

use crate::{
    facts::{Facts, Vendor},
    probe::untold::{self, Topic},
};

const LINKS: [&str; 4] =
    ["nvidia-smi-topo-m.txt", "amd-smi-topology.json", "amd-smi-topology.txt", "rocm-smi-showtopo.txt"];
/// What tells of the GPUs themselves: NVIDIA's, then AMD's.
const QUERY: [&str; 4] = ["nvidia-smi-q.xml", "nvidia-smi-q.txt", "amd-smi-static.json", "amd-smi-metric.json"];
const NVLINKS: [&str; 1] = ["nvidia-smi-nvlink-s.txt"];
const NVLINK_ERRORS: [&str; 1] = ["nvidia-smi-nvlink-e.txt"];
const PORTS: [&str; 3] = ["ibstat.txt", "ibstatus.txt", "ibv_devinfo.txt"];
const NODES: [&str; 2] = ["lscpu.txt", "numactl-H.txt"];

/// The files of a folder, to tell a file that is missing from one that does not say.
struct Files<'a>(&'a BTreeMap<String, String>);

impl Files<'_> {
    /// Why nothing is known of what these files would tell.
    fn reason(&self, names: &[&str]) -> String {
        let present: Vec<&str> = names.iter().copied().filter(|name| self.0.contains_key(*name)).collect();
        match (present.as_slice(), names) {
            ([], [one]) => format!("{one} is not there"),
            ([], [first, .., last]) if names.len() == 2 => format!("neither {first} nor {last} is there"),
            ([], _) => format!("none of {} is there", names.join(", ")),
            (present, _) => format!("{} does not say", present.join(", ")),
        }
    }
}

/// Names the missing file in every fact that nothing spoke of, and makes the pairs that a known count implies.
pub(super) fn name_gaps(facts: &mut Facts, files: &BTreeMap<String, String>) {
    let files = Files(files);
    let (links, query) = match facts.vendor.value() {
        Some(Vendor::Nvidia) => (&LINKS[..1], &QUERY[..2]),
        Some(Vendor::Amd) => (&LINKS[1..], &QUERY[2..]),
        None => (&LINKS[..], &QUERY[..]),
    };
    if let Some(count) = facts.gpu_count.value().copied().filter(|count| *count <= MOST_GPUS) {
        for a in 0..count {
            facts.gpu_mut(a);
            for b in a + 1..count {
                facts.pair_mut(a, b);
            }
        }
    }
    let identity = files.reason(&[links, query].concat());
    facts.vendor.explain(&identity);
    facts.gpu_count.explain(&identity);
    facts.nics.explain(&files.reason(links));
    facts.driver.explain(&files.reason(query));
    facts.cuda.explain(&files.reason(query));
    facts.rdma_count.explain(&files.reason(&PORTS));
    let why = |topic| why(topic, &files, links, query);
    facts.gpus.iter_mut().for_each(|gpu| untold::gpu(gpu, &why));
    facts.gpu_pairs.iter_mut().for_each(|pair| untold::pair(pair, &why));
    facts.rdma_devices.iter_mut().for_each(|device| untold::rdma(device, &why));
    untold::host(&mut facts.host, &why);
}

/// No machine has more; a larger count is a damaged text.
const MOST_GPUS: u32 = 1024;

/// Why a folder's files leave a topic untold.
fn why(topic: Topic, files: &Files<'_>, links: &[&str], query: &[&str]) -> String {
    match topic {
        Topic::Near | Topic::Pair => files.reason(links),
        Topic::Gpu => files.reason(query),
        Topic::NvLinks => files.reason(&NVLINKS),
        Topic::NvLinkErrors => files.reason(&NVLINK_ERRORS),
        Topic::AmdLink => files.reason(&LINKS[1..]),
        Topic::PeerRead => files.reason(&["nvidia-smi-topo-p2p-r.txt", "nvidia-smi-topo-p2p-rw.txt"]),
        Topic::PeerWrite => files.reason(&["nvidia-smi-topo-p2p-w.txt", "nvidia-smi-topo-p2p-rw.txt"]),
        Topic::PeerNvlink => files.reason(&["nvidia-smi-topo-p2p-n.txt"]),
        Topic::PeerAtomics => files.reason(&["nvidia-smi-topo-p2p-a.txt"]),
        Topic::Port => files.reason(&PORTS),
        Topic::Mtu | Topic::Gids => files.reason(&PORTS[2..]),
        Topic::Cpus => files.reason(&NODES),
        Topic::Virtual => files.reason(&NODES[..1]),
        Topic::KernelArguments => files.reason(&["proc-cmdline.txt"]),
        Topic::Iommu => files.reason(&["proc-cmdline.txt", "dmesg.txt"]),
        Topic::Pci => files.reason(&["lspci-vvv.txt"]),
        Topic::KernelLog => files.reason(&["dmesg.txt"]),
        Topic::Uplinks
        | Topic::NvlinkPair
        | Topic::PciPath
        | Topic::Settings
        | Topic::Services
        | Topic::GpuDirect
        | Topic::NcclEnvironment => files.reason(&["facts.json"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Fact, Origin};

    #[test]
    fn a_missing_matrix_is_named_for_every_pair_that_the_count_implies() {
        let mut facts = Facts::new(Origin::Live);
        facts.vendor = Fact::known(Vendor::Nvidia, "nvidia-smi-q.xml");
        facts.gpu_count = Fact::known(3, "nvidia-smi-q.xml");
        name_gaps(&mut facts, &BTreeMap::new());
        assert_eq!(facts.gpu_pairs.len(), 3);
        assert_eq!(facts.pair(0, 2).unwrap().class.reason(), Some("nvidia-smi-topo-m.txt is not there"));
    }

    #[test]
    fn of_an_amd_machine_the_files_of_amd_smi_are_missing() {
        let mut facts = Facts::new(Origin::Live);
        facts.vendor = Fact::known(Vendor::Amd, "amd-smi-topology.json");
        facts.gpu_mut(0);
        name_gaps(&mut facts, &BTreeMap::new());
        let reason = "neither amd-smi-static.json nor amd-smi-metric.json is there";
        assert_eq!(facts.gpus[0].name.reason(), Some(reason));
        assert_eq!(facts.driver.reason(), Some(reason));
    }

    #[test]
    fn a_file_that_is_there_is_not_called_missing() {
        let mut facts = Facts::new(Origin::Live);
        facts.gpu_mut(0);
        let files = BTreeMap::from([("nvidia-smi-q.xml".to_owned(), String::new())]);
        name_gaps(&mut facts, &files);
        assert_eq!(facts.gpus[0].name.reason(), Some("nvidia-smi-q.xml does not say"));
        assert_eq!(facts.gpus[0].vbios.reason(), Some("nvidia-smi-q.xml does not say"));
        assert_eq!(facts.gpus[0].nvlink_errors.reason(), Some("nvidia-smi-nvlink-e.txt is not there"));
    }
}
