//! What the stand-in for libnvidia-ml answers. The keys are those of `tests/fakes/nvml/model.rs`.

use serde_json::{Value, json};

use super::{folder::Folder, pci::PcieLink};

/// A GPU that is well, without NVLinks.
pub struct Gpu<'a> {
    pub index: u32,
    pub name: &'a str,
    pub pci: &'a str,
    /// PCI device id of the GPU.
    pub device: u16,
    pub memory: u64,
    pub link: PcieLink,
    pub cpus: &'a str,
    pub memory_nodes: &'a str,
}

impl Gpu<'_> {
    pub fn json(&self) -> Value {
        let number = self.index + 1;
        json!({
            "name": self.name,
            "uuid": format!("GPU-00000000-0000-0000-0000-{number:012}"),
            "serial": format!("{}", 1_000_000_000_000_u64 + u64::from(number)),
            "vbios": "96.00.89.00.01",
            "pci": self.pci,
            "device_id": u32::from(self.device) << 16 | u32::from(super::pci::NVIDIA),
            "minor": self.index,
            "memory": self.memory,
            "pcie": {
                "gen": self.link.generation, "max_gen": self.link.generation_max, "gpu_max_gen": self.link.generation_max,
                "width": self.link.width, "max_width": self.link.width_max,
            },
            "ecc": {"mode": [1, 1]},
            "remapped": [0, 0, 0, 0],
            // Bit 0: an idle GPU, which is no throttling.
            "throttle": 1,
            "persistence": 1,
            "cpus": self.cpus,
            "memory_nodes": self.memory_nodes,
        })
    }
}

/// Links that are up, to these remote PCI addresses; `None` is one that a guest does not see.
pub fn nvlinks(speed: u32, version: u32, remotes: &[Option<String>]) -> Value {
    let link = |remote: &Option<String>| json!({"active": true, "speed": speed, "version": version, "remote_type": 2, "remote_pci": remote});
    remotes.iter().map(link).collect()
}

/// Every pair alike: ancestor by index, and peer access to read, write, NVLink, atomics, PCI.
pub fn pairs(gpus: usize, ancestor: impl Fn(usize, usize) -> u32, p2p: [u32; 5]) -> Value {
    let mut pairs = Vec::new();
    for first in 0..gpus {
        for second in first + 1..gpus {
            pairs.push(json!({"gpus": [first, second], "ancestor": ancestor(first, second), "p2p": p2p}));
        }
    }
    pairs.into()
}

/// What the driver shows below /proc: of every GPU that it drives, also of one that NVML lost.
pub fn write_driver(folder: &Folder, driver: &str, architecture: &str, gpus: &[Value]) {
    folder.text(
        "proc/driver/nvidia/version",
        &format!(
            "NVRM version: NVIDIA UNIX Open Kernel Module for {architecture}  {driver}  Release Build  (build@host)  \n\
             GCC version:  gcc version 13.3.0\n"
        ),
    );
    for gpu in gpus {
        let (text, at) = (|key: &str| gpu[key].as_str().unwrap_or_default().to_owned(), gpu["pci"].as_str().unwrap());
        folder.text(
            &format!("proc/driver/nvidia/gpus/{at}/information"),
            &format!(
                "Model: \t\t {}\nIRQ:   \t\t 41\nGPU UUID: \t {}\nVideo BIOS: \t {}\nBus Type: \t PCIe\n\
                 Bus Location: \t {at}\nDevice Minor: \t {}\nGPU Firmware: \t {driver}\nGPU Excluded:\t No\n",
                text("name"),
                text("uuid"),
                text("vbios").to_lowercase(),
                gpu["minor"]
            ),
        );
    }
}
