//! The MTU through libibverbs.

use std::time::{Duration, Instant};

use linkspec::facts::{Fact, Facts, Origin, PortState};

use crate::support::{Machine, first_port};

fn two_devices(layer: &str) -> Machine {
    let machine = Machine::new();
    machine.device("mlx5_0", "0000:1a:00.0", layer).device("mlx5_1", "0000:1b:00.0", layer);
    machine
}

/// The machine in which both devices have an MTU of 4096 bytes, and the second a fault.
fn fault(fault: &str) -> String {
    let ports = r#""ports": {"1": {"state": 4, "max_mtu": 5, "active_mtu": 4}}"#;
    format!(r#"{{"devices": {{"mlx5_0": {{{ports}}}, "mlx5_1": {{{ports}, "fault": {fault}}}}}}}"#)
}

/// The second device has no MTU for a reason, and all that sysfs shows; the first has everything.
fn assert_only_the_mtu_of_one_is_lost(facts: &Facts, reason: &str) {
    assert_eq!(first_port(facts, "mlx5_0").active_mtu, Fact::known(2048, "libibverbs"));
    let port = first_port(facts, "mlx5_1");
    assert_eq!(port.active_mtu.reason(), Some(reason));
    assert_eq!(port.max_mtu.reason(), Some(reason));
    assert_eq!(port.state.value(), Some(&PortState::Active));
}

#[test]
fn the_mtu_of_each_port() {
    let machine = two_devices("InfiniBand");
    let facts = machine.facts_with(&fault("null"));
    assert_eq!(facts.origin, Origin::Fake);
    for name in ["mlx5_0", "mlx5_1"] {
        assert_eq!(first_port(&facts, name).active_mtu, Fact::known(2048, "libibverbs"));
        assert_eq!(first_port(&facts, name).max_mtu, Fact::known(4096, "libibverbs"));
    }
    assert_eq!(facts.sources["RDMA devices"], "2 devices through sysfs, MTU through libfake_verbs.so");
}

#[test]
fn what_libibverbs_says_goes_before_what_could_be_computed() {
    let machine = two_devices("Ethernet");
    machine.file("sys/class/net/eth0/mtu", "9000");
    machine.gid("mlx5_0", 0, "fe80::1", Some(("RoCE v2", "eth0")));
    assert_eq!(first_port(&machine.facts_with(&fault("null")), "mlx5_0").active_mtu.value(), Some(&2048));
}

#[test]
fn a_device_that_hangs_costs_its_own_mtu() {
    for (call, what) in [("open", "ibv_open_device of mlx5_1"), ("query", "ibv_query_port of mlx5_1 port 1")] {
        let mut machine = two_devices("InfiniBand");
        machine.deadline = Duration::from_secs(2);
        let facts = machine.facts_with(&fault(&format!(r#"{{"call": "{call}", "as": "hang"}}"#)));
        assert_only_the_mtu_of_one_is_lost(&facts, &format!("{what}: gave no answer within 2 s"));
    }
}

#[test]
fn a_crash_costs_no_more_than_the_mtu() {
    let machine = two_devices("InfiniBand");
    let facts = machine.facts_with(&fault(r#"{"call": "open", "as": "crash"}"#));
    for name in ["mlx5_0", "mlx5_1"] {
        assert_eq!(first_port(&facts, name).state.value(), Some(&PortState::Active));
    }
    let reason = first_port(&facts, "mlx5_1").active_mtu.reason().unwrap();
    assert!(reason.starts_with("ibv_open_device of mlx5_1: the process that read it was ended by SIG"), "{reason}");
}

#[test]
fn after_a_crash_devices_that_are_read_one_by_one_do_not_wait_for_each_other() {
    let machine = two_devices("InfiniBand");
    for number in 2..14 {
        machine.device(&format!("mlx5_{number}"), &format!("0000:{:x}:00.0", 0x20 + number), "InfiniBand");
    }
    let began = Instant::now();
    let facts = machine.facts_with(&fault(r#"{"call": "open", "as": "crash"}"#));
    // Each wait of a second for the others would be one for nothing.
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert_eq!(first_port(&facts, "mlx5_0").active_mtu, Fact::known(2048, "libibverbs"));
}

#[test]
fn a_device_that_may_not_be_opened_says_which_file_it_needs() {
    let machine = two_devices("InfiniBand");
    machine.file("sys/class/infiniband_verbs/uverbs1/ibdev", "mlx5_1");
    let no_access = fault(r#"{"call": "open", "as": 13}"#);
    let facts = machine.facts_with(&no_access);
    let why = "no libibverbs: ibv_open_device: Permission denied (os error 13)";
    let absent = format!("{why} (/dev/infiniband/uverbs1 is not there: a container needs it passed in)");
    assert_only_the_mtu_of_one_is_lost(&facts, &absent);
    machine.file("dev/infiniband/uverbs1", "");
    let present = format!("{why} (it needs read and write access to /dev/infiniband/uverbs1)");
    assert_only_the_mtu_of_one_is_lost(&machine.facts_with(&no_access), &present);
}

#[test]
fn a_query_that_fails_leaves_the_mtu_unknown_also_where_it_could_be_computed() {
    let machine = two_devices("Ethernet");
    machine.file("sys/class/net/eth1/mtu", "9000");
    machine.gid("mlx5_1", 0, "fe80::1", Some(("RoCE v2", "eth1")));
    let facts = machine.facts_with(&fault(r#"{"call": "query", "as": 5}"#));
    assert_only_the_mtu_of_one_is_lost(&facts, "ibv_query_port: Input/output error (os error 5)");
}

#[test]
fn a_device_that_is_not_listed() {
    let machine = two_devices("InfiniBand");
    let facts =
        machine.facts_with(r#"{"devices": {"mlx5_0": {"ports": {"1": {"state": 4, "max_mtu": 5, "active_mtu": 9}}}}}"#);
    let reason = first_port(&facts, "mlx5_1").active_mtu.reason().unwrap();
    assert!(reason.starts_with("no libibverbs: ibv_get_device_list does not name it"), "{reason}");
    let reason = "ibv_query_port says active_mtu 9, which is none of 1 to 5";
    assert_eq!(first_port(&facts, "mlx5_0").active_mtu.reason(), Some(reason));
    assert_eq!(first_port(&facts, "mlx5_0").max_mtu.value(), Some(&4096));
}

#[test]
fn a_library_that_is_another() {
    let facts = two_devices("InfiniBand").facts_through("libm.so.6");
    let reason = first_port(&facts, "mlx5_0").active_mtu.reason().unwrap();
    assert_eq!(reason, "no libibverbs: libm.so.6 has no ibv_get_device_list");
}

#[test]
fn a_library_that_is_not_there() {
    let facts = two_devices("InfiniBand").facts_through("/nowhere/libibverbs.so.1");
    let reason = first_port(&facts, "mlx5_0").active_mtu.reason().unwrap();
    assert!(reason.contains("/nowhere/libibverbs.so.1"), "{reason}");
}
