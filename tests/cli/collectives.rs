//! Collectives judged from the outputs that people have: a table of nccl-tests and a log.

use crate::support::Bench;

const SPEC: &str = "\
linkspec: 1
suite: two
tests:
  - name: all-reduce
    collective:
      op: all_reduce
      sizes: [1M, 1G]
      expect:
        busbw: { 1G: 300 GB/s }
        latency: { 1M: 30 us }
";

const HEAD: &str = "\
# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=22809
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 2 minBytes 1048576 maxBytes 1073741824 step: 1024(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4711 on        box device  0 [0000:17:00] NVIDIA TEST
#  Rank  1 Group  0 Pid   4711 on        box device  1 [0000:65:00] NVIDIA TEST
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
";

const SMALL: &str = "     1048576        262144     float     sum      -1    22.00   47.66   47.66       0    23.00   45.59   45.59       0\n";
const LARGE: &str = "  1073741824     268435456     float     sum      -1  3350.00  320.52  320.52       0  3400.00  315.81  315.81       0\n";
/// 285 GB/s in place: 5 % below the floor.
const SLOW: &str = "  1073741824     268435456     float     sum      -1  3350.00  320.52  320.52       0  3767.52  285.00  285.00       0\n";
const FOOT: &str = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 182.395\n#\n";

const RUN: [&str; 3] = ["spec.yaml", "--host", "host"];

fn bench(table: &str) -> Bench {
    Bench::new().file("spec.yaml", SPEC).file("host/nccl-tests/all-reduce.txt", table)
}

fn whole(rows: &[&str]) -> String {
    format!("{HEAD}{}{FOOT}", rows.concat())
}

#[test]
fn a_whole_output_within_its_bounds_passes() {
    bench(&whole(&[SMALL, LARGE])).run(&RUN).expect(0, &["two::all-reduce"]);
}

#[test]
fn a_slow_size_fails_with_test_size_place_value_bound_and_margin() {
    let texts = ["two::all-reduce", "1G", "in place", "285.00 GB/s", "300 GB/s", "5.00 %", "spec.yaml:"];
    bench(&whole(&[SMALL, SLOW])).run(&RUN).expect(1, &texts);
}

#[test]
fn a_run_without_its_end_never_passes_and_can_fail() {
    bench(&format!("{HEAD}{SMALL}{LARGE}")).run(&RUN).expect(3, &["nccl-tests/all-reduce.txt", "Out of bounds"]);
    bench(&format!("{HEAD}{SMALL}{SLOW}")).run(&RUN).expect(1, &["285.00 GB/s"]);
}

#[test]
fn wrong_data_fails_whatever_the_bandwidth() {
    let wrong = LARGE.replacen("320.52       0", "320.52       1", 1);
    bench(&whole(&[SMALL, &wrong])).run(&RUN).expect(1, &["wrong", "1G", "out of place"]);
    // A size that no test names counts too.
    let other = SMALL.replace("1048576        262144", "2097152        524288").replace("       0", "       3");
    bench(&whole(&[SMALL, &other, LARGE])).run(&RUN).expect(1, &["2M", "wrong"]);
}

#[test]
fn a_size_that_was_not_measured_is_an_error() {
    bench(&whole(&[SMALL])).run(&RUN).expect(3, &["1G"]);
}

#[test]
fn one_rank_has_no_bus_bandwidth() {
    let alone = HEAD.lines().filter(|line| !line.contains("Rank  1")).map(|line| format!("{line}\n"));
    bench(&format!("{}{SMALL}{LARGE}{FOOT}", alone.collect::<String>())).run(&RUN).expect(3, &["rank"]);
}

#[test]
fn a_bandwidth_that_its_own_row_contradicts_is_unknown() {
    let edited = LARGE.replacen("320.52  320.52", "320.52  420.52", 1);
    bench(&whole(&[SMALL, &edited])).run(&RUN).expect(3, &["nccl-tests/all-reduce.txt:13", "420.52", "320.52"]);
}

#[test]
fn a_folder_without_the_output_names_the_file() {
    let bench = Bench::new().file("spec.yaml", SPEC).file("host/README", "");
    bench.run(&RUN).expect(3, &["nccl-tests/all-reduce.txt"]);
}

#[test]
fn a_file_whose_name_is_nearly_right_is_pointed_out() {
    let bench = Bench::new().file("spec.yaml", SPEC).file("host/nccl-tests/all_reduce.txt", &whole(&[SMALL, LARGE]));
    bench.run(&RUN).expect(3, &["nccl-tests/all_reduce.txt", "did you mean \"all-reduce\"?"]);
}

#[test]
fn a_run_is_judged_again_from_its_record() {
    let bench = bench(&whole(&[SMALL, LARGE]));
    bench.run(&RUN).expect(0, &[]);
    let bench = bench.replace("spec.yaml", "300 GB/s", "330 GB/s");
    let again = ["spec.yaml", "--host", "linkspec-out/two/run.json", "--out", "again"];
    bench.run(&again).expect(1, &["315.81 GB/s", "330 GB/s"]);
    // The folder of results is such a folder too.
    let folder = ["spec.yaml", "--host", "linkspec-out/two", "--out", "again"];
    bench.run(&folder).expect(1, &["315.81 GB/s", "330 GB/s"]);
}

#[test]
fn outputs_that_disagree_are_both_named() {
    let json = r#"{"version": 3, "args": ["all_reduce_perf"], "nccl_version": 22809,
        "config": {"nthreads": 1, "ngpus": 2, "minimum_bytes": 1048576, "maximum_bytes": 1073741824, "validation": 1,
            "devices": [{"rank": 0, "hostname": "box", "device": 0}, {"rank": 1, "hostname": "box", "device": 1}]},
        "results": [{"size": 1073741824, "count": 268435456, "type": "float", "redop": "sum", "root": "    -1",
            "out_of_place": {"time": 3350.0, "alg_bw": 320.520000, "bus_bw": 320.520000, "nwrong": 0.0},
            "in_place": {"time": 3767.52, "alg_bw": 285.000000, "bus_bw": 285.000000, "nwrong": 0.0}}],
        "out_of_bounds": {"count": 0, "okay": "true"}, "end_time": "2026-05-04 10:00:00"}"#;
    let bench = bench(&whole(&[SMALL, LARGE])).file("host/nccl-tests/all-reduce.json", json);
    bench.run(&RUN).expect(3, &["nccl-tests/all-reduce.txt", "nccl-tests/all-reduce.json"]);
}

#[test]
fn nothing_of_the_environment_but_the_library_s_own_survives() {
    let json = r#"{"version": 3, "args": ["all_reduce_perf"], "env": ["SECRET_TOKEN=hunter2", "NCCL_ALGO=Ring"], "nccl_version": 22809,
        "config": {"devices": []}, "results": [], "end_time": "2026-05-04 10:00:00"}"#;
    let bench = Bench::new().file("spec.yaml", SPEC).file("host/nccl-tests/all-reduce.json", json);
    bench.run(&RUN).expect(3, &[]);
    for file in ["run.json", "run.jsonl", "junit.xml", "summary.md"] {
        assert!(!bench.read(&format!("linkspec-out/two/{file}")).contains("hunter2"), "{file}");
    }
    assert!(bench.read("linkspec-out/two/run.json").contains("NCCL_ALGO"));
}

#[test]
fn a_required_transport_is_proved_by_the_log_and_by_nothing_less() {
    let spec = SPEC.replace("      expect:\n", "      expect:\n        transport: { require: [P2P], forbid: [SHM] }\n");
    let log = |carrier: &str| {
        let mut log = String::new();
        for (rank, bus) in [(0, "17000"), (1, "65000")] {
            log.push_str(&format!("box:4711:{} [{rank}] NCCL INFO ncclCommInitRankConfig comm 0x5{rank} rank {rank} nranks 2 cudaDev {rank} nvmlDev {rank} busId {bus} commId 0xabc - Init COMPLETE\n", 4720 + rank));
        }
        for (from, to) in [(0, 1), (1, 0)] {
            log.push_str(&format!(
                "box:4711:4721 [{from}] NCCL INFO Channel 00/0 : {from}[{from}] -> {to}[{to}] via {carrier}\n"
            ));
        }
        log
    };
    let with =
        |log: &str| bench(&whole(&[SMALL, LARGE])).file("spec.yaml", &spec).file("host/nccl-log/all-reduce.txt", log);
    with(&log("P2P/CUMEM")).run(&RUN).expect(0, &[]);
    with(&log("SHM/direct/direct")).run(&RUN).expect(1, &["SHM"]);
    bench(&whole(&[SMALL, LARGE])).file("spec.yaml", &spec).run(&RUN).expect(3, &["nccl-log/all-reduce.txt"]);
    // One direction is missing.
    let half: String = log("P2P/CUMEM").lines().take(3).map(|line| format!("{line}\n")).collect();
    with(&half).run(&RUN).expect(3, &["rank 1"]);
}
