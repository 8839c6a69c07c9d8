//! For the tests: an AMD server as a tree of files, and what a child would tell of it.

use std::{fmt::Write, fs, os::unix::fs::symlink, path::Path, process::Command, time::Duration};

use super::{
    answer::{Answer, Node, Subject},
    kfd, read,
};
use crate::{
    facts::{Facts, Origin},
    probe::{
        child::{self, Manner},
        live::Silence,
        tree::Tree,
    },
};

/// A server whose first node is a CPU, and whose GPUs are joined each with each.
pub(super) struct Machine {
    folder: tempfile::TempDir,
    gpus: u32,
    pub(super) answers: Vec<Answer>,
    /// The lane that tells nothing within the deadline.
    pub(super) hanging: Option<Subject>,
}

/// The PCI address of a GPU.
pub(super) fn address(gpu: u32) -> String {
    format!("0000:{:02x}:00.0", bus(gpu))
}

const fn bus(gpu: u32) -> u32 {
    0x0c + 0x10 * gpu
}

impl Machine {
    /// `links` gives the type and weight of each link; none where it gives none. Nodes are numbered against the order
    /// of the addresses.
    pub(super) fn new(gpus: u32, links: impl Fn(u32, u32) -> Option<(u32, u32)>) -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap(), gpus, answers: Vec::new(), hanging: None };
        let node = |gpu: u32| gpus - gpu;
        machine.file("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0");
        machine.file("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 96\nsimd_count 0");
        for folder in ["io_links", "mem_banks"] {
            fs::create_dir_all(machine.path(&format!("sys/class/kfd/kfd/topology/nodes/0/{folder}"))).unwrap();
        }
        for gpu in 0..gpus {
            let folder = format!("sys/class/kfd/kfd/topology/nodes/{}", node(gpu));
            machine.file(&format!("{folder}/gpu_id"), &format!("{}", 51_000 + gpu));
            let properties = format!("simd_count 1216\nlocation_id {}\ndomain 0", bus(gpu) << 8);
            machine.file(&format!("{folder}/properties"), &properties);
            machine.file(&format!("{folder}/mem_banks/0/properties"), "heap_type 1\nsize_in_bytes 206141652992");
            machine.file(&format!("{folder}/io_links/0/properties"), "type 2\nnode_to 0\nweight 20");
            for other in (0..gpus).filter(|other| *other != gpu) {
                let Some((kind, weight)) = links(gpu, other) else { continue };
                let kept = if kind == 2 { "p2p_links" } else { "io_links" };
                let text = format!("type {kind}\nnode_to {}\nweight {weight}", node(other));
                machine.file(&format!("{folder}/{kept}/{}/properties", other + 1), &text);
            }
            machine.device(gpu);
        }
        machine.file("sys/module/amdgpu/version", "6.12.12");
        machine
    }

    fn device(&self, gpu: u32) {
        let port = format!("sys/devices/pci0000:00/0000:00:{gpu:02x}.0");
        let own = format!("{port}/{}", address(gpu));
        for (folder, width) in [(&port, "16"), (&own, "16")] {
            self.file(&format!("{folder}/max_link_speed"), "32.0 GT/s PCIe");
            self.file(&format!("{folder}/max_link_width"), width);
            self.file(&format!("{folder}/current_link_speed"), "32.0 GT/s PCIe");
            self.file(&format!("{folder}/current_link_width"), width);
        }
        self.file(&format!("{own}/numa_node"), if gpu < 4 { "0" } else { "1" });
        self.file(&format!("{own}/local_cpulist"), if gpu < 4 { "0-47" } else { "48-95" });
        let link = self.path(&format!("sys/bus/pci/devices/{}", address(gpu)));
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(format!("../../../devices/pci0000:00/0000:00:{gpu:02x}.0/{}", address(gpu)), link).unwrap();
    }

    pub(super) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    }

    /// What a command of amd-smi printed, or why nothing.
    pub(super) fn says(mut self, subject: Subject, output: Result<&str, &str>) -> Self {
        let output = output.map(str::to_owned).map_err(str::to_owned);
        self.answers.push(Answer::Output(subject, output));
        self
    }

    /// amd-smi is not there.
    pub(super) fn without_amd_smi(self) -> Self {
        Subject::ALL.into_iter().fold(self, |machine, subject| machine.says(subject, Err("amd-smi is not there")))
    }

    /// `amd-smi topology --json`, with the type, status and weight of each link.
    pub(super) fn topology(&self, link: impl Fn(u32, u32) -> (&'static str, &'static str, u32)) -> String {
        let one = |from: u32| {
            let links: Vec<String> = (0..self.gpus)
                .map(|to| {
                    let (kind, status, weight) = if from == to { ("SELF", "ENABLED", 0) } else { link(from, to) };
                    format!(
                        r#"{{"gpu": {to}, "bdf": "{}", "weight": {weight}, "link_status": "{status}", "link_type": "{kind}", "num_hops": 1}}"#,
                        address(to)
                    )
                })
                .collect();
            format!(r#"{{"gpu": {from}, "bdf": "{}", "links": [{}]}}"#, address(from), links.join(","))
        };
        format!("[{}]", (0..self.gpus).map(one).collect::<Vec<_>>().join(","))
    }

    /// The facts after a read, and what the source says of the rest.
    pub(super) fn facts(self) -> (Facts, Silence) {
        let mut facts = Facts::new(Origin::Fake);
        let silence = self.fill(&mut facts);
        (facts, silence)
    }

    pub(super) fn fill(mut self, facts: &mut Facts) -> Silence {
        let tree = Tree::new(self.folder.path());
        let nodes = kfd::nodes(&tree);
        for address in nodes.iter().flatten().filter_map(Node::gpu_address) {
            self.answers.push(Answer::Device(Box::new(read::device(&tree, address))));
        }
        self.answers.push(Answer::Driver(tree.read("sys/module/amdgpu/version")));
        self.answers.push(Answer::Nodes(nodes));
        super::fill(self.heard(), facts)
    }

    /// The answers through the pipe of a child.
    fn heard(&self) -> child::Heard<Answer> {
        let mut lines = String::new();
        let told = |answer: &Answer| serde_json::json!({ "told": { "lane": "any", "answer": answer } }).to_string();
        self.answers.iter().for_each(|answer| writeln!(lines, "{}", told(answer)).unwrap());
        let end = match self.hanging {
            None => "echo '\"done\"'".to_owned(),
            Some(subject) => {
                let (lane, what) = (subject.lane(), subject.source());
                writeln!(lines, "{}", serde_json::json!({ "open": { "lane": lane, "apart": false } })).unwrap();
                writeln!(lines, "{}", serde_json::json!({ "begin": { "lane": lane, "what": what } })).unwrap();
                "sleep 60".to_owned()
            }
        };
        self.file("lines", &lines);
        let script = format!("cat '{}'; {end}", self.path("lines").display());
        let command = |_: &Manner| {
            let mut command = Command::new("sh");
            command.arg("-c").arg(&script);
            command
        };
        child::ask(command, Duration::from_secs(if self.hanging.is_some() { 3 } else { 30 }))
    }
}
