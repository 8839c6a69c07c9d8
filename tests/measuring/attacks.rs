//! Measurements that could pass though nothing was proved, or not pass though nothing is wrong.

use std::{fs, process, process::Stdio};

use serde_json::{Value, json};

use crate::{
    interrupt::{ranks, wait_for},
    seat::{Ran, Seat},
};

fn collective(name: &str, rest: &str, of: &str) -> String {
    format!("  - name: {name}\n    pin: none\n{rest}    collective: {{ op: all_reduce, {of} }}\n")
}

#[test]
fn sizes_are_measured_in_whole_elements_each_once() {
    let seat = Seat::two_h200();
    let tests = collective("a", "", "sizes: [8, 10, 13, 64], expect: { algorithm: Ring, busbw: { 10: 0.0 GB/s } }");
    seat.run(&tests, &[]).expect(0, &["1 passed"]);
    let sizes: Vec<u64> = seat.record()["cases"][0]["collective"]["measurement"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["size"].as_u64().unwrap())
        .collect();
    assert_eq!(sizes, [8, 12, 64]);
    // Less than an element is no size at all.
    seat.run(&collective("a", "", "sizes: [1, 2, 3, 8]"), &[]).expect(3, &["were not measured: 1, 2, 3"]);
    seat.run(&collective("a", "", "sizes: [3]"), &[]).expect(3, &["were not measured: 3"]);
}

#[test]
fn the_run_that_shows_what_the_library_chooses_gives_no_figures() {
    let seat = Seat::two_h200().fault("hang:call=2");
    let of = "sizes: [8, 64K, 1M], expect: { algorithm: Ring, busbw: { 64K: 100000 GB/s } }";
    seat.run(&collective("a", "", of), &["--phase-deadline", "2"]).expect(3, &["1 could not be judged"]);
}

/// Runs the tests while another process comes to a GPU.
fn with_a_stranger(seat: &Seat, tests: &str, arguments: &[&str]) -> Ran {
    let clean = fs::read(seat.nvml()).unwrap();
    let mut command = seat.command(tests, arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| (ranks(child.id()).len() == 2).then_some(()));
    let mut played: Value = serde_json::from_slice(&clean).unwrap();
    played["gpus"][0]["processes"] = json!([{"pid": process::id(), "kind": "compute", "memory": 1 << 30}]);
    fs::write(seat.nvml(), played.to_string()).unwrap();
    let output = child.wait_with_output().unwrap();
    fs::write(seat.nvml(), clean).unwrap();
    Ran { code: output.status.code().unwrap_or(-1), text: String::from_utf8(output.stdout).unwrap() }
}

#[test]
fn what_a_session_leaves_is_told_by_its_last_case_that_is_measured() {
    let ignored = collective("b", "    ignore: not now\n", "sizes: [8]");
    let foreign = "  - name: c\n    pin: none\n    collective: { op: all_gather, sizes: [64] }\n";
    for last in [ignored.as_str(), foreign] {
        let seat = Seat::two_h200().fault("slow:ms=100");
        let ran = with_a_stranger(&seat, &(collective("a", "", "sizes: [8]") + last), &[]);
        ran.expect(3, &["ERROR one::a gpu-not-free"]);
    }
}

#[test]
fn a_finished_case_has_no_part_in_a_session() {
    let seat = Seat::two_h200();
    let [a, b] = ["a", "b"].map(|name| collective(name, "", "sizes: [8]"));
    seat.run(&(a.clone() + &b), &["one::b"]).expect(0, &["1 passed"]);
    let seat = seat.fault("slow:ms=100");
    with_a_stranger(&seat, &(a + &b), &["--resume"]).expect(3, &["ERROR one::a gpu-not-free", "1 passed"]);
}

#[test]
fn what_an_override_of_the_machine_expects_is_looked_at() {
    let seat = Seat::two_h200();
    let override_of = |expect: &str| {
        let when = "    matrix:\n      env: { NCCL_NTHREADS: [~] }\n      override:\n        - when: { nvls: off }\n";
        format!("{when}          expect: {expect}\n")
    };
    let tests = collective("a", &override_of("{ algorithm: Ring, protocol: LL }"), "sizes: [8]");
    seat.run(&tests, &[]).expect(0, &["1 passed"]);
    let tests = collective("a", &override_of("{ wrong: 0 }"), "sizes: [8], expect: { wrong: unchecked }");
    seat.run(&tests, &[]).expect(0, &["1 passed"]);
}

#[test]
fn what_carried_a_test_is_read_from_a_session_of_its_own() {
    let seat = Seat::two_h200();
    let path = |name| collective(name, "", "sizes: [64K], expect: { transport: { require: [NVLink] } }");
    let tests = collective("a", "", "sizes: [8]") + &path("b") + &path("c") + &collective("d", "", "sizes: [8]");
    seat.run(&tests, &[]).expect(0, &["4 passed"]);
    let record = seat.record();
    let log = |at: usize| record["cases"][at]["collective"]["log"]["sources"][0].as_str().unwrap().to_owned();
    let folders = [0, 1, 2, 3].map(|at| log(at).split('/').nth(1).unwrap().to_owned());
    assert_eq!(folders, ["a", "b", "c", "c"]);
}

#[test]
fn an_algorithm_that_was_asked_for_and_is_not_seen_is_told() {
    let seat = Seat::two_h200();
    let tests = collective("a", "    env: { NCCL_ALGO: Ring }\n", "sizes: [8]");
    seat.run(&tests, &["--pin-env", "NCCL_DEBUG=WARN"]).expect(0, &[]);
    let found = seat.record()["cases"][0]["verdict"]["findings"].to_string();
    assert!(found.contains("unproved") && found.contains("NCCL_ALGO=Ring"), "{found}");
    seat.run(&tests, &[]).expect(0, &[]);
    let found = seat.record()["cases"][0]["verdict"]["findings"].to_string();
    assert!(!found.contains("unproved"), "{found}");
}

#[test]
fn cases_run_after_those_by_whose_figures_they_are_judged() {
    let share =
        |of: &str| format!("sizes: [64K], expect: {{ busbw: {{ 64K: {{ at_least: 0.1%, of: {{ test: {of} }} }} }} }}");
    let compare = "  - name: d\n    compare: { left: a, right: b, at: [64K], ratio: { min: 0.0001 } }\n";
    let apart = "    env: { NCCL_P2P_DISABLE: \"1\" }\n";
    let tests = compare.to_owned()
        + &collective("a", "", &share("b"))
        + &collective("b", apart, &share("c"))
        + &collective("c", "", "sizes: [64K]");
    Seat::two_h200().run(&tests, &[]).expect(0, &["4 passed"]);
}

#[test]
fn logs_stay_in_their_folder_whatever_a_cell_holds() {
    let seat = Seat::two_h200();
    let matrix = "    matrix: { env: { NCCL_GRAPH_DUMP_FILE: [\"../../../out\", \"/x/y\"] } }\n";
    seat.run(&collective("a", matrix, "sizes: [8]"), &[]).expect(0, &["2 passed"]);
    let logs = fs::read_dir(seat.path("linkspec-out/one/logs")).unwrap().count();
    assert_eq!(logs, 2);
}
