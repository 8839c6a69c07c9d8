//! KFD's topology and `amd-smi`.

use serde_json::{Value, json};

use super::folder::Folder;

/// GPUs that are all joined by one xGMI link each, as on an MI300X board.
#[derive(Clone, Debug)]
pub struct Amd {
    pub name: &'static str,
    pub driver: &'static str,
    pub gpus: Vec<AmdGpu>,
    /// CPU nodes of KFD, which come first.
    pub cpu_nodes: u32,
    /// Pairs of GPUs whose xGMI link is down: they reach each other over PCIe.
    pub xgmi_down: Vec<[usize; 2]>,
    /// Processes that use KFD.
    pub processes: Vec<AmdProcess>,
}

/// A process that uses KFD.
#[derive(Clone, Debug)]
pub struct AmdProcess {
    pub pid: u32,
    /// Its memory on each GPU.
    pub memory: [u64; 8],
    /// The GPUs that it has a queue on.
    pub queues: Vec<usize>,
}

/// A GPU.
#[derive(Clone, Debug)]
pub struct AmdGpu {
    /// `DDDD:BB:DD.F`.
    pub pci: String,
    pub numa_node: u32,
}

/// Types of KFD's io_links (Linux, include/uapi/linux/kfd_sysfs.h).
const PCIE: u32 = 2;
const XGMI: u32 = 11;
/// One hop of xGMI; PCIe counts 20 for each segment.
const XGMI_WEIGHT: u32 = 15;
const PCIE_WEIGHT: u32 = 20;
/// What the driver itself takes of a GPU's memory.
const IDLE: u64 = 283 << 20;

impl Amd {
    pub fn write(&self, folder: &Folder) {
        folder.value("sys/class/kfd/kfd/topology/generation_id", 2);
        for node in 0..self.cpu_nodes {
            let at = format!("sys/class/kfd/kfd/topology/nodes/{node}");
            folder.value(&format!("{at}/gpu_id"), 0);
            folder.text(&format!("{at}/name"), "\n");
            folder.text(
                &format!("{at}/properties"),
                "cpu_cores_count 96\nsimd_count 0\nio_links_count 4\nlocation_id 0\n",
            );
        }
        for index in 0..self.gpus.len() {
            self.write_gpu(folder, index);
        }
        folder.folder("sys/class/kfd/kfd/proc");
        for process in &self.processes {
            process.write(folder);
        }
        folder.value("sys/module/amdgpu/version", self.driver);
        folder.program(
            "usr/bin/amd-smi",
            &format!(
                "case \"$1\" in\ntopology) cat <<'END'\n{}\nEND\n;;\nstatic) cat <<'END'\n{}\nEND\n;;\n\
                 metric) cat <<'END'\n{}\nEND\n;;\n*) echo \"amd-smi: $1\" >&2; exit 2;;\nesac",
                self.topology(),
                self.statics(),
                self.metric()
            ),
        );
    }

    fn write_gpu(&self, folder: &Folder, index: usize) {
        let gpu = &self.gpus[index];
        let (domain, bus, slot) = gpu.numbers();
        let at = format!("sys/class/kfd/kfd/topology/nodes/{}", self.node(index));
        folder.value(&format!("{at}/gpu_id"), gpu_id(index));
        folder.value(&format!("{at}/name"), "ip discovery");
        let used: u64 = self.processes.iter().map(|process| process.memory[index]).sum();
        let device = format!("sys/bus/pci/devices/{}", gpu.pci);
        folder.value(&format!("{device}/mem_info_vram_used"), used + IDLE);
        folder.value(&format!("{device}/mem_info_vram_total"), 196_592_u64 << 20);
        let location = bus << 8 | slot << 3;
        let links = self.gpus.len();
        folder.text(
            &format!("{at}/properties"),
            &format!(
                "cpu_cores_count 0\nsimd_count 1216\nio_links_count {links}\ngfx_target_version 90402\n\
                 vendor_id 4098\ndevice_id 29857\nlocation_id {location}\ndomain {domain}\nhive_id 1311768467750121216\n"
            ),
        );
        // To its CPU node, then to every other GPU.
        write_link(folder, &format!("{at}/io_links/0"), PCIE, self.node(index), gpu.numa_node, PCIE_WEIGHT);
        let others = (0..links).filter(|other| *other != index && !self.is_down(index, *other));
        for (number, other) in others.enumerate() {
            let link = format!("{at}/io_links/{}", number + 1);
            write_link(folder, &link, XGMI, self.node(index), self.node(other), XGMI_WEIGHT);
        }
    }

    /// The number of a GPU's node.
    fn node(&self, index: usize) -> u32 {
        self.cpu_nodes + u32::try_from(index).unwrap()
    }

    fn is_down(&self, first: usize, second: usize) -> bool {
        self.xgmi_down.contains(&[first, second]) || self.xgmi_down.contains(&[second, first])
    }

    /// `amd-smi topology --json`.
    fn topology(&self) -> Value {
        (0..self.gpus.len())
            .map(|from| {
                let links: Value = (0..self.gpus.len()).map(|to| self.link(from, to)).collect();
                json!({"gpu": from, "bdf": self.gpus[from].pci, "links": links})
            })
            .collect()
    }

    fn link(&self, from: usize, to: usize) -> Value {
        let bdf = &self.gpus[to].pci;
        if from == to {
            return json!({
                "gpu": to, "bdf": bdf, "weight": 0, "link_status": "ENABLED", "link_type": "SELF", "num_hops": 0,
                "bandwidth": "N/A", "coherent": "SELF", "atomics": "SELF", "dma": "SELF", "bi_dir": "SELF",
            });
        }
        // Over PCIe: a segment to the CPU and one from it, with one between the sockets where they differ.
        let (weight, kind, hops, bandwidth) = match self.is_down(from, to) {
            false => (XGMI_WEIGHT, "XGMI", 1, "50000-50000"),
            true if self.gpus[from].numa_node == self.gpus[to].numa_node => (2 * PCIE_WEIGHT, "PCIE", 2, "N/A"),
            true => (2 * PCIE_WEIGHT + 12, "PCIE", 3, "N/A"),
        };
        json!({
            "gpu": to, "bdf": bdf, "weight": weight, "link_status": "ENABLED", "link_type": kind, "num_hops": hops,
            "bandwidth": bandwidth, "coherent": "C", "atomics": "64,32", "dma": "T", "bi_dir": "T",
        })
    }

    /// `amd-smi static --json`.
    fn statics(&self) -> Value {
        let gpu = |(index, gpu): (usize, &AmdGpu)| {
            json!({
                "gpu": index,
                "asic": {"market_name": self.name, "asic_serial": format!("0x{:016X}", 0x1A2B_0000 + index)},
                "bus": {"bdf": gpu.pci, "max_pcie_width": 16, "max_pcie_speed": {"value": 32, "unit": "GT/s"}},
                "ifwi": {"version": "022.040.003.043.000001"},
                "driver": {"name": "amdgpu", "version": self.driver},
                // Mebibytes, whatever the unit is called: 16 fewer than 192 GiB.
                "vram": {"type": "HBM", "size": {"value": 196592, "unit": "MB"}},
                "numa": {"node": gpu.numa_node, "affinity": gpu.numa_node},
            })
        };
        json!({"gpu_data": self.gpus.iter().enumerate().map(gpu).collect::<Value>()})
    }

    /// `amd-smi metric --json`.
    fn metric(&self) -> Value {
        let gpu = |index: usize| {
            json!({
                "gpu": index,
                "pcie": {"width": 16, "speed": {"value": 32, "unit": "GT/s"}, "replay_count": 0},
                "ecc": {"total_correctable_count": 0, "total_uncorrectable_count": 0, "total_deferred_count": 0},
            })
        };
        json!({"gpu_data": (0..self.gpus.len()).map(gpu).collect::<Value>()})
    }
}

/// Any number but 0.
fn gpu_id(index: usize) -> usize {
    40_000 + index
}

impl AmdProcess {
    fn write(&self, folder: &Folder) {
        let at = format!("sys/class/kfd/kfd/proc/{}", self.pid);
        folder.value(&format!("{at}/pasid"), 32768);
        for (index, memory) in self.memory.iter().enumerate() {
            folder.value(&format!("{at}/vram_{}", gpu_id(index)), memory);
            folder.value(&format!("{at}/sdma_{}", gpu_id(index)), 0);
        }
        for (number, index) in self.queues.iter().enumerate() {
            folder.value(&format!("{at}/queues/{number}/gpuid"), gpu_id(*index));
        }
    }
}

impl AmdGpu {
    /// Domain, bus, device.
    fn numbers(&self) -> (u32, u32, u32) {
        let mut parts = self.pci.split([':', '.']).map(|part| u32::from_str_radix(part, 16).unwrap());
        let mut next = || parts.next().unwrap();
        (next(), next(), next())
    }
}

fn write_link(folder: &Folder, at: &str, kind: u32, from: u32, to: u32, weight: u32) {
    folder.text(
        &format!("{at}/properties"),
        &format!(
            "type {kind}\nversion_major 0\nversion_minor 0\nnode_from {from}\nnode_to {to}\nweight {weight}\n\
             min_latency 0\nmax_latency 0\nmin_bandwidth 50000\nmax_bandwidth 50000\nrecommended_transfer_size 0\nflags 1\n"
        ),
    );
}
