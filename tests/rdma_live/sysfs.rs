//! What sysfs shows.

use std::{fs, time::Duration};

use linkspec::facts::{Fact, Gid, Origin, PortState};
use nix::{sys::stat::Mode, unistd::mkfifo};

use crate::support::{Machine, device, first_port, named, port_file};

const SOURCE: &str = "RDMA devices";

#[test]
fn an_infiniband_port() {
    let machine = Machine::new();
    machine.device("mlx5_0", "0000:1a:00.0", "InfiniBand");
    machine.gid("mlx5_0", 0, "fe80:0000:0000:0000:a088:c203:0012:3456", Some(("IB/RoCE v1", "")));
    machine.gid("mlx5_0", 1, "0000:0000:0000:0000:0000:0000:0000:0000", None);
    let facts = machine.facts();
    assert_eq!(facts.origin, Origin::Fake);
    assert_eq!(facts.rdma_count, Fact::known(1, "/sys/class/infiniband"));
    let device = named(&facts, "mlx5_0");
    assert_eq!(device.firmware, Fact::known("28.39.1002".to_owned(), "/sys/class/infiniband/mlx5_0/fw_ver"));
    assert_eq!(device.model.value().unwrap(), "MT4129");
    assert_eq!(device.board.value().unwrap(), "MT_0000000838");
    assert_eq!(device.node_guid.value().unwrap(), "a088:c203:0012:3456");
    assert_eq!(device.pci_address.value().unwrap(), "0000:1a:00.0");
    assert_eq!((device.numa_node.value(), device.port_count.value()), (Some(&1), Some(&1)));
    let port = first_port(&facts, "mlx5_0");
    assert_eq!(port.state, Fact::known(PortState::Active, "/sys/class/infiniband/mlx5_0/ports/1/state"));
    assert_eq!(port.physical_state.value().unwrap(), "LinkUp");
    assert_eq!(port.rate.value().unwrap().gigabits_per_second(), 400.0);
    assert_eq!(port.width.value().unwrap(), "4X");
    assert_eq!(port.link_layer.value().unwrap(), "InfiniBand");
    assert_eq!(port.active_mtu.reason(), Some("no libibverbs: libibverbs.so.1 is not there"));
    assert_eq!(port.max_mtu.reason(), Some("no libibverbs: libibverbs.so.1 is not there"));
    let gid = Gid {
        index: 0,
        address: "fe80:0000:0000:0000:a088:c203:0012:3456".to_owned(),
        kind: Some("IB/RoCE v1".to_owned()),
        netdev: None,
    };
    assert_eq!(port.gids.value(), Some(&vec![gid]));
    let line = "1 device through sysfs, no MTU through libibverbs: libibverbs.so.1 is not there";
    assert_eq!(facts.sources[SOURCE], line);
}

#[test]
fn a_roce_port_has_its_mtu_from_its_interface() {
    let machine = Machine::new();
    machine.device("mlx5_2", "0000:4d:00.0", "Ethernet").file("sys/class/net/eth2/mtu", "4200");
    machine.gid("mlx5_2", 2, "0000:0000:0000:0000:0000:ffff:0a00:0001", Some(("IB/RoCE v1", "eth2")));
    machine.gid("mlx5_2", 10, "0000:0000:0000:0000:0000:ffff:0a00:0001", Some(("RoCE v2", "eth2")));
    machine.gid("mlx5_2", 11, "0000:0000:0000:0000:0000:0000:0000:0000", None);
    let facts = machine.facts();
    let port = first_port(&facts, "mlx5_2");
    let gids: Vec<_> = port.gids.value().unwrap().iter().map(|gid| (gid.index, gid.kind.as_deref())).collect();
    assert_eq!(gids, [(2, Some("IB/RoCE v1")), (10, Some("RoCE v2"))]);
    assert_eq!(port.gids.value().unwrap()[1].netdev.as_deref(), Some("eth2"));
    let source = "computed from the MTU 4200 of eth2 (no libibverbs: libibverbs.so.1 is not there)";
    assert_eq!(port.active_mtu, Fact::known(4096, source));
    assert_eq!(port.max_mtu.value(), None);
}

#[test]
fn a_gid_without_a_readable_type_is_kept_without_it() {
    let machine = Machine::new();
    machine.device("mlx5_2", "0000:4d:00.0", "Ethernet").gid("mlx5_2", 0, "fe80::1", None);
    let facts = machine.facts();
    let port = first_port(&facts, "mlx5_2");
    assert_eq!(port.gids.value().unwrap()[0].kind, None);
    assert!(port.active_mtu.reason().unwrap().ends_with("; no GID names the port's network interface"));
}

#[test]
fn iwarp_is_ethernet_too_but_no_roce() {
    let machine = Machine::new();
    machine.device("irdma0", "0000:4d:00.0", "Ethernet").file("sys/class/net/eth2/mtu", "9000");
    machine.file(&format!("{}/node_type", device("irdma0")), "4: RNIC");
    machine.gid("irdma0", 0, "0242:acff:fe11:0002::", Some(("IB/RoCE v1", "eth2")));
    let facts = machine.facts();
    let reason = first_port(&facts, "irdma0").active_mtu.reason().unwrap();
    assert!(reason.ends_with("node_type says \"4: RNIC\", which is no RoCE device"), "{reason}");
}

#[test]
fn a_port_that_is_down() {
    let machine = Machine::new();
    machine.device("mlx5_1", "0000:1b:00.0", "InfiniBand");
    machine.port("mlx5_1", "state", "1: DOWN").port("mlx5_1", "phys_state", "3: Disabled");
    machine.port("mlx5_1", "rate", "10 Gb/sec (4X SDR)");
    let facts = machine.facts();
    let port = first_port(&facts, "mlx5_1");
    assert_eq!(port.state.value(), Some(&PortState::Down));
    assert_eq!(port.physical_state.value().unwrap(), "Disabled");
    assert_eq!(port.rate.value().unwrap().gigabits_per_second(), 10.0);
}

#[test]
fn what_cannot_be_read_or_understood_is_unknown() {
    let machine = Machine::new();
    machine.device("mlx5_0", "0000:1a:00.0", "InfiniBand");
    machine.port("mlx5_0", "state", "4: DOWN").port("mlx5_0", "link_layer", "Unspecified");
    machine.port("mlx5_0", "gids/0", "fe80");
    machine.file("sys/devices/0000:1a:00.0/numa_node", "-1").file(&format!("{}/fw_ver", device("mlx5_0")), "");
    fs::remove_file(machine.path(&port_file("mlx5_0", "rate"))).unwrap();
    machine.folder(&port_file("mlx5_0", "rate"));
    let facts = machine.facts();
    let device = named(&facts, "mlx5_0");
    assert!(device.numa_node.reason().unwrap().contains("device/numa_node is -1"));
    assert!(device.firmware.reason().unwrap().ends_with("fw_ver says \"\", which is not a version"));
    let port = &device.ports[0];
    assert!(port.state.reason().unwrap().contains("\"4: DOWN\""));
    assert!(port.rate.reason().unwrap().starts_with("/sys/class/infiniband/mlx5_0/ports/1/rate: "));
    assert_eq!(port.rate.reason(), port.width.reason());
    assert!(port.link_layer.reason().unwrap().contains("\"Unspecified\""));
    assert!(port.gids.reason().unwrap().contains("\"fe80\""));
    assert_eq!(port.physical_state.value().unwrap(), "LinkUp");
}

#[test]
fn a_software_device_is_of_no_pci_device() {
    let machine = Machine::new();
    machine.file(&format!("{}/node_guid", device("rxe0")), "0242:acff:fe11:0002").port("rxe0", "state", "4: ACTIVE");
    let facts = machine.facts();
    let device = named(&facts, "rxe0");
    let reason = "it is of no PCI device: /sys/class/infiniband/rxe0/device is not there";
    assert_eq!(device.pci_address.reason(), Some(reason));
    assert_eq!(device.node_guid.value().unwrap(), "0242:acff:fe11:0002");
}

#[test]
fn counters_of_both_folders_with_their_names() {
    let machine = Machine::new();
    machine.device("mlx5_0", "0000:1a:00.0", "InfiniBand");
    machine.port("mlx5_0", "counters/port_xmit_data", "18446744073709551615");
    machine.port("mlx5_0", "counters/symbol_error", "N/A (no PMA)");
    machine.port("mlx5_0", "hw_counters/out_of_sequence", "7").port("mlx5_0", "hw_counters/lifespan", "10");
    machine.folder(&port_file("mlx5_0", "hw_counters/rnr_nak_retry_err"));
    let facts = machine.facts();
    let counters = &first_port(&facts, "mlx5_0").counters;
    let names: Vec<&str> = counters.keys().map(String::as_str).collect();
    assert_eq!(names, ["out_of_sequence", "port_xmit_data", "rnr_nak_retry_err", "symbol_error"]);
    assert_eq!(counters["out_of_sequence"], Fact::known(7, "/sys/class/infiniband/mlx5_0/ports/1/hw_counters"));
    assert_eq!(counters["port_xmit_data"].value(), Some(&u64::MAX));
    assert!(counters["symbol_error"].reason().unwrap().contains("\"N/A (no PMA)\""));
    assert!(counters["rnr_nak_retry_err"].reason().unwrap().contains("hw_counters/rnr_nak_retry_err"));
    let again = machine.facts();
    assert_eq!(&first_port(&again, "mlx5_0").counters, counters);
}

#[test]
fn no_driver_is_not_the_same_as_no_device() {
    let machine = Machine::new();
    let reason = "no RDMA driver is loaded (/sys/class/infiniband is not there)";
    let facts = machine.facts();
    assert_eq!(facts.rdma_count.reason(), Some(reason));
    assert_eq!((facts.nics.value(), facts.sources[SOURCE].as_str()), (None, reason));
    let facts = machine.folder("sys/class/infiniband").facts();
    assert_eq!(facts.rdma_count.value(), Some(&0));
    assert_eq!(facts.nics.value(), Some(&Vec::new()));
    assert_eq!(facts.sources[SOURCE], "none: /sys/class/infiniband is empty");
}

#[test]
fn a_file_that_hangs_costs_what_was_not_yet_told_of_its_device() {
    let mut machine = Machine::new();
    machine.deadline = Duration::from_secs(2);
    machine.device("mlx5_0", "0000:1a:00.0", "InfiniBand").port("mlx5_0", "hw_counters/out_of_sequence", "0");
    machine.device("mlx5_1", "0000:1b:00.0", "InfiniBand").folder(&port_file("mlx5_1", "hw_counters"));
    mkfifo(&machine.path(&port_file("mlx5_1", "hw_counters/out_of_sequence")), Mode::S_IRUSR).unwrap();
    let facts = machine.facts();
    assert_eq!(facts.rdma_count.value(), Some(&2));
    assert_eq!(first_port(&facts, "mlx5_0").counters["out_of_sequence"].value(), Some(&0));
    assert_eq!(
        first_port(&facts, "mlx5_0").active_mtu.reason().unwrap(),
        "no libibverbs: libibverbs.so.1 is not there"
    );
    let hung = first_port(&facts, "mlx5_1");
    assert_eq!(hung.state.value(), Some(&PortState::Active));
    assert!(hung.counters.is_empty());
    let why = "the counters in /sys/class/infiniband/mlx5_1/ports/1: gave no answer within 2 s";
    assert_eq!(hung.active_mtu.reason(), Some(why));
    assert!(facts.sources[SOURCE].ends_with("; not read to the end: mlx5_1"));
}
