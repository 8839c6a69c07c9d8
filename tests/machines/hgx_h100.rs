use serde_json::json;

use super::{
    host::{Host, Node},
    machine::Machine,
    nvidia::{self, Gpu},
    pci::{BROADCOM, ETHERNET, GPU_3D, INFINIBAND, INTEL, MELLANOX, NVIDIA, NVSWITCH, PciDevice, PcieLink},
    rdma::{Port, RdmaDevice},
};

const GPU: u16 = 0x2330;
const MEMORY: u64 = 81559 << 20;
const CONNECTX7: (u16, u16) = (MELLANOX, 0x1021);
const SWITCH: (u16, u16) = (BROADCOM, 0xc030);
const ROOT_PORT: (u16, u16) = (INTEL, 0x352a);

/// Root bus, and buses of the switch: upstream port, downstream ports, NIC, GPU. By GPU; as on a DGX H100.
const SWITCHES: [[u8; 5]; 8] = [
    [0x15, 0x16, 0x17, 0x18, 0x1b],
    [0x3d, 0x3e, 0x3f, 0x40, 0x43],
    [0x4c, 0x4d, 0x4e, 0x4f, 0x52],
    [0x5b, 0x5c, 0x5d, 0x5e, 0x61],
    [0x97, 0x98, 0x99, 0x9a, 0x9d],
    [0xbd, 0xbe, 0xbf, 0xc0, 0xc3],
    [0xcb, 0xcc, 0xcd, 0xce, 0xd1],
    [0xd9, 0xda, 0xdb, 0xdc, 0xdf],
];
/// The compute NIC of each GPU: reversed, with those of the front end between them (NVIDIA/nccl#1453, #933).
const COMPUTE: [u32; 8] = [11, 10, 9, 6, 5, 4, 3, 0];
/// Nodes 0 and 2: each socket has two (sub-NUMA clustering), and the GPUs are on one of them.
const CPUS: [&str; 4] = ["0-27,112-139", "28-55,140-167", "56-83,168-195", "84-111,196-223"];

/// HGX H100: 8 GPUs over 4 NVSwitches, each GPU with a ConnectX-7 behind one PCIe switch, two dual-port cards of the
/// front end. The same machine as the recording `hgx-h100-healthy`, without that one's unplugged ports.
pub fn hgx_h100() -> Machine {
    let mut machine = Machine::new(host());
    for (gpu, buses) in SWITCHES.iter().enumerate() {
        switch(&mut machine, gpu, *buses);
    }
    nvswitches(&mut machine);
    // The front end, far from every GPU; and storage, NODE to four. A NIC without a GPU is no fault.
    card(&mut machine, ["26", "29"], 1, [1, 2]);
    card(&mut machine, ["a8", "ab"], 2, [7, 8]);
    machine.rdma.sort_by_key(|device| device.name.trim_start_matches("mlx5_").parse::<u32>().unwrap());
    machine.nvml = nvml();
    machine
}

fn node(gpu: usize) -> usize {
    if gpu < 4 { 0 } else { 2 }
}

/// A root port, a switch of three ports, a NIC and a GPU.
fn switch(machine: &mut Machine, gpu: usize, [root, upstream, down, nic, end]: [u8; 5]) {
    let whole = PcieLink::whole(5, 16);
    let port = format!("pci0000:{root:02x}/0000:{root:02x}:01.0");
    let top = format!("{port}/0000:{upstream:02x}:00.0");
    let (to_nic, to_gpu) = (format!("{top}/0000:{down:02x}:00.0"), format!("{top}/0000:{down:02x}:01.0"));
    let address = format!("0000:{nic:02x}:00.0");
    let devices = [
        PciDevice::bridge(&port, ROOT_PORT, whole, upstream, end),
        PciDevice::bridge(&top, SWITCH, whole, down, end),
        PciDevice::bridge(&to_nic, SWITCH, whole, nic, nic),
        PciDevice::bridge(&to_gpu, SWITCH, whole, end, end),
        PciDevice::new(&format!("{to_nic}/{address}"), INFINIBAND, CONNECTX7, Some(whole)).driver("mlx5_core"),
        PciDevice::new(&format!("{to_gpu}/0000:{end:02x}:00.0"), GPU_3D, (NVIDIA, GPU), Some(whole)).driver("nvidia"),
    ];
    place(machine, devices, node(gpu));
    let number = COMPUTE[gpu];
    let port = Port::infiniband(100 + number);
    machine.rdma.push(RdmaDevice::connectx7(&format!("mlx5_{number}"), &address, guid(number), port));
}

/// Four NVSwitches behind a PCIe switch of the board.
fn nvswitches(machine: &mut Machine) {
    let link = PcieLink::whole(4, 2);
    let (port, top) = ("pci0000:00/0000:00:0c.0", "pci0000:00/0000:00:0c.0/0000:04:00.0");
    let mut devices = vec![PciDevice::bridge(port, ROOT_PORT, link, 4, 9), PciDevice::bridge(top, SWITCH, link, 5, 9)];
    for number in 0..4 {
        let (down, bus) = (format!("{top}/0000:05:0{number}.0"), 6 + number);
        devices.push(PciDevice::bridge(&down, SWITCH, link, bus, bus));
        let path = format!("{down}/0000:0{bus}:00.0");
        devices.push(PciDevice::new(&path, NVSWITCH, (NVIDIA, 0x22a3), Some(link)).driver("nvidia-nvswitch"));
    }
    place(machine, devices, 0);
}

/// A card with two ports, directly on a root port.
fn card(machine: &mut Machine, [root, bus]: [&str; 2], node: usize, numbers: [u32; 2]) {
    let whole = PcieLink::whole(5, 16);
    let port = format!("pci0000:{root}/0000:{root}:01.0");
    let number = u8::from_str_radix(bus, 16).unwrap();
    let mut devices = vec![PciDevice::bridge(&port, ROOT_PORT, whole, number, number)];
    for (function, name) in numbers.into_iter().enumerate() {
        let address = format!("0000:{bus}:00.{function}");
        devices
            .push(PciDevice::new(&format!("{port}/{address}"), ETHERNET, CONNECTX7, Some(whole)).driver("mlx5_core"));
        let rate = "200 Gb/sec (2X NDR)";
        let port = Port::ethernet(rate, &format!("ens{bus}f{function}np{function}"), 9000);
        let mut device = RdmaDevice::connectx7(&format!("mlx5_{name}"), &address, guid(name), port);
        device.system_guid = guid(numbers[0]);
        machine.rdma.push(device);
    }
    place(machine, devices, node);
}

/// Adds devices of one NUMA node.
fn place(machine: &mut Machine, devices: impl IntoIterator<Item = PciDevice>, node: usize) {
    for mut device in devices {
        device.numa_node = i32::try_from(node).unwrap();
        device.local_cpus = CPUS[node].to_owned();
        machine.pci.push(device);
    }
}

fn guid(number: u32) -> u64 {
    0xa088_c203_0000_0001 + u64::from(number)
}

fn nvml() -> serde_json::Value {
    // An H100's 18 links go to the four switches as 5, 4, 4, 5.
    let remotes: Vec<Option<String>> = (0..18)
        .map(|slot| Some(format!("0000:0{}:00.0", 6 + [0, 5, 9, 13].iter().rposition(|first| slot >= *first).unwrap())))
        .collect();
    let gpus: serde_json::Value = SWITCHES
        .iter()
        .enumerate()
        .map(|(index, buses)| {
            let mut gpu = Gpu {
                index: u32::try_from(index).unwrap(),
                name: "NVIDIA H100 80GB HBM3",
                pci: &format!("0000:{:02x}:00.0", buses[4]),
                device: GPU,
                memory: MEMORY,
                link: PcieLink::whole(5, 16),
                cpus: CPUS[node(index)],
                memory_nodes: &node(index).to_string(),
            }
            .json();
            gpu["mig"] = json!([0, 0]);
            gpu["fabric"] = json!({"state": 3, "health_mask": 2});
            gpu["nvlinks"] = nvidia::nvlinks(26562, 6, &remotes);
            gpu
        })
        .collect();
    let ancestor = |first, second| if node(first) == node(second) { 40 } else { 50 };
    json!({"driver": "580.95.05", "gpus": gpus, "pairs": nvidia::pairs(8, ancestor, [0, 0, 0, 0, 5]), "faults": []})
}

fn host() -> Host {
    let distances = ["10 12 21 21", "12 10 21 21", "21 21 10 12", "21 21 12 10"];
    let nodes = (0..4).zip(CPUS).zip(distances);
    let node = |((number, cpus), distances): ((u32, &'static str), &str)| Node {
        number,
        cpus,
        distances: distances.to_owned(),
        memory_kib: 528_000_000,
    };
    Host {
        name: "hgx-h100",
        kernel: "5.15.0-122-generic",
        cpus: "0-223",
        cpuinfo: "vendor_id\t: GenuineIntel\nmodel\t\t: 143\nmodel name\t: Intel(R) Xeon(R) Platinum 8480C\n\
                  flags\t\t: fpu vme de pse tsc msr lm constant_tsc vmx avx512f\n",
        nodes: nodes.map(node).collect(),
        command_line: "BOOT_IMAGE=/boot/vmlinuz-5.15.0-122-generic ro intel_iommu=on iommu=pt numa_balancing=disable",
        numa_balancing: 0,
        product: Some(("NVIDIA", "DGXH100")),
        iommu: Some("identity"),
        shm: "1056768000k",
        locked_memory: "unlimited",
        kernel_log: vec!["NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05".to_owned()],
        services: Some(vec!["nvidia-fabricmanager", "nvidia-persistenced", "ssh"]),
        fabric_manager: Some("580.95.05"),
        modules: vec!["nvidia", "nvidia_peermem", "ib_core", "mlx5_core", "mlx5_ib"],
        kernel_options: "",
    }
}
