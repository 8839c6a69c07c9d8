use serde_json::json;

use super::{
    host::{Host, Node},
    machine::Machine,
    nvidia::{self, Gpu},
    pci::{GPU_3D, INFINIBAND, MELLANOX, NVIDIA, PciDevice, PcieLink},
    rdma::{Port, RdmaDevice},
};

const GPU: u16 = 0x2941;
const CONNECTX7: (u16, u16) = (MELLANOX, 0x1021);
const GRACE_ROOT_PORT: (u16, u16) = (NVIDIA, 0x22b8);
/// By socket.
const CPUS: [&str; 2] = ["0-71", "72-143"];
/// PCI domains of the GPUs, and of the NICs.
const GPUS: [u32; 4] = [0x8, 0x9, 0x18, 0x19];
const NICS: [u32; 4] = [0x0, 0x2, 0x10, 0x12];
/// NUMA nodes of the GPUs' own memory. Each GPU has eight for its MIG instances, the first is in use (sglang#11208).
const MEMORY_NODES: [u32; 4] = [2, 10, 18, 26];

/// A compute tray of a GB200 NVL72: 2 Grace with 2 GPUs each, 18 NVLinks of NVLink 5 to switches in other trays, 4
/// ConnectX-7. GPUs and NICs hang on Grace by separate PCI domains: NODE or SYS, never PIX, and that is right.
pub fn gb200_tray() -> Machine {
    let mut machine = Machine::new(host());
    for (index, domain) in GPUS.into_iter().enumerate() {
        let link = PcieLink::whole(5, 16);
        let gpu = PciDevice::new(&end(domain), GPU_3D, (NVIDIA, GPU), Some(link)).driver("nvidia");
        place(&mut machine, domain, gpu, link, index / 2);
    }
    for (index, domain) in NICS.into_iter().enumerate() {
        let link = PcieLink::whole(5, 16);
        let nic = PciDevice::new(&end(domain), INFINIBAND, CONNECTX7, Some(link)).driver("mlx5_core");
        let guid = 0xa088_c203_0001_0001 + index as u64;
        let port = Port::infiniband(200 + u32::try_from(index).unwrap());
        machine.rdma.push(RdmaDevice::connectx7(&format!("mlx5_{index}"), nic.address(), guid, port));
        place(&mut machine, domain, nic, link, index / 2);
    }
    let gpus: serde_json::Value = (0..4).map(gpu).collect();
    let ancestor = |first, second| if first / 2 == second / 2 { 40 } else { 50 };
    let pairs = nvidia::pairs(4, ancestor, [0, 0, 0, 0, 5]);
    machine.nvml = json!({"driver": "580.95.05", "gpus": gpus, "pairs": pairs, "faults": []});
    machine
}

/// The path of the device behind a domain's root port.
fn end(domain: u32) -> String {
    format!("pci{domain:04x}:00/{domain:04x}:00:00.0/{domain:04x}:01:00.0")
}

/// Adds a device and the root port that it is on.
fn place(machine: &mut Machine, domain: u32, device: PciDevice, link: PcieLink, socket: usize) {
    let port = format!("pci{domain:04x}:00/{domain:04x}:00:00.0");
    for mut device in [PciDevice::bridge(&port, GRACE_ROOT_PORT, link, 1, 1), device] {
        device.numa_node = i32::try_from(socket).unwrap();
        device.local_cpus = CPUS[socket].to_owned();
        machine.pci.push(device);
    }
}

fn gpu(index: usize) -> serde_json::Value {
    let mut gpu = Gpu {
        index: u32::try_from(index).unwrap(),
        name: "NVIDIA GB200",
        pci: &format!("{:04x}:01:00.0", GPUS[index]),
        device: GPU,
        memory: 189_471 << 20,
        link: PcieLink::whole(5, 16),
        cpus: CPUS[index / 2],
        memory_nodes: &format!("{},{}", index / 2, MEMORY_NODES[index]),
    }
    .json();
    gpu["mig"] = json!([0, 0]);
    gpu["numa"] = MEMORY_NODES[index].into();
    // The fabric is larger than the tray, so that it has a cluster.
    gpu["fabric"] = json!({
        "state": 3, "cluster": "5a1e7c90-0000-4000-8000-00000000c0de", "clique": 32766, "health_mask": 2,
        "health_summary": 1,
    });
    // The switches are in other trays: no PCI address here.
    gpu["nvlinks"] = nvidia::nvlinks(53125, 7, &vec![None; 18]);
    gpu
}

fn host() -> Host {
    let mut nodes = vec![node(0, CPUS[0], 490_000_000), node(1, CPUS[1], 490_000_000)];
    nodes.extend(MEMORY_NODES.map(|number| node(number, "", 188_000_000)));
    Host {
        name: "gb200-tray",
        kernel: "6.8.0-1028-nvidia-64k",
        cpus: "0-143",
        cpuinfo: "BogoMIPS\t: 2000.00\nFeatures\t: fp asimd evtstrm aes atomics sve2\nCPU implementer\t: 0x41\n\
                  CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\nCPU revision\t: 0\n",
        nodes,
        command_line: "BOOT_IMAGE=/boot/vmlinuz-6.8.0-1028-nvidia-64k ro iommu.passthrough=1 numa_balancing=disable",
        numa_balancing: 0,
        product: Some(("NVIDIA", "GB200 NVL")),
        iommu: Some("identity"),
        shm: "490000000k",
        locked_memory: "unlimited",
        kernel_log: Vec::new(),
        services: Some(vec!["nvidia-imex", "nvidia-persistenced", "ssh"]),
        fabric_manager: None,
        modules: vec!["nvidia", "ib_core", "mlx5_core", "mlx5_ib"],
        kernel_options: "",
    }
}

/// Distances to the nodes that are there, in order: the sockets, then the GPUs.
fn node(number: u32, cpus: &'static str, memory_kib: u64) -> Node {
    let all = [0, 1, 2, 10, 18, 26];
    let distance = |other: &u32| match (number == *other, socket(number) == socket(*other)) {
        (true, _) => "10",
        (false, true) => "80",
        (false, false) => "120",
    };
    let distances: Vec<&str> = all.iter().map(distance).collect();
    Node { number, cpus, distances: distances.join(" "), memory_kib }
}

fn socket(node: u32) -> usize {
    let gpu = MEMORY_NODES.iter().position(|memory| *memory == node);
    gpu.map_or(node as usize, |gpu| gpu / 2)
}
