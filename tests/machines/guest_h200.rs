use serde_json::json;

use super::{
    host::{Host, Node},
    machine::Machine,
    nvidia::{self, Gpu},
    pci::{GPU_3D, INTEL, NVIDIA, PciDevice, PcieLink},
};

const GPU: u16 = 0x2335;
const CPUS: &str = "0-31";
const GPUS: [&str; 2] = ["0000:00:06.0", "0000:00:07.0"];

/// A virtual machine with 2 H200 of an HGX board: everything on one root bus, `numa_node` -1, NVSwitches hidden (a
/// link's other end is a switch without an address), a fabric that completed with a cluster of zeros, no IOMMU, no
/// firmware tables, one PCIe replay. All of it is healthy. Its calls answer as a real one did.
pub fn guest_h200() -> Machine {
    let mut machine = Machine::new(host());
    // The hypervisor's host bridge, disk, console, network card and sockets; only what is passed through has a link.
    let emulated = [
        ("00", 0x06_0000, (INTEL, 0x0d57)),
        ("01", 0x01_8000, (0x1af4, 0x1042)),
        ("02", 0x01_8000, (0x1af4, 0x1042)),
        ("03", 0x02_0000, (0x1af4, 0x1041)),
        ("04", 0xff_ff00, (0x1af4, 0x1053)),
        ("05", 0xff_ff00, (0x1af4, 0x1045)),
    ];
    for (number, class, identity) in emulated {
        let mut device = PciDevice::new(&format!("pci0000:00/0000:00:{number}.0"), class, identity, None);
        device.config.size = if number == "00" { 4096 } else { 256 };
        machine.pci.push(device);
    }
    let whole = PcieLink::whole(5, 16);
    for address in GPUS {
        let path = format!("pci0000:00/{address}");
        machine.pci.push(PciDevice::new(&path, GPU_3D, (NVIDIA, GPU), Some(whole)).driver("nvidia"));
    }
    for device in &mut machine.pci {
        device.local_cpus = CPUS.to_owned();
    }
    let gpus: serde_json::Value = (0..2).zip(GPUS).map(|(index, pci)| gpu(index, pci, whole)).collect();
    // The host bridge between them, though NVLink joins them; peers over PCI alone are not supported.
    let pairs = nvidia::pairs(2, |_, _| 30, [0, 0, 0, 0, 5]);
    machine.nvml = json!({"driver": "580.159.04", "gpus": gpus, "pairs": pairs, "faults": []});
    machine
}

fn gpu(index: u32, pci: &str, link: PcieLink) -> serde_json::Value {
    let memory = 150_754_820_096;
    let mut gpu =
        Gpu { index, name: "NVIDIA H200", pci, device: GPU, memory, link, cpus: CPUS, memory_nodes: "0" }.json();
    gpu["vbios"] = "96.00.A5.00.1A".into();
    gpu["pcie"]["replays"] = (1 - index).into();
    gpu["mig"] = json!([0, 0]);
    gpu["fabric"] = json!({"state": 3});
    gpu["nvlinks"] = nvidia::nvlinks(26562, 6, &vec![None; 18]);
    for link in gpu["nvlinks"].as_array_mut().unwrap() {
        // Data CRC and ECC counts of links that are well are not zero.
        link["errors"] = json!([0, 0, 0, 8, 12]);
    }
    gpu
}

fn host() -> Host {
    Host {
        name: "guest",
        kernel: "6.18.44",
        cpus: CPUS,
        cpuinfo: "vendor_id\t: GenuineIntel\nmodel\t\t: 207\nmodel name\t: Intel(R) Xeon(R) Processor\n\
                  flags\t\t: fpu vme de pse tsc msr lm constant_tsc hypervisor avx512f\n",
        nodes: vec![Node { number: 0, cpus: CPUS, distances: "10".to_owned(), memory_kib: 263_998_500 }],
        command_line: "console=ttyS0 quiet reboot=k panic=1 swiotlb=noforce",
        numa_balancing: 0,
        product: None,
        iommu: None,
        shm: "263998500k",
        locked_memory: "8388608",
        kernel_log: Vec::new(),
        services: None,
        fabric_manager: None,
        modules: vec!["nvidia", "nvidia_uvm", "ib_core"],
        kernel_options: "",
    }
}
