use serde_json::json;

use super::{
    host::{Host, Node},
    machine::Machine,
    nvidia::{self, Gpu},
    pci::{AMD, BROADCOM, GPU_3D, NVIDIA, PciDevice, PcieLink},
};

const GPU: u16 = 0x26b9;
const SWITCH: (u16, u16) = (BROADCOM, 0xc010);
const ROOT_PORT: (u16, u16) = (AMD, 0x1483);
const CPUS: &str = "0-63";
/// Two GPUs on each switch.
const GPUS: [&str; 4] = ["0000:43:00.0", "0000:44:00.0", "0000:83:00.0", "0000:84:00.0"];

/// A server with 4 L40S in PCIe slots, two on each switch, and two faults that an L40S's own link does not show or that
/// NCCL does not look at: GPU1 runs at x8 (a badly seated card), and the uplink of GPU2's and GPU3's switch at Gen2.
///
/// An L40S has no NVLink: the calls say "not supported" (`nvidia-smi nvlink -s` prints nothing).
pub fn pcie_l40s() -> Machine {
    let mut machine = Machine::new(host());
    let whole = PcieLink::whole(4, 16);
    switch(&mut machine, "40", whole);
    switch(&mut machine, "80", PcieLink { generation: 2, ..whole });
    machine.pci(GPUS[1]).link = Some(PcieLink { width: 8, ..whole });
    for device in &mut machine.pci {
        device.numa_node = 0;
        device.local_cpus = CPUS.to_owned();
    }
    let gpus: serde_json::Value = (0..4).zip(GPUS).map(|(index, pci)| gpu(&mut machine, index, pci)).collect();
    // Behind one switch, else the host bridges of one node.
    let ancestor = |first, second| if first / 2 == second / 2 { 10 } else { 40 };
    let pairs = nvidia::pairs(4, ancestor, [0, 0, 5, 0, 5]);
    machine.nvml = json!({"driver": "570.172.08", "cuda": 12080, "gpus": gpus, "pairs": pairs, "faults": []});
    machine
}

/// A switch with two GPUs below a host bridge of its own.
fn switch(machine: &mut Machine, root: &str, uplink: PcieLink) {
    let first = u8::from_str_radix(root, 16).unwrap();
    let port = format!("pci0000:{root}/0000:{root}:01.1");
    let top = format!("{port}/0000:{:02x}:00.0", first + 1);
    let whole = PcieLink::whole(4, 16);
    machine.pci.push(PciDevice::bridge(&port, ROOT_PORT, uplink, first + 1, first + 4));
    machine.pci.push(PciDevice::bridge(&top, SWITCH, uplink, first + 2, first + 4));
    for number in 0..2 {
        let (down, bus) = (format!("{top}/0000:{:02x}:0{number}.0", first + 2), first + 3 + number);
        machine.pci.push(PciDevice::bridge(&down, SWITCH, whole, bus, bus));
        let path = format!("{down}/0000:{bus:02x}:00.0");
        machine.pci.push(PciDevice::new(&path, GPU_3D, (NVIDIA, GPU), Some(whole)).driver("nvidia"));
    }
}

fn gpu(machine: &mut Machine, index: u32, pci: &str) -> serde_json::Value {
    let link = machine.pci(pci).link.unwrap();
    let memory = 46068 << 20;
    Gpu { index, name: "NVIDIA L40S", pci, device: GPU, memory, link, cpus: CPUS, memory_nodes: "0" }.json()
}

fn host() -> Host {
    Host {
        name: "l40s",
        kernel: "6.8.0-60-generic",
        cpus: CPUS,
        cpuinfo: "vendor_id\t: AuthenticAMD\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9354 32-Core Processor\n\
                  flags\t\t: fpu vme de pse tsc msr lm constant_tsc svm avx512f\n",
        nodes: vec![Node { number: 0, cpus: CPUS, distances: "10".to_owned(), memory_kib: 394_000_000 }],
        command_line: "BOOT_IMAGE=/boot/vmlinuz-6.8.0-60-generic ro iommu=pt",
        numa_balancing: 0,
        product: Some(("Supermicro", "AS -4125GS-TNRT")),
        iommu: Some("identity"),
        shm: "197000000k",
        locked_memory: "8388608",
        kernel_log: Vec::new(),
        services: Some(vec!["nvidia-persistenced", "ssh"]),
        fabric_manager: None,
        modules: vec!["nvidia"],
        kernel_options: "",
    }
}
