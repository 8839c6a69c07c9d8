use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{amd::Amd, folder::Folder, host::Host, nvidia, pci::PciDevice, rdma::RdmaDevice};

/// A machine that is described: change what the test is about, then [`Machine::build`] it.
#[derive(Clone, Debug)]
pub struct Machine {
    pub host: Host,
    pub pci: Vec<PciDevice>,
    pub rdma: Vec<RdmaDevice>,
    /// What the stand-in for libnvidia-ml answers; null where there is no driver of NVIDIA.
    pub nvml: Value,
    /// What a machine of AMD has in place of NVML.
    pub amd: Option<Amd>,
    /// GPUs that are on the PCI bus, and that NVML does not show.
    lost: Vec<Value>,
}

/// A machine on disk, until it is dropped.
#[derive(Debug)]
pub struct Rebuilt {
    pub folder: Folder,
    others: Folder,
}

impl Machine {
    pub fn new(host: Host) -> Self {
        Self { host, pci: Vec::new(), rdma: Vec::new(), nvml: Value::Null, amd: None, lost: Vec::new() }
    }

    /// A PCI device by its address.
    pub fn pci(&mut self, address: &str) -> &mut PciDevice {
        self.pci.iter_mut().find(|device| device.address() == address).unwrap()
    }

    /// An RDMA device by its name.
    pub fn rdma(&mut self, name: &str) -> &mut RdmaDevice {
        self.rdma.iter_mut().find(|device| device.name == name).unwrap()
    }

    /// A GPU of NVML by its index.
    pub fn gpu(&mut self, index: usize) -> &mut Value {
        self.nvml["gpus"].get_mut(index).unwrap()
    }

    /// One NVLink without a signal.
    pub fn nvlink_down(&mut self, gpu: usize, slot: usize) {
        self.gpu(gpu)["nvlinks"][slot]["active"] = false.into();
    }

    /// A GPU that waits for the fabric manager.
    pub fn fabric_in_progress(&mut self, gpu: usize) {
        self.gpu(gpu)["fabric"]["state"] = 2.into();
    }

    /// A port without a cable.
    pub fn port_down(&mut self, device: &str) {
        self.rdma(device).port.down();
    }

    /// A GPU that fell off: on the PCI bus still, not in NVML. Those after it move up.
    pub fn gpu_gone_from_nvml(&mut self, index: usize) {
        let gone = self.nvml["gpus"].as_array_mut().unwrap().remove(index);
        self.lost.push(gone);
        let pairs = self.nvml["pairs"].as_array_mut().unwrap();
        let index = index as u64;
        pairs.retain(|pair| pair["gpus"][0] != index && pair["gpus"][1] != index);
        for pair in pairs {
            for end in [0, 1] {
                let gpu = pair["gpus"][end].as_u64().unwrap();
                pair["gpus"][end] = (if gpu > index { gpu - 1 } else { gpu }).into();
            }
        }
    }

    /// A fault of the stand-in for libnvidia-ml: `{"call": .., "gpu": .., "after": .., "kind": ..}`.
    pub fn nvml_fault(&mut self, fault: Value) {
        self.nvml["faults"].as_array_mut().unwrap().push(fault);
    }

    /// Writes the machine.
    pub fn build(&self) -> Rebuilt {
        let (folder, others) = (Folder::new(), Folder::new());
        self.host.write(&folder);
        // The folders are there without devices too.
        folder.folder("sys/bus/pci/devices");
        folder.folder("sys/kernel/iommu_groups");
        folder.folder("sys/class/iommu");
        // Locks of GPUs.
        folder.folder("tmp");
        // The RDMA core makes this one when it is loaded.
        if self.host.modules.contains(&"ib_core") {
            folder.folder("sys/class/infiniband");
        }
        for device in &self.pci {
            device.write(&folder);
        }
        self.write_iommu(&folder);
        for (number, device) in self.rdma.iter().enumerate() {
            folder.value(&format!("sys/class/infiniband_verbs/uverbs{number}/ibdev"), &device.name);
            folder.text(&format!("dev/infiniband/uverbs{number}"), "");
            let pci = self.pci.iter().find(|pci| pci.address() == device.pci).unwrap();
            device.write(&folder, &pci.path);
        }
        self.write_nvidia(&folder);
        if let Some(amd) = &self.amd {
            amd.write(&folder);
        }
        others.text("nvml.json", &self.nvml.to_string());
        let verbs: Map<String, Value> = self.rdma.iter().map(|device| (device.name.clone(), device.verbs())).collect();
        others.text("verbs.json", &json!({"devices": verbs}).to_string());
        Rebuilt { folder, others }
    }

    /// Each GPU and NIC in an IOMMU group of its own.
    fn write_iommu(&self, folder: &Folder) {
        let Some(kind) = self.host.iommu else { return };
        folder.folder("sys/devices/virtual/iommu/dmar0");
        folder.link("sys/class/iommu/dmar0", "sys/devices/virtual/iommu/dmar0");
        let grouped = self.pci.iter().filter(|device| matches!(device.class >> 16, 0x02 | 0x03 | 0x12));
        for (number, device) in grouped.enumerate() {
            let group = format!("sys/kernel/iommu_groups/{number}");
            folder.value(&format!("{group}/type"), kind);
            folder.link(&format!("sys/devices/{}/iommu_group", device.path), &group);
        }
    }

    fn write_nvidia(&self, folder: &Folder) {
        let Some(gpus) = self.nvml["gpus"].as_array() else { return };
        let gpus = [gpus.as_slice(), &self.lost].concat();
        let architecture = if self.host.cpuinfo.contains("CPU implementer") { "aarch64" } else { "x86_64" };
        nvidia::write_driver(folder, self.nvml["driver"].as_str().unwrap(), architecture, &gpus);
    }
}

impl Rebuilt {
    /// The root, for `--sysroot`.
    pub fn root(&self) -> &Path {
        self.folder.root()
    }

    /// The file for `LINKSPEC_FAKE_NVML`.
    pub fn nvml(&self) -> PathBuf {
        self.others.path("nvml.json")
    }

    /// The file for `LINKSPEC_FAKE_VERBS`.
    pub fn verbs(&self) -> PathBuf {
        self.others.path("verbs.json")
    }
}
