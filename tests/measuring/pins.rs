//! Pins on a rebuilt machine whose nodes hold this machine's own CPUs, which the ranks really run on.

use std::fs;

use serde_json::{Value, json};

use crate::{
    healthy::test,
    machines::{Machine, guest_h200, hgx_h100},
    seat::Seat,
};

/// The CPUs that this process may use.
fn own_cpus() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim().to_owned()
}

fn first(cpus: &str) -> u32 {
    cpus.split(['-', ',']).next().unwrap().parse().unwrap()
}

/// One node with the CPUs of this machine.
fn one_node() -> Machine {
    let mut machine = guest_h200();
    let cpus: &'static str = own_cpus().leak();
    machine.host.cpus = cpus;
    machine.host.nodes[0].cpus = cpus;
    machine
}

fn pinned(pin: &str) -> String {
    test("pinned", "").replace("pin: none", &format!("pin: {pin}"))
}

/// What was asked of each rank's CPUs, and what the kernel said.
fn placed(record: &Value) -> Vec<[Value; 2]> {
    let placements = record["cases"][0]["collective"]["engine"]["placements"].as_array().unwrap();
    placements.iter().map(|placement| [placement["asked_cpus"].clone(), placement["cpus"].clone()]).collect()
}

#[test]
fn a_cpu_that_is_asked_for_is_read_back() {
    let cpu = first(&own_cpus());
    let seat = Seat::nvidia(&one_node());
    seat.run(&pinned(&format!("cpus:{cpu}")), &[]).expect(0, &["1 passed"]);
    assert_eq!(placed(&seat.record()), [[json!([cpu]), json!([cpu])], [json!([cpu]), json!([cpu])]]);
}

#[test]
fn near_the_gpu_is_the_one_node_there_is() {
    let seat = Seat::nvidia(&one_node());
    seat.run(&pinned("gpu-local"), &[]).expect(0, &["1 passed"]);
    for [asked, found] in placed(&seat.record()) {
        assert!(!asked.is_null() && asked == found, "{asked} {found}");
    }
}

#[test]
fn a_cpu_that_is_not_there() {
    let seat = Seat::nvidia(&one_node());
    let texts = ["error[pin]: pin cpus:9999: there is no CPU 9999: there are"];
    seat.run(&pinned("cpus:9999"), &[]).expect(3, &texts);
    assert!(!seat.path("linkspec-out/one/logs").exists(), "a rank was started");
}

#[test]
fn a_node_that_is_not_there() {
    let texts = ["error[pin]: pin node:7: there is no NUMA node 7 with CPUs: there are 0-3"];
    Seat::nvidia(&hgx_h100()).run(&pinned("node:7"), &[]).expect(3, &texts);
}

#[test]
fn cpus_that_this_machine_has_not() {
    // The rebuilt machine has 224 CPUs, and the kernel that the rank really asks has not.
    if first(own_cpus().rsplit(['-', ',']).next().unwrap()) >= 200 {
        return;
    }
    let seat = Seat::nvidia(&hgx_h100());
    seat.run(&pinned("cpus:200-223"), &[]).expect(3, &["error[pin]: rank ", "starting: ", "200-223"]);
}
