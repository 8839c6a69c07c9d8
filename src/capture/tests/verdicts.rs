//! What verdicts need stays.

use crate::{
    capture::without_identifiers,
    facts::{Fact, Facts, Gid, Origin, RdmaDevice},
};

fn replaced(change: impl FnOnce(&mut Facts)) -> Facts {
    let mut facts = Facts::new(Origin::Live);
    change(&mut facts);
    without_identifiers(facts)
}

#[test]
fn gids_keep_their_kind_and_their_form() {
    let gid = |address: &str| Gid { index: 0, address: address.to_owned(), kind: None, netdev: None };
    let given = [
        "fe80:0000:0000:0000:ba3f:d2ff:feab:1234",
        "fe80::ba3f:d2ff:feab:1234",
        "0000:0000:0000:0000:0000:ffff:0a02:0304",
        "::ffff:10.2.3.4",
        "0000:0000:0000:0000:0000:ffff:a9fe:0102",
        "2a01:04f8:0000:0000:0000:0000:0000:0017",
        "0000:0000:0000:0000:0000:0000:0000:0000",
        "::",
        "",
        "fe80:not an address",
        "nor this",
    ];
    let facts = replaced(|facts| {
        facts.rdma_mut("mlx5_0").port_mut(1).gids = Fact::known(given.map(gid).to_vec(), "sysfs");
    });
    let gids = facts.rdma_devices[0].ports[0].gids.value().unwrap();
    let addresses: Vec<&str> = gids.iter().map(|gid| gid.address.as_str()).collect();
    assert_eq!(
        addresses,
        [
            "fe80:0000:0000:0000:0000:0000:0000:0001",
            "fe80::1",
            "0000:0000:0000:0000:0000:ffff:c000:0201",
            "::ffff:192.0.2.1",
            "0000:0000:0000:0000:0000:ffff:a9fe:0001",
            "2001:0db8:0000:0000:0000:0000:0000:0001",
            "0000:0000:0000:0000:0000:0000:0000:0000",
            "::",
            "",
            "fe80:0000:0000:0000:0000:0000:0000:0002",
            "2001:0db8:0000:0000:0000:0000:0000:0002",
        ]
    );
}

#[test]
fn versions_addresses_models_and_names_stay() {
    let fill = |facts: &mut Facts| {
        facts.driver = Fact::known("580.159.04".to_owned(), "NVML");
        facts.host.kernel = Fact::known("6.8.0-60-generic".to_owned(), "uname");
        facts.host.cpu_model = Fact::known("INTEL(R) XEON(R) PLATINUM 8568Y+".to_owned(), "/proc/cpuinfo");
        facts.host.fabric_manager = Fact::known("580.159.4.1".to_owned(), "nv-fabricmanager");
        facts.host.services.insert("nvidia-fabricmanager".to_owned(), Fact::known("active".to_owned(), "systemctl"));
        facts.libraries.insert("NCCL".to_owned(), Fact::known("2.27.5".to_owned(), "libnccl.so.2"));
        let arguments = ["iommu=pt", "pci=realloc=off", "console=ttyS0,115200"].map(str::to_owned);
        facts.host.kernel_arguments = Fact::known(arguments.to_vec(), "/proc/cmdline");
        let gpu = facts.gpu_mut(0);
        gpu.name = Fact::known("NVIDIA H200".to_owned(), "NVML");
        gpu.pci_address = Fact::known("0000:8b:00.0".to_owned(), "NVML");
        gpu.vbios = Fact::known("96.00.a5.00.1a".to_owned(), "NVML");
        gpu.serial = Fact::known("N/A".to_owned(), "NVML");
        gpu.uuid = Fact::known("[Unknown Error]".to_owned(), "NVML");
        gpu.fabric_cluster = Fact::known("00000000-0000-0000-0000-000000000000".to_owned(), "NVML");
        let RdmaDevice { firmware, board, model, .. } = facts.rdma_mut("mlx5_0");
        *firmware = Fact::known("28.39.1.2".to_owned(), "sysfs");
        *board = Fact::known("MT_0000000838".to_owned(), "sysfs");
        *model = Fact::known("MT4129".to_owned(), "sysfs");
    };
    let mut facts = Facts::new(Origin::Live);
    fill(&mut facts);
    assert_eq!(replaced(fill), facts);
}

#[test]
fn devices_that_are_named_by_their_address_are_the_same_everywhere() {
    let facts = replaced(|facts| {
        facts.rdma_mut("rocexb83fd2ab1234");
        facts.rdma_mut("rocexb83fd2ab1233");
        facts.rdma_mut("mlx5_0");
        facts.host.kernel_log_lines_seen = vec!["rocexb83fd2ab1233: up".to_owned()];
    });
    let names: Vec<&str> = facts.rdma_devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(names, ["mlx5_0", "rocex000000000001", "rocex000000000002"]);
    assert_eq!(facts.host.kernel_log_lines_seen, ["rocex000000000001: up"]);
}

/// A machine is called after its GPUs, its services or its devices, and is judged all the same.
#[test]
fn a_host_name_that_is_a_word_of_the_machine() {
    for host in ["h200", "nvidia", "NVIDIA", "pt", "linkup", "iommu", "active", "xeon", "vm"] {
        let fill = |facts: &mut Facts| {
            facts.host.name = Fact::known(host.to_owned(), "uname");
            facts.host.cpu_model = Fact::known("INTEL(R) XEON(R) PLATINUM 8568Y+".to_owned(), "/proc/cpuinfo");
            let state = Fact::known("active".to_owned(), "systemctl");
            facts.host.services.insert("nvidia-fabricmanager".to_owned(), state);
            facts.host.kernel_arguments = Fact::known(vec!["iommu=pt".to_owned()], "/proc/cmdline");
            facts.gpu_mut(0).name = Fact::known("NVIDIA H200".to_owned(), "NVML");
            let port = facts.rdma_mut("mlx5_0").port_mut(1);
            port.physical_state = Fact::known("LinkUp".to_owned(), "sysfs");
            // An expression of a spec, `regex:total-vm:`, finds it live and in the capture.
            facts.host.kernel_log_lines_seen = vec!["Out of memory: Killed process 7 (cc1) total-vm:4kB".to_owned()];
        };
        let mut expected = Facts::new(Origin::Live);
        fill(&mut expected);
        expected.host.name = Fact::known("host-1".to_owned(), "uname (identifiers replaced)");
        assert_eq!(replaced(fill), expected, "{host}");
    }
}

#[test]
fn a_host_name_in_an_instance_of_a_service_is_replaced() {
    let facts = replaced(|facts| {
        facts.host.name = Fact::known("node17".to_owned(), "uname");
        facts.host.services.insert("agent@node17".to_owned(), Fact::known("active".to_owned(), "systemctl"));
    });
    assert_eq!(facts.host.services.keys().collect::<Vec<_>>(), ["agent@host-1"]);
}
