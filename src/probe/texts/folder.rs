//! Which reader takes which file of a folder of saved outputs.

use std::collections::BTreeMap;

use super::{
    amdsmi_metric_json, amdsmi_static_json, amdsmi_topology_json, amdsmi_topology_text, cmdline, dmesg,
    gaps::name_gaps,
    ibstat, ibstatus, ibv_devinfo, lscpu, lspci, numactl, nvidia_nvlink,
    nvidia_p2p::{self, Capability},
    nvidia_query_text, nvidia_query_xml, nvidia_topo, rocmsmi_topo,
};
use crate::facts::Facts;

type Reader = fn(&str, &str, &mut Facts);

/// Every file and its reader. The order matters: what an empty link listing says is of the GPUs known by then.
const READERS: [(&str, Reader); 25] = [
    ("nvidia-smi-topo-m.txt", nvidia_topo::read),
    ("nvidia-smi-q.xml", nvidia_query_xml::read),
    ("nvidia-smi-q.txt", nvidia_query_text::read),
    ("nvidia-smi-nvlink-s.txt", nvidia_nvlink::read_status),
    ("nvidia-smi-nvlink-e.txt", nvidia_nvlink::read_errors),
    ("nvidia-smi-topo-p2p-r.txt", |text, file, facts| nvidia_p2p::read(text, file, Capability::Read, facts)),
    ("nvidia-smi-topo-p2p-w.txt", |text, file, facts| nvidia_p2p::read(text, file, Capability::Write, facts)),
    ("nvidia-smi-topo-p2p-rw.txt", |text, file, facts| nvidia_p2p::read(text, file, Capability::ReadWrite, facts)),
    ("nvidia-smi-topo-p2p-n.txt", |text, file, facts| nvidia_p2p::read(text, file, Capability::Nvlink, facts)),
    ("nvidia-smi-topo-p2p-a.txt", |text, file, facts| nvidia_p2p::read(text, file, Capability::Atomics, facts)),
    ("nvidia-smi-topo-p2p-p.txt", |text, file, facts| nvidia_p2p::read(text, file, Capability::Prop, facts)),
    ("amd-smi-topology.json", amdsmi_topology_json::read),
    ("amd-smi-topology.txt", amdsmi_topology_text::read),
    ("amd-smi-static.json", amdsmi_static_json::read),
    ("amd-smi-metric.json", amdsmi_metric_json::read),
    ("rocm-smi-showtopo.txt", rocmsmi_topo::read),
    ("rocm-smi-showtoponuma.txt", rocmsmi_topo::read),
    ("ibstat.txt", ibstat::read),
    ("ibstatus.txt", ibstatus::read),
    ("ibv_devinfo.txt", ibv_devinfo::read),
    ("lscpu.txt", lscpu::read),
    ("numactl-H.txt", numactl::read),
    ("lspci-vvv.txt", lspci::read),
    ("proc-cmdline.txt", cmdline::read),
    ("dmesg.txt", dmesg::read),
];

/// The names of all files that a reader takes.
pub fn file_names() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|(name, _)| *name)
}

/// Adds what the files of a folder say to the facts that were recorded beside them.
pub fn read_all(files: &BTreeMap<String, String>, recorded: Facts) -> Facts {
    let mut facts = recorded;
    for (name, reader) in READERS {
        if let Some(text) = files.get(name) {
            reader(text, name, &mut facts);
            facts.sources.insert(name.to_owned(), "read".to_owned());
        }
    }
    facts.host.join_seen();
    name_gaps(&mut facts, files);
    facts
}
