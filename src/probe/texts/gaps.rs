//! Says of every fact that no file told which file would have told it.

use std::collections::BTreeMap;

use crate::facts::{EccCounts, Fact, Facts, Gpu, GpuPair, Host, PcieLink, RdmaDevice, RemappedRows, Vendor};

const LINKS: [&str; 4] =
    ["nvidia-smi-topo-m.txt", "amd-smi-topology.json", "amd-smi-topology.txt", "rocm-smi-showtopo.txt"];
const QUERY: [&str; 2] = ["nvidia-smi-q.xml", "nvidia-smi-q.txt"];
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
    let links = match facts.vendor.value() {
        Some(Vendor::Nvidia) => &LINKS[..1],
        Some(Vendor::Amd) => &LINKS[1..],
        None => &LINKS[..],
    };
    if let Some(count) = facts.gpu_count.value().copied().filter(|count| *count <= MOST_GPUS) {
        for a in 0..count {
            facts.gpu_mut(a);
            for b in a + 1..count {
                facts.pair_mut(a, b);
            }
        }
    }
    let identity = files.reason(&[links, &QUERY].concat());
    facts.vendor.explain(&identity);
    facts.gpu_count.explain(&identity);
    facts.nics.explain(&files.reason(links));
    facts.driver.explain(&files.reason(&QUERY));
    facts.cuda.explain(&files.reason(&QUERY));
    facts.rdma_count.explain(&files.reason(&PORTS));
    facts.gpus.iter_mut().for_each(|gpu| gpu_gaps(gpu, &files, links));
    facts.gpu_pairs.iter_mut().for_each(|pair| pair_gaps(pair, &files, links));
    facts.rdma_devices.iter_mut().for_each(|device| port_gaps(device, &files));
    host_gaps(&mut facts.host, &files);
}

/// No machine has more; a larger count is a damaged text.
const MOST_GPUS: u32 = 1024;

/// Takes a GPU apart field by field, so that the compiler asks of a new fact which file tells it.
fn gpu_gaps(
    Gpu {
        index: _,
        name,
        uuid,
        serial,
        vbios,
        pci_address,
        memory,
        numa_nodes,
        cpus,
        nvlinks,
        nvlink_errors,
        pcie: PcieLink { generation, generation_max, width, width_max, under_load: _, replays },
        ecc,
        ecc_volatile,
        ecc_aggregate,
        remapped_rows: RemappedRows { correctable, uncorrectable, pending, failure },
        fabric_state,
        persistence,
        mig,
        throttle_reasons,
    }: &mut Gpu,
    files: &Files<'_>,
    links: &[&str],
) {
    let query = files.reason(&QUERY);
    explain_all([name, uuid, serial, vbios, pci_address], &query);
    explain_all([ecc, persistence, mig], &query);
    explain_all([correctable, uncorrectable, replays], &query);
    explain_all([pending, failure], &query);
    for EccCounts { corrected, uncorrected } in [ecc_volatile, ecc_aggregate] {
        explain_all([corrected, uncorrected], &query);
    }
    explain_all([generation, generation_max, width, width_max], &query);
    memory.explain(&query);
    fabric_state.explain(&query);
    throttle_reasons.explain(&query);
    nvlinks.explain(&files.reason(&NVLINKS));
    nvlink_errors.explain(&files.reason(&NVLINK_ERRORS));
    explain_all([numa_nodes, cpus], &files.reason(links));
}

fn pair_gaps(pair: &mut GpuPair, files: &Files<'_>, links: &[&str]) {
    pair.class.explain(&files.reason(links));
    explain_all([&mut pair.weight, &mut pair.hops], &files.reason(&LINKS[1..]));
    for (fact, names) in [
        (&mut pair.p2p_read, &["nvidia-smi-topo-p2p-r.txt", "nvidia-smi-topo-p2p-rw.txt"][..]),
        (&mut pair.p2p_write, &["nvidia-smi-topo-p2p-w.txt", "nvidia-smi-topo-p2p-rw.txt"]),
        (&mut pair.p2p_nvlink, &["nvidia-smi-topo-p2p-n.txt"]),
        (&mut pair.p2p_atomics, &["nvidia-smi-topo-p2p-a.txt"]),
    ] {
        fact.explain(&files.reason(names));
    }
}

fn port_gaps(device: &mut RdmaDevice, files: &Files<'_>) {
    let (ports, verbs) = (files.reason(&PORTS), files.reason(&PORTS[2..]));
    explain_all([&mut device.firmware, &mut device.board], &ports);
    for port in &mut device.ports {
        port.state.explain(&ports);
        explain_all([&mut port.physical_state, &mut port.width, &mut port.link_layer], &ports);
        port.rate.explain(&ports);
        explain_all([&mut port.active_mtu, &mut port.max_mtu], &verbs);
        port.gids.explain(&verbs);
    }
}

fn host_gaps(host: &mut Host, files: &Files<'_>) {
    host.numa_nodes.explain(&files.reason(&NODES));
    host.virtual_machine.explain(&files.reason(&NODES[..1]));
    host.kernel_arguments.explain(&files.reason(&["proc-cmdline.txt"]));
    host.iommu.explain(&files.reason(&["proc-cmdline.txt", "dmesg.txt"]));
    host.bridges.explain(&files.reason(&["lspci-vvv.txt"]));
    host.kernel_log.explain(&files.reason(&["dmesg.txt"]));
    host.kernel_log_lines.explain(&files.reason(&["dmesg.txt"]));
}

fn explain_all<T, const N: usize>(facts: [&mut Fact<T>; N], reason: &str) {
    facts.into_iter().for_each(|fact| fact.explain(reason));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Origin;

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
