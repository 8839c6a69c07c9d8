//! Measurements that come to their end.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::seat::Seat;

const ONE: &str = "  - name: all-reduce\n    pin: none\n    collective:\n      op: all_reduce\n      sizes: { from: 8, to: 64K, factor: 4 }\n      \
                   expect: { transport: { require: [P2P] } }\n";

/// A test of a name with lines of its own.
pub fn test(name: &str, lines: &str) -> String {
    format!(
        "  - name: {name}\n    pin: none\n    collective:\n      op: all_reduce\n      sizes: [1K]\n      iterations: 2\n{lines}"
    )
}

/// The processes of a case.
pub fn pids(record: &Value, case: usize) -> Vec<u64> {
    let placements = record["cases"][case]["collective"]["engine"]["placements"].as_array().unwrap();
    placements.iter().map(|placement| placement["pid"].as_u64().unwrap()).collect()
}

#[test]
fn two_gpus_reduce_right_data_over_p2p() {
    let seat = Seat::two_h200();
    seat.run(ONE, &[]).expect(0, &["1 passed", "no measurement of any machine"]);
    let record = seat.record();
    let engine = &record["cases"][0]["collective"]["engine"];
    // 8 to 64K by fours are 8, 32, .., 32K: 7 sizes, two places, two ranks; every byte is checked.
    let samples = engine["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 7 * 2 * 2);
    assert!(samples.iter().all(|sample| sample["checked"] == sample["size"] && sample["wrong"] == 0), "{samples:?}");
    let library = &engine["libraries"][1];
    assert_eq!(
        (&library["name"], &library["version"], &library["fake"]),
        (&"NCCL".into(), &"2.28.3".into(), &true.into())
    );
    assert!(library["path"].as_str().unwrap().ends_with("libfake_nccl.so"));
    for rank in 0..2 {
        let log =
            fs::read_to_string(seat.path(&format!("linkspec-out/one/logs/all-reduce/rank{rank}.log.txt"))).unwrap();
        assert!(log.contains("NCCL INFO"), "{log}");
    }
    assert_nothing_is_left(&pids(&record, 0));
    // The same measurement is judged the same from its folder.
    seat.judge("linkspec-out/one").expect(0, &["1 passed"]);
}

/// No process of these, and no file of theirs in shared memory.
pub fn assert_nothing_is_left(pids: &[u64]) {
    assert!(!pids.is_empty());
    for pid in pids {
        assert!(!fs::exists(format!("/proc/{pid}")).unwrap(), "{pid} is left");
        let theirs =
            |name: &str| name.contains(&pid.to_string()) && (name.contains("nccl") || name.contains("linkspec"));
        let left = fs::read_dir("/dev/shm").unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert_eq!(left.filter(|name| theirs(name)).collect::<Vec<_>>(), Vec::<String>::new());
    }
}

#[test]
fn eight_h100() {
    let seat = Seat::eight_h100();
    seat.run(&test("all", "      expect: { transport: { require: [P2P] }, ranks: checked }\n"), &[])
        .expect(0, &["1 passed"]);
    assert_eq!(pids(&seat.record(), 0).iter().collect::<BTreeSet<_>>().len(), 8);
}

#[test]
fn eight_mi300x() {
    let seat = Seat::eight_mi300x();
    seat.run(&test("all", "      expect: { transport: { require: [P2P] }, ranks: checked }\n"), &[])
        .expect(0, &["1 passed"]);
    let record = seat.record();
    let libraries = &record["cases"][0]["collective"]["engine"]["libraries"];
    assert_eq!((&libraries[0]["name"], &libraries[1]["name"]), (&"HIP".into(), &"RCCL".into()));
    assert_nothing_is_left(&pids(&record, 0));
}

#[test]
fn libraries_of_2021() {
    // NCCL 2.10 has no configurations, no memory of its own and no last error.
    for (seat, option) in [(Seat::two_h200(), "--nccl-library"), (Seat::two_mi300x(), "--rccl-library")] {
        let seat = seat.library(option, "fake_nccl_old").with("LINKSPEC_FAKE_NCCL", "21003");
        seat.run(&test("old", ""), &[]).expect(0, &["1 passed"]);
        assert_eq!(seat.record()["cases"][0]["collective"]["engine"]["libraries"][1]["version"], "2.10.3");
    }
}

#[test]
fn libraries_that_print() {
    let seat = Seat::two_h200().fault("noise");
    seat.run(&test("noise", ""), &[]).expect(0, &["1 passed"]);
}

#[test]
fn a_rank_that_is_slow_makes_all_slow() {
    let seat = Seat::two_h200().fault("slow:rank=1:ms=20");
    seat.run(&test("slow", ""), &[]).expect(0, &["1 passed"]);
    let record = seat.record();
    let samples = record["cases"][0]["collective"]["engine"]["samples"].as_array().unwrap();
    let slow = |sample: &Value| sample["time"].as_f64().unwrap() >= 20_000.0;
    assert!(samples.iter().filter(|sample| sample["rank"] == 1).all(slow), "{samples:?}");
}
