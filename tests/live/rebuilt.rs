//! The rebuilt machines themselves: what linkspec is tested on has to be right first.

use crate::machines::{Machine, Rebuilt, gb200_tray, guest_h200, hgx_h100, mi300x, pcie_l40s};

/// How many PCI devices are of a class.
fn of_class(machine: &Rebuilt, class: &str) -> usize {
    let devices = machine.folder.names("sys/bus/pci/devices");
    let read = |address: &String| machine.folder.read(&format!("sys/bus/pci/devices/{address}/class"));
    devices.iter().filter(|address| read(address) == class).count()
}

/// Every link of a machine leads somewhere, and every device is where its address says.
fn sound(machine: &Machine) -> Rebuilt {
    let rebuilt = machine.build();
    assert!(rebuilt.root().join("proc/cmdline").is_file());
    let verbs: serde_json::Value = serde_json::from_slice(&std::fs::read(rebuilt.verbs()).unwrap()).unwrap();
    assert_eq!(verbs["devices"].as_object().unwrap().len(), machine.rdma.len());
    let devices = rebuilt.folder.names("sys/bus/pci/devices");
    assert_eq!(devices.len(), machine.pci.len());
    for address in devices {
        let device = format!("sys/bus/pci/devices/{address}");
        let path = rebuilt.folder.resolve(&device);
        assert!(path.starts_with("sys/devices/pci") && path.ends_with(&address), "{path}");
        // Its parent is a host bridge or a bridge.
        let (parent, _) = path.rsplit_once('/').unwrap();
        let name = parent.rsplit('/').next().unwrap();
        assert!(
            name.starts_with("pci") || rebuilt.folder.read(&format!("{parent}/class")) == "0x060400",
            "{address} below {name}"
        );
    }
    for device in &machine.rdma {
        let device = rebuilt.folder.resolve(&format!("sys/class/infiniband/{}/device", device.name));
        assert!(device.starts_with("sys/devices/pci"), "{device}");
        assert!(rebuilt.folder.path(&format!("{device}/vendor")).is_file());
    }
    rebuilt
}

#[test]
fn hgx_h100_has_what_its_recording_has() {
    let mut machine = hgx_h100();
    let rebuilt = sound(&machine);
    assert_eq!((of_class(&rebuilt, "0x030200"), of_class(&rebuilt, "0x068000")), (8, 4));
    assert_eq!(rebuilt.folder.names("sys/class/infiniband").len(), 12);
    // GPU0 and mlx5_11 share a switch's upstream port.
    let gpu = rebuilt.folder.resolve("sys/bus/pci/devices/0000:1b:00.0");
    let nic = rebuilt.folder.resolve("sys/class/infiniband/mlx5_11/device");
    let upstream = "sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/";
    assert!(gpu.starts_with(upstream) && nic.starts_with(upstream));
    assert_eq!(machine.gpu(7)["nvlinks"].as_array().unwrap().len(), 18);
    assert_eq!(machine.nvml["pairs"].as_array().unwrap().len(), 28);
    assert_eq!(rebuilt.folder.read("sys/class/infiniband/mlx5_0/ports/1/rate"), "400 Gb/sec (4X NDR)");
    assert_eq!(rebuilt.folder.read("sys/class/net/ens29f0np0/mtu"), "9000");
}

#[test]
fn one_thing_at_a_time_is_changed() {
    let mut machine = hgx_h100();
    machine.nvlink_down(3, 7);
    assert_eq!(machine.gpu(3)["nvlinks"][7]["active"], false);
    machine.fabric_in_progress(2);
    assert_eq!(machine.gpu(2)["fabric"]["state"], 2);
    machine.port_down("mlx5_4");
    machine.pci("0000:15:01.0").config.acs = Some(0x1d);
    machine.gpu_gone_from_nvml(5);
    assert_eq!(machine.nvml["pairs"].as_array().unwrap().len(), 21);
    assert!(machine.nvml["pairs"].as_array().unwrap().iter().all(|pair| pair["gpus"][1].as_u64() < Some(7)));
    let rebuilt = sound(&machine);
    assert_eq!((of_class(&rebuilt, "0x030200"), machine.nvml["gpus"].as_array().unwrap().len()), (8, 7));
    assert_eq!(rebuilt.folder.names("proc/driver/nvidia/gpus").len(), 8);
    assert_eq!(rebuilt.folder.read("sys/class/infiniband/mlx5_4/ports/1/rate"), "10 Gb/sec (4X SDR)");
    let config = std::fs::read(rebuilt.folder.path("sys/bus/pci/devices/0000:15:01.0/config")).unwrap();
    assert_eq!((config.len(), &config[0x18..0x1b], config[0x226]), (4096, &[0x15, 0x16, 0x1b][..], 0x1d));
}

#[test]
fn pcie_box_has_a_narrow_card_and_a_slow_uplink() {
    let rebuilt = sound(&pcie_l40s());
    assert_eq!(of_class(&rebuilt, "0x030200"), 4);
    let read = |file: &str| rebuilt.folder.read(&format!("sys/bus/pci/devices/{file}"));
    assert_eq!(
        (read("0000:44:00.0/current_link_width"), read("0000:44:00.0/max_link_width")),
        ("8".into(), "16".into())
    );
    assert_eq!(read("0000:81:00.0/current_link_speed"), "5.0 GT/s PCIe");
    assert_eq!(read("0000:83:00.0/current_link_speed"), "16.0 GT/s PCIe");
    assert!(!rebuilt.folder.path("sys/class/infiniband").exists());
}

#[test]
fn guest_hides_what_a_hypervisor_hides() {
    let rebuilt = sound(&guest_h200());
    assert_eq!((of_class(&rebuilt, "0x030200"), of_class(&rebuilt, "0x068000")), (2, 0));
    assert_eq!(rebuilt.folder.read("sys/bus/pci/devices/0000:00:06.0/numa_node"), "-1");
    assert!(rebuilt.folder.names("sys/kernel/iommu_groups").is_empty());
    assert!(rebuilt.folder.names("sys/class/infiniband").is_empty());
    assert!(rebuilt.folder.read("proc/cpuinfo").contains("hypervisor"));
}

#[test]
fn gb200_gpus_and_nics_share_no_host_bridge() {
    let rebuilt = sound(&gb200_tray());
    let root = |path: &str| rebuilt.folder.resolve(path).split('/').nth(2).unwrap().to_owned();
    let mut roots: Vec<String> =
        ["0008", "0009", "0018", "0019"].map(|domain| root(&format!("sys/bus/pci/devices/{domain}:01:00.0"))).to_vec();
    roots.extend((0..4).map(|nic| root(&format!("sys/class/infiniband/mlx5_{nic}/device"))));
    roots.sort_unstable();
    roots.dedup();
    assert_eq!(roots.len(), 8);
    assert_eq!(rebuilt.folder.read("sys/devices/system/node/online"), "0,1,2,10,18,26");
    assert!(rebuilt.folder.read("proc/driver/nvidia/version").contains("aarch64"));
}

#[test]
fn mi300x_is_an_xgmi_mesh() {
    let mut machine = mi300x();
    machine.amd.as_mut().unwrap().xgmi_down.push([0, 5]);
    let rebuilt = sound(&machine);
    assert_eq!((of_class(&rebuilt, "0x120000"), rebuilt.folder.names("sys/class/infiniband").len()), (8, 8));
    let nodes = "sys/class/kfd/kfd/topology/nodes";
    assert_eq!(rebuilt.folder.names(nodes).len(), 10);
    // To the CPU and to seven others, but for the pair that lost its link.
    let links = |node: u32| rebuilt.folder.names(&format!("{nodes}/{node}/io_links")).len();
    assert_eq!((links(2), links(3)), (7, 8));
    for command in ["topology", "static", "metric"] {
        let program = rebuilt.folder.path("usr/bin/amd-smi");
        let output = std::process::Command::new(program).args([command, "--json"]).output().unwrap();
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let list = said.as_array().or_else(|| said["gpu_data"].as_array()).unwrap();
        assert_eq!(list.len(), 8, "{command}");
        if command == "topology" {
            assert_eq!(
                (&list[0]["links"][5]["link_type"], &list[0]["links"][4]["weight"]),
                (&"PCIE".into(), &15.into())
            );
        }
    }
}
