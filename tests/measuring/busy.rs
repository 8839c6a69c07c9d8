//! GPUs that others use, or that are not free after a measurement.

use std::{fs, process, process::Stdio};

use serde_json::{Value, json};

use crate::{
    healthy::test,
    interrupt::{ranks, wait_for},
    machines::{AmdProcess, guest_h200, mi300x},
    seat::Seat,
};

const GIB: u64 = 1 << 30;

#[test]
fn a_gpu_that_another_process_uses() {
    let mut machine = guest_h200();
    let own = process::id();
    machine.gpu(1)["processes"] = json!([{"pid": own, "kind": "compute", "memory": 3 * GIB}]);
    let seat = Seat::nvidia(&machine);
    let busy = format!("error[gpu-busy]: GPU1 is in use by PID {own} (");
    seat.run(&test("all", ""), &[]).expect(3, &[&busy, "3.0 GiB): end it, or leave the GPU out with `gpus`"]);
    assert!(!seat.path("linkspec-out/one/logs").exists(), "a rank was started");
}

#[test]
fn memory_that_belongs_to_no_process() {
    let mut machine = guest_h200();
    machine.gpu(0)["used"] = json!(40 * GIB);
    let texts = ["error[gpu-busy]: 40.0 GiB of the memory of GPU0 are in use by no process that can be seen here"];
    Seat::nvidia(&machine).run(&test("all", ""), &[]).expect(3, &texts);
}

#[test]
fn a_process_on_one_of_eight_mi300x() {
    let mut machine = mi300x();
    let mut memory = [0; 8];
    memory[6] = 5 * GIB;
    machine.amd.as_mut().unwrap().processes.push(AmdProcess { pid: process::id(), memory, queues: vec![6] });
    let busy = format!("error[gpu-busy]: GPU6 is in use by PID {} (", process::id());
    Seat::amd(&machine).run(&test("all", ""), &[]).expect(3, &[&busy]);
}

#[test]
fn what_came_while_it_was_measured() {
    let seat = Seat::two_h200().fault("slow:ms=100");
    let mut command = seat.command(&test("all", ""), &[]);
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    wait_for(|| (ranks(child.id()).len() == 2).then_some(()));
    // NVML is read again after the measurement.
    let mut played: Value = serde_json::from_slice(&fs::read(seat.nvml()).unwrap()).unwrap();
    let own = process::id();
    played["gpus"][0]["processes"] = json!([{"pid": own, "kind": "compute", "memory": GIB}]);
    played["gpus"][1]["used"] = json!(40 * GIB);
    fs::write(seat.nvml(), played.to_string()).unwrap();
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(3), "{words}");
    let came = ["came to GPU0 while it was measured", "memory of GPU1", &format!("error[gpu-not-free]: PID {own} (")];
    assert!(came.iter().all(|text| words.contains(text)), "{words}");
}
