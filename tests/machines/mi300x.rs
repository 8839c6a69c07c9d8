use super::{
    amd::{Amd, AmdGpu},
    host::{Host, Node},
    machine::Machine,
    pci::{ACCELERATOR, AMD, BROADCOM, INFINIBAND, MELLANOX, PciDevice, PcieLink},
    rdma::{Port, RdmaDevice},
};

const GPU: u16 = 0x74a1;
const CONNECTX7: (u16, u16) = (MELLANOX, 0x1021);
const SWITCH: (u16, u16) = (BROADCOM, 0xc030);
const ROOT_PORT: (u16, u16) = (AMD, 0x14ab);
const CPUS: [&str; 2] = ["0-95,192-287", "96-191,288-383"];
/// Root buses by GPU, four on each socket.
const ROOTS: [u8; 8] = [0x00, 0x18, 0x30, 0x50, 0x90, 0xa0, 0xb0, 0xd0];

/// 8 MI300X, every pair joined by one xGMI link (weight 15), each GPU with a ConnectX-7 behind one PCIe switch.
pub fn mi300x() -> Machine {
    let mut machine = Machine::new(host());
    let mut gpus = Vec::new();
    for (index, root) in ROOTS.into_iter().enumerate() {
        let node = u32::from(index >= 4);
        let pci = switch(&mut machine, index, root, node);
        gpus.push(AmdGpu { pci, numa_node: node });
    }
    let (name, driver) = ("AMD Instinct MI300X", "6.12.12");
    machine.amd = Some(Amd { name, driver, gpus, cpu_nodes: 2, xgmi_down: Vec::new(), processes: Vec::new() });
    machine
}

/// A root port, a switch, a NIC and a GPU, whose own bridge is left out. Gives the GPU's address.
fn switch(machine: &mut Machine, index: usize, root: u8, node: u32) -> String {
    let whole = PcieLink::whole(5, 16);
    let port = format!("pci0000:{root:02x}/0000:{root:02x}:01.1");
    let top = format!("{port}/0000:{:02x}:00.0", root + 1);
    let (to_nic, to_gpu) = (format!("{top}/0000:{:02x}:00.0", root + 2), format!("{top}/0000:{:02x}:01.0", root + 2));
    let (nic, gpu) = (format!("0000:{:02x}:00.0", root + 3), format!("0000:{:02x}:00.0", root + 4));
    let devices = [
        PciDevice::bridge(&port, ROOT_PORT, whole, root + 1, root + 4),
        PciDevice::bridge(&top, SWITCH, whole, root + 2, root + 4),
        PciDevice::bridge(&to_nic, SWITCH, whole, root + 3, root + 3),
        PciDevice::bridge(&to_gpu, SWITCH, whole, root + 4, root + 4),
        PciDevice::new(&format!("{to_nic}/{nic}"), INFINIBAND, CONNECTX7, Some(whole)).driver("mlx5_core"),
        PciDevice::new(&format!("{to_gpu}/{gpu}"), ACCELERATOR, (AMD, GPU), Some(whole)).driver("amdgpu"),
    ];
    for mut device in devices {
        device.numa_node = i32::try_from(node).unwrap();
        device.local_cpus = CPUS[node as usize].to_owned();
        machine.pci.push(device);
    }
    let guid = 0xa088_c203_0002_0001 + index as u64;
    let port = Port::infiniband(300 + u32::try_from(index).unwrap());
    machine.rdma.push(RdmaDevice::connectx7(&format!("mlx5_{index}"), &nic, guid, port));
    gpu
}

fn host() -> Host {
    let node = |number: u32, distances: &str| Node {
        number,
        cpus: CPUS[number as usize],
        distances: distances.to_owned(),
        memory_kib: 1_188_000_000,
    };
    Host {
        name: "mi300x",
        kernel: "6.8.0-60-generic",
        cpus: "0-383",
        cpuinfo: "vendor_id\t: AuthenticAMD\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9654 96-Core Processor\n\
                  flags\t\t: fpu vme de pse tsc msr lm constant_tsc svm avx512f\n",
        nodes: vec![node(0, "10 32"), node(1, "32 10")],
        // What AMD's acceptance guide asks for.
        command_line: "BOOT_IMAGE=/boot/vmlinuz-6.8.0-60-generic ro pci=realloc=off pci=bfsort iommu=pt numa_balancing=disable",
        numa_balancing: 0,
        product: Some(("Supermicro", "AS -8125GS-TNMR2")),
        iommu: Some("identity"),
        shm: "1188000000k",
        locked_memory: "unlimited",
        kernel_log: Vec::new(),
        services: Some(vec!["ssh"]),
        fabric_manager: None,
        modules: vec!["amdgpu", "ib_core", "mlx5_core", "mlx5_ib"],
        kernel_options: "CONFIG_DMABUF_MOVE_NOTIFY=y\nCONFIG_PCI_P2PDMA=y\n",
    }
}
