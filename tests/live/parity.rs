//! `linkspec parity` as a whole: linkspec's own ranks on stand-ins of CUDA and NCCL, and an nccl-tests that is played.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::Value;

use crate::{
    library::stand_in,
    machines::guest_h200,
    seat::{Ran, Seat},
};

/// The machine's two GPUs, for the stand-in of CUDA.
const GPUS: &str = "LINKSPEC_FAKE_GPUS=0000:00:06.0,0000:00:07.0";

/// A machine with the played nccl-tests in `tests`.
fn seat() -> Seat {
    let seat = Seat::new(&guest_h200());
    fs::create_dir_all(seat.path("tests/build")).unwrap();
    for (script, place) in [("mpirun", "tests/mpirun"), ("all_reduce_perf", "tests/build/all_reduce_perf")] {
        let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fakes/nccl-tests").join(script)).unwrap();
        fs::write(seat.path(place), text).unwrap();
        fs::set_permissions(seat.path(place), fs::Permissions::from_mode(0o755)).unwrap();
    }
    seat
}

fn parity(seat: &Seat, variables: &[&str], options: &[&str]) -> Ran {
    let mut program = vec!["env", GPUS, "LINKSPEC_FAKE_NCCL=22809"];
    program.extend(variables);
    program.push(env!("CARGO_BIN_EXE_linkspec"));
    let launcher = format!("{} -np {{ranks}}", seat.path("tests/mpirun").display());
    let (cuda, nccl) = (stand_in("fake_cuda"), stand_in("fake_nccl"));
    let mut arguments = vec!["parity", "--nccl-tests", "tests", "--launcher", launcher.as_str(), "--pin", "none"];
    arguments.extend(["--to", "64", "--iterations", "2", "--out", "out"]);
    arguments.extend(["--cuda-library", cuda.to_str().unwrap(), "--nccl-library", nccl.to_str().unwrap()]);
    arguments.extend(options);
    seat.live_through(&program, &arguments)
}

#[test]
fn both_sides_run_and_stand_ins_never_pass() {
    let seat = seat();
    let ran = parity(&seat, &[], &["--pairs", "7", "--env", "NCCL_ALGO=Ring"]);
    ran.expect(
        3,
        &["all_reduce float sum, 2 GPUs, 2 iterations, 7 pairs of runs", "NOTHING WAS MEASURED", "whole run: "],
    );
    let json: Value = serde_json::from_slice(&fs::read(seat.path("out/parity.json")).unwrap()).unwrap();
    let rows = json["comparison"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8, "{json:#}");
    for row in rows {
        assert_eq!((row["theirs"].as_array().unwrap().len(), row["ours"].as_array().unwrap().len()), (7, 7), "{row}");
        assert_eq!(row["their_median"], 10.0, "{row}");
    }
    assert_eq!(json["setup"]["environment"]["NCCL_ALGO"], "Ring");
    let page = fs::read_to_string(seat.path("out/parity.md")).unwrap();
    assert!(page.contains("- NOTHING WAS MEASURED: a library was a stand-in\n"), "{page}");
    let kept = fs::read_to_string(seat.path("out/nccl-tests-7.json")).unwrap();
    assert!(kept.contains("NCCL_ALGO=Ring") && !kept.contains("hunter2"), "{kept}");
    assert!(seat.path("out/linkspec-rank1.log.txt").is_file());
}

#[test]
fn what_goes_wrong_on_either_side() {
    let seat = seat();
    let refused = |variable: &str, texts: &[&str]| {
        parity(&seat, &[variable], &["--pairs", "1"]).expect(3, texts);
        assert!(!seat.path("out/parity.json").exists());
    };
    refused("FAKE_LIBRARY=22703", &["not compared: the libraries differ: nccl-tests used 2.27.3, linkspec 2.28.9"]);
    refused("FAKE_FAULT=no-mpi", &["not compared: run 1 of nccl-tests: its ranks list shows 2 separate jobs"]);
    refused("FAKE_FAULT=fail", &["run 1 of nccl-tests: it ended with exit code 3: Test NCCL failure"]);
    refused("LINKSPEC_FAKE_FAULT=crash:at=init:rank=1", &["not compared: run 1 of linkspec: "]);
}

#[test]
fn an_interruption_ends_both_sides() {
    let seat = seat();
    let mark = format!("LINKSPEC_TEST_PARITY={}", std::process::id());
    // The signal comes while linkspec's side or nccl-tests' hangs: no run of seven pairs is through by then.
    let interrupted =
        [mark.as_str(), "FAKE_FAULT=hang", "timeout", "--foreground", "--preserve-status", "-s", "INT", "5"];
    parity(&seat, &interrupted, &["--pairs", "7"]).expect(130, &["interrupted: nothing was compared"]);
    let left = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    });
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!seat.path("out/parity.json").exists());
}

#[test]
fn gpus_are_chosen() {
    let seat = seat();
    parity(&seat, &[], &["--gpus", "0-0"]).expect(3, &["not compared: one GPU alone has no bus bandwidth"]);
    parity(&seat, &[], &["--gpus", "3"]).expect(3, &["not compared: --gpus 3: there are 2 GPUs"]);
}
