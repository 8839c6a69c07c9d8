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

/// Changes what NVML says while a case runs, as soon as its ranks are there.
fn changed(change: impl FnOnce(&mut Value)) -> (i32, String) {
    let seat = Seat::two_h200().fault("slow:ms=100");
    let mut command = seat.command(&test("all", ""), &[]);
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    wait_for(|| (ranks(child.id()).len() == 2).then_some(()));
    let mut played: Value = serde_json::from_slice(&fs::read(seat.nvml()).unwrap()).unwrap();
    change(&mut played);
    // At once: it is read by name.
    let next = seat.path("next.json");
    fs::write(&next, played.to_string()).unwrap();
    fs::copy(&next, seat.nvml()).unwrap();
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    (output.status.code().unwrap(), words)
}

#[test]
fn memory_that_is_left() {
    let (code, words) = changed(|played| {
        played["gpus"][1]["used"] = json!(40 * GIB);
    });
    assert_eq!(code, 3, "{words}");
    assert!(words.contains("error[gpu-not-free]: ") && words.contains("GPU1"), "{words}");
}

#[test]
fn a_process_that_came() {
    let own = process::id();
    let (code, words) =
        changed(|played| played["gpus"][0]["processes"] = json!([{"pid": own, "kind": "compute", "memory": GIB}]));
    assert_eq!(code, 3, "{words}");
    assert!(words.contains(&format!("error[gpu-not-free]: PID {own} (")), "{words}");
    assert!(words.contains("came to GPU0 while it was measured"), "{words}");
}
