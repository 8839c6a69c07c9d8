//! The machines of the records.

use linkspec::facts::{Damage, Fact, Facts, Gpu, LostGpu, Origin, Vendor};

/// A live server of eight GPUs with nothing wrong that the facts show.
pub fn live() -> Facts {
    let mut facts = Facts::new(Origin::Live);
    facts.vendor = Fact::known(Vendor::Nvidia, "NVML");
    facts.gpu_count = Fact::known(8, "NVML");
    facts.gpus = (0..8).map(|index| gpu(index, "NVML")).collect();
    facts.driver = Fact::known("550.54.15".into(), "NVML");
    facts.cuda = Fact::known("12.4".into(), "NVML");
    facts.libraries.insert("NCCL".into(), Fact::known("2.21.5".into(), "libnccl.so.2"));
    facts
}

/// Two files from a ticket, one of them damaged, of a server that has lost a GPU.
pub fn ticket() -> Facts {
    let mut facts = Facts::new(Origin::Saved { path: "tickets/4711".into() });
    facts.vendor = Fact::known(Vendor::Nvidia, "nvidia-smi-topo-m.txt");
    facts.gpus = (0..3).map(Gpu::new).collect();
    facts.gpu_count = Fact::unknown("nvidia-smi-topo-m.txt ends within its table");
    facts.lost_gpus.push(LostGpu {
        pci_address: "0000:9B:00.0".into(),
        source: "nvidia-smi-nvlink-s.txt".into(),
        quote: "Unable to determine the device handle for GPU0000:9B:00.0: GPU is lost.".into(),
    });
    let row = "GPU3\tNV18\tNV18\tNV";
    facts.damage = vec![
        Damage::new("nvidia-smi-topo-m.txt", 5, row, "the row has 3 of 4 cells"),
        Damage::of_file("nvidia-smi-topo-m.txt", "the legend is missing"),
    ];
    for (source, said) in [
        ("nvidia-smi-topo-m.txt", "read"),
        ("nvidia-smi-nvlink-s.txt", "read"),
        ("ibstat.txt", "not there"),
        ("ibv_devinfo.txt", "not there"),
        ("nvidia-smi-q.xml", "not there"),
        ("dmesg.txt", "cannot be read: permission denied"),
    ] {
        facts.sources.insert(source.into(), said.into());
    }
    facts
}

fn gpu(index: u32, source: &str) -> Gpu {
    let mut gpu = Gpu::new(index);
    gpu.name = Fact::known("NVIDIA H100 80GB HBM3".into(), source);
    gpu.uuid = Fact::known(format!("GPU-00000000-0000-0000-0000-00000000000{index}"), source);
    gpu.pci_address = Fact::known(format!("0000:{:02x}:00.0", 0x19 + 0x10 * index), source);
    gpu.serial = if index == 5 {
        Fact::unknown("the driver gives none")
    } else {
        Fact::known(format!("165042300010{index}"), source)
    };
    gpu
}
