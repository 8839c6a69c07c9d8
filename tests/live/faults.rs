//! Machines at fault, and drivers at fault: each is found and named, and costs no more than itself.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{
    machines::{hgx_h100, pcie_l40s},
    seat::Seat,
};

const QUICK: [&str; 3] = ["pack:hgx-h100", "--level", "quick"];
/// Hangs are told after this; a machine that is busy with other tests answers well within it.
const DEADLINE: [&str; 2] = ["--probe-deadline", "3"];

#[test]
fn a_link_that_is_down_is_named_with_its_gpu() {
    let mut machine = hgx_h100();
    machine.nvlink_down(3, 7);
    Seat::new(&machine).live(&QUICK).expect(
        1,
        &["GPU3 has 17 active NVLinks, expected 18; link 7 is inactive", "GPU0-GPU3 is NV17, expected NV18"],
    );
}

/// A board of another kind in one slot: its GPU has 16 NVLinks, as many as are numbered, and all are up.
#[test]
fn a_gpu_that_has_fewer_links_is_named_with_the_pairs_that_it_is_in() {
    let mut machine = hgx_h100();
    machine.gpu(6)["nvlinks"].as_array_mut().unwrap().truncate(16);
    let run = Seat::new(&machine).live(&QUICK);
    let run = run.expect(1, &["GPU6 has 16 active NVLinks, expected 18", "GPU0-GPU6 is NV16, expected NV18"]);
    assert!(!run.text.contains("is inactive"), "no link of it is down: {}", run.text);
}

#[test]
fn a_fabric_that_is_not_ready() {
    let mut machine = hgx_h100();
    machine.fabric_in_progress(2);
    Seat::new(&machine).live(&QUICK).expect(1, &["GPU2 has fabric state in-progress, expected completed"]);
}

#[test]
fn a_port_without_a_cable() {
    let mut machine = hgx_h100();
    machine.port_down("mlx5_4");
    Seat::new(&machine).live(&QUICK).expect(1, &["mlx5_4/1 is Down, expected Active"]);
}

#[test]
fn a_gpu_that_fell_off_the_bus() {
    let mut machine = hgx_h100();
    machine.gpu_gone_from_nvml(5);
    Seat::new(&machine)
        .live(&QUICK)
        .expect(1, &["machine has 7 GPUs, expected 8", "is lost: it is on the PCI bus, and NVML does not show it"]);
}

#[test]
fn a_narrow_card_and_a_slow_uplink() {
    let seat = Seat::new(&pcie_l40s());
    let spec = seat.spec("  - { name: pcie, level: quick, gpu: { pcie_width: 16, pcie_uplinks: full } }\n");
    let run = seat.live(&[spec]);
    let narrow = "has 8 PCIe lanes, expected 16";
    let slow = "0000:81:00.0, that runs at generation 2 x16; its ends reach generation 4 x16";
    run.expect(1, &[narrow, slow]);
}

#[test]
fn redirection_above_a_gpu() {
    let mut machine = hgx_h100();
    machine.pci("0000:15:01.0").config.acs = Some(0x1d);
    let seat = Seat::new(&machine);
    let spec = seat.spec("  - { name: acs, level: quick, host: { acs_redirect: off } }\n");
    seat.live(&[spec]).expect(1, &["bridge 0000:15:01.0", "ReqRedir, CmpltRedir, UpstreamFwd"]);
}

#[test]
fn what_only_root_may_read_is_unknown_and_says_so() {
    let mut machine = hgx_h100();
    machine.pci("0000:15:01.0").config.size = 64;
    let seat = Seat::new(&machine);
    let spec = seat.spec("  - { name: acs, level: quick, host: { acs_redirect: off } }\n");
    seat.live(&[spec]).expect(3, &["bridge 0000:15:01.0", "can be read by root only", "run it as root"]);
}

#[test]
fn a_call_that_hangs_costs_what_it_would_have_told() {
    let mut machine = hgx_h100();
    machine.nvml_fault(json!({"call": "nvmlDeviceGetGpuFabricInfoV", "gpu": 4, "kind": "hang"}));
    let seat = Seat::new(&machine);
    let began = Instant::now();
    let run = seat.live(&[&QUICK[..], &DEADLINE, &["--format", "pretty"]].concat());
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    let run = run.expect(3, &["GPU4", "gave no answer within 3 s"]);
    let ports = |line: &&str| line.contains("compute-ports") && line.ends_with("ok");
    assert!(run.cases().iter().any(ports), "{}", run.text);
    // The other GPUs are known all the same.
    assert!(!run.text.contains("GPU5: fabric state is unknown"), "{}", run.text);
}

#[test]
fn a_crash_of_the_driver_is_told_and_the_run_goes_on() {
    let mut machine = hgx_h100();
    machine.nvml_fault(json!({"call": "nvmlDeviceGetP2PStatus", "gpu": 0, "kind": "crash"}));
    let run = Seat::new(&machine).live(&QUICK);
    let run = run.expect(3, &["the process that read it was ended by SIGSEGV"]);
    assert!(run.text.contains("12 passed"), "{}", run.text);
}

#[test]
fn a_number_of_gpus_that_changes_is_unknown() {
    let mut machine = hgx_h100();
    machine.nvml_fault(json!({"call": "nvmlDeviceGetCount_v2", "after": 1, "kind": {"count": 7}}));
    Seat::new(&machine).live(&QUICK).expect(3, &["8", "7", "number of GPUs is unknown"]);
}

#[test]
fn a_driver_that_does_not_fit_its_library() {
    let mut machine = hgx_h100();
    machine.nvml_fault(json!({"call": "nvmlInit_v2", "kind": {"error": 18}}));
    let run = Seat::new(&machine).live(&QUICK);
    run.expect(3, &["NVIDIA GPUs", "version"]);
}

#[test]
fn an_old_library_tells_what_it_can() {
    let seat = Seat::new(&hgx_h100()).with_old_nvml();
    let run = seat.live(&[&QUICK[..], &["--format", "pretty"]].concat());
    assert!(run.cases().iter().any(|line| line.contains("peer-to-peer") && line.ends_with("ok")), "{}", run.text);
    seat.live(&QUICK).expect(3, &["fabric state is unknown", "nvmlDeviceGetGpuFabricInfo"]);
}

#[test]
fn a_program_that_was_taken_away_since_it_was_started_reads_all_the_same() {
    let seat = Seat::new(&hgx_h100());
    let copy = seat.path("linkspec");
    std::fs::copy(env!("CARGO_BIN_EXE_linkspec"), &copy).unwrap();
    let script = "exec 3<\"$0\"; rm \"$0\"; exec /proc/self/fd/3 \"$@\"";
    let run = seat.live_through(&["sh", "-c", script, copy.to_str().unwrap()], &QUICK);
    run.expect(0, &[]);
}

#[test]
fn a_launcher_that_ignores_the_ends_of_children_costs_no_fact() {
    let seat = Seat::new(&hgx_h100());
    let spec = seat.spec("  - { name: service, level: quick, host: { services: { nvidia-fabricmanager: active } } }\n");
    let program = ["env", "--ignore-signal=CHLD", env!("CARGO_BIN_EXE_linkspec")];
    seat.live_through(&program, &[spec]).expect(0, &[]);
}

#[test]
fn a_repetition_gives_the_driver_as_much_time() {
    let mut machine = hgx_h100();
    machine.port_down("mlx5_4");
    let run = Seat::new(&machine).live(&[&QUICK[..], &["--probe-deadline", "45.5"]].concat());
    run.expect(1, &["--probe-deadline 45.5 --out"]);
}
