//! What cases ask for: types, reductions, paths, environments; and which cases share their processes.

use std::collections::BTreeSet;

use crate::{
    healthy::{pids, test},
    seat::Seat,
};

/// The report of a test whose code this is.
fn runs(seat: &Seat, tests: &str, code: i32, texts: &[&str]) {
    seat.run(tests, &[]).expect(code, texts);
}

#[test]
fn every_type_and_reduction_gives_right_data() {
    let types = "[int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16, fp8_e4m3, fp8_e5m2]";
    let mut tests = String::new();
    for reduction in ["sum", "prod", "min", "max", "avg"] {
        // 3000 bytes are no multiple of every period.
        tests += &test(reduction, &format!("      redop: {reduction}\n    matrix: {{ datatype: {types} }}\n"));
    }
    let seat = Seat::two_h200();
    runs(&seat, &tests.replace("[1K]", "[3000]").replace("iterations: 2", "iterations: 1"), 0, &["60 passed"]);
    // One environment: two processes for all.
    let record = seat.record();
    let all: BTreeSet<u64> = (0..60).flat_map(|case| pids(&record, case)).collect();
    assert_eq!(all.len(), 2);
}

#[test]
fn without_p2p_the_traffic_goes_through_host_memory() {
    let env = "    env: { NCCL_P2P_DISABLE: \"1\" }\n";
    let good = test("good", &format!("      expect: {{ transport: {{ require: [SHM], forbid: [P2P] }} }}\n{env}"));
    let bad = test("bad", "      expect: { transport: { require: [SHM] } }\n");
    let seat = Seat::two_h200();
    runs(&seat, &format!("{good}{bad}"), 1, &["1 failed, 1 passed", "fail[transport]", "pass one::good"]);
    let (good, bad) = (pids(&seat.record(), 0), pids(&seat.record(), 1));
    assert!(good.iter().all(|pid| !bad.contains(pid)), "{good:?} {bad:?}");
}

#[test]
fn without_p2p_and_shared_memory_it_goes_through_sockets() {
    let env = "    env: { NCCL_P2P_DISABLE: \"1\", NCCL_SHM_DISABLE: \"1\" }\n";
    let tests = test("sockets", &format!("      expect: {{ transport: {{ require: [Socket] }} }}\n{env}"));
    runs(&Seat::two_h200(), &tests, 0, &["1 passed"]);
}

#[test]
fn ranks_on_hosts_of_their_own() {
    let env = "    env: { NCCL_HOSTID: { per_rank: [one, two] } }\n";
    let tests =
        test("hosts", &format!("      expect: {{ transport: {{ require: [NET], forbid: [P2P, SHM] }} }}\n{env}"));
    runs(&Seat::two_h200(), &tests, 0, &["1 passed"]);
    let one = tests.replace("[one, two]", "[one]");
    runs(&Seat::two_h200(), &one, 3, &["error[", "NCCL_HOSTID has 1 values for 2 ranks"]);
}

#[test]
fn an_algorithm_and_a_protocol_that_are_asked_for_are_chosen() {
    let cells = "    matrix: { env: { NCCL_ALGO: [Ring, Tree], NCCL_PROTO: [LL128, Simple] } }\n";
    let tests = test("cell", cells);
    runs(&Seat::two_h200(), &tests, 0, &["4 passed"]);
    let expect =
        "      expect: { algorithm: Tree, protocol: LL128 }\n    env: { NCCL_ALGO: Tree, NCCL_PROTO: LL128 }\n";
    let other = "      expect: { algorithm: Ring }\n    env: { NCCL_ALGO: Tree }\n";
    let tests = format!("{}{}", test("same", expect), test("other", other));
    runs(&Seat::two_h200(), &tests, 1, &["pass one::same", "fail[algorithm]"]);
}

#[test]
fn two_suites() {
    let seat = Seat::two_h200();
    let second = format!("linkspec: 1\nsuite: two\ntests:\n{}", test("more", ""));
    std::fs::write(seat.path("two.yaml"), second).unwrap();
    seat.run(&test("all", ""), &["two.yaml"]).expect(0, &["pass one::all", "pass two::more"]);
    for log in ["one/logs/all", "two/logs/more"] {
        assert!(seat.path(&format!("linkspec-out/{log}/rank1.log.txt")).exists(), "{log}");
    }
    // A failure is one in what was saved, too.
    let wrong = Seat::two_h200().fault("wrong:rank=1");
    wrong.run(&test("all", ""), &[]).expect(1, &["1 failed"]);
    wrong.judge("linkspec-out/one").expect(1, &["1 failed", "wrong-data"]);
    let hang = Seat::two_h200().fault("crash:rank=1");
    hang.run(&test("all", ""), &[]).expect(3, &["rank-crashed"]);
    hang.judge("linkspec-out/one").expect(3, &["rank-crashed"]);
}
