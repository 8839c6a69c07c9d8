use proptest::prelude::*;

use super::*;
use crate::evidence::{Figure, OutOfBounds, SizeRange, Wrong};

const NCCL: &str = r#"{
 "version": 3, "start_time": "2026-01-02 03:04:05",
 "args": ["/opt/bin/reduce_scatter_perf", "-b", "4K", "-e", "8K"],
 "env": ["SECRET_TOKEN=hunter2", "NCCL_ALGO=Ring", "NCCL_ALGO=Tree", "CUDA_VISIBLE_DEVICES=3,5", "PATH=/bin"],
 "nccl_version": 23007,
 "config": {"nthreads": 1, "ngpus": 1, "minimum_bytes": 4096, "maximum_bytes": 8192, "step_factor": 2,
  "warmup_iters": 7, "iterations": 33, "aggregated_iterations": 1, "validation": 1, "graph": 0,
  "blocking_collectives": "false", "devices": [
   {"rank": 0, "group": 0, "pid": 11, "hostname": "left", "device": 3, "device_hex": "0000:1b:00", "device_info": "GPU X"},
   {"rank": 1, "group": 0, "pid": 12, "hostname": "right", "device": 5, "device_hex": "0000:1c:00", "device_info": "GPU X"}]},
 "results": [
  {"size": 4096, "count": 512, "type": "float", "redop": "sum", "root": "    -1",
   "out_of_place": {"time": 8.500000, "alg_bw": 0.481882, "bus_bw": 0.240941, "nwrong": 0.000000},
   "in_place": {"time": 9.0, "alg_bw": 0.455111, "bus_bw": 0.227556, "nwrong": 3.000000}, "experiment_name": ""},
  {"size": 8192, "count": 1024, "type": "float", "redop": "sum", "root": "     2",
   "out_of_place": null,
   "in_place": {"time": 10.25, "alg_bw": "nan", "bus_bw": "nan", "nwrong": null}, "experiment_name": ""}
 ],
 "out_of_bounds": {"count": 1, "okay": "false"},
 "average_bus_bandwidth": {"bandwidth": 0.234, "okay": "unchecked"}, "errors": [""],
 "end_time": "2026-01-02 03:04:06"
}"#;

const RCCL: &str = r##"[
{"numCycle":0, "name":"AllReduce", "gpus":4, "size":1024, "type":"half", "redop":"max", "inPlace":0, "time":12.500000, "algBw":0.081920, "busBw":0.122880, "wrong":"0"},
{"numCycle":0, "name":"AllReduce", "gpus":4, "size":1024, "type":"half", "redop":"max", "inPlace":1, "time":12.000000, "algBw":0.085333, "busBw":0.128000, "wrong":"N/A"},
{"#wrong":"5", "numCycle":0, "name":"AllReduce", "gpus":4, "size":2048, "type":"half", "redop":"max", "inPlace":1, "time":13.000000, "algBw":0.157538, "busBw":0.236308}
]
"##;

fn nccl(from: &str, to: &str) -> Measurement {
    assert!(NCCL.contains(from), "{from}");
    read_nccl_tests_json(&NCCL.replace(from, to), "a.json")
}

#[test]
fn the_header_of_nccl_tests() {
    let read = read_nccl_tests_json(NCCL, "a.json");
    assert_eq!(read.sources, ["a.json"]);
    assert_eq!(read.operation.as_deref(), Some("reduce_scatter"));
    assert_eq!(read.library.as_ref().map(|version| version.0.as_str()), Some("2.30.7"));
    assert_eq!(read.range, Some(SizeRange { from: 4096, to: 8192 }));
    assert_eq!((read.warmup, read.iterations, read.validation), (Some(7), Some(33), Some(true)));
    assert_eq!((read.whole_ranks(), read.hosts()), (Some(2), Some(2)));
    let rank = &read.ranks[1];
    assert_eq!((rank.device, rank.pci.as_deref(), rank.name.as_deref()), (Some(5), Some("0000:1c:00"), Some("GPU X")));
    assert_eq!(read.out_of_bounds, Some(OutOfBounds { count: 1, ok: false }));
    assert_eq!((read.unfinished, read.rows_doubt), (None, None));
}

#[test]
fn the_results_of_nccl_tests() {
    let read = read_nccl_tests_json(NCCL, "a.json");
    let [first, second] = read.rows.as_slice() else { panic!("{:?}", read.rows) };
    let out = first.out_of_place.unwrap();
    assert_eq!((first.size, first.count, first.root, first.line), (4096, Some(512), Some(-1), 12));
    assert_eq!((first.datatype.as_deref(), first.redop.as_deref()), (Some("float"), Some("sum")));
    assert_eq!((out.time.value, out.algbw.value, out.busbw.value), (8.5, 0.481_882, 0.240_941));
    // 8.500000 was shortened to 8.5 in other files: the rounding is that of the tool.
    assert_eq!((out.busbw.rounding, first.in_place.unwrap().time.rounding), (5e-7, 5e-7));
    assert_eq!((out.wrong, first.in_place.unwrap().wrong), (Wrong::Elements(0), Wrong::Elements(3)));
    assert_eq!((second.root, second.out_of_place, second.in_place), (Some(2), None, None));
    let [damage] = read.damage.as_slice() else { panic!("{:?}", read.damage) };
    assert_eq!((damage.line, damage.reason.as_str()), (17, "results.in_place.alg_bw is nan"));
}

#[test]
fn of_the_environment_only_the_libraries_variables_survive() {
    let read = read_nccl_tests_json(NCCL, "a.json");
    let environment: Vec<_> = read.environment.as_ref().unwrap().iter().map(|(k, v)| format!("{k}={v}")).collect();
    assert_eq!(environment, ["CUDA_VISIBLE_DEVICES=3,5", "NCCL_ALGO=Ring"]);
    let broken = nccl("\"PATH=/bin\"", "7");
    assert_eq!(broken.environment, None);
    assert_eq!(broken.damage[0].to_string(), "a.json: env: it is no list of texts");
    for text in [NCCL.to_owned(), NCCL.replace("\"PATH=/bin\"", "7"), NCCL.replace("\"env\": [", "\"env\": {\"x\": [")]
    {
        let read = read_nccl_tests_json(&text, "a.json");
        assert!(!format!("{read:?}").contains("hunter2"), "{read:?}");
    }
}

#[test]
fn what_was_not_checked_is_unchecked() {
    let read = nccl("\"validation\": 1", "\"validation\": 0");
    assert_eq!(read.validation, Some(false));
    assert_eq!(read.rows[0].in_place.unwrap().wrong, Wrong::Unchecked);
    let read = nccl("\"nwrong\": 3.000000", "\"nwrong\": null");
    assert_eq!(read.rows[0].in_place.unwrap().wrong, Wrong::Unchecked);
    let read = nccl("\"nwrong\": 3.000000", "\"nwrong\": 0.5");
    assert_eq!(read.rows[0].in_place, None);
}

#[test]
fn the_hosts_time_gives_no_figure() {
    let read = nccl("\"time\": 8.5", "\"cpu_time\": 8.5");
    assert_eq!(read.rows[0].out_of_place, None);
    assert!(read.damage[0].reason.contains("(-C 1)"), "{:?}", read.damage);
}

#[test]
fn a_list_with_fewer_devices_than_gpus_of_a_process_is_doubtful() {
    let read = nccl("\"ngpus\": 1", "\"ngpus\": 3");
    assert_eq!(read.ranks.len(), 2);
    assert_eq!(read.ranks_doubt.as_deref(), Some("each process drives 3 GPUs, and it lists 2 in all"));
    assert_eq!(nccl("\"rank\": 1,", "\"rank\": 4,").whole_ranks(), None);
    assert_eq!(nccl("\"rank\": 1,", "").whole_ranks(), None);
    assert!(nccl("\"ngpus\": 1,", "").ranks_doubt.is_some());
}

#[test]
fn library_versions() {
    for (code, expected) in [("22809", Some("2.28.9")), ("2708", Some("2.7.8")), ("20904", Some("2.9.4")), ("7", None)]
    {
        let read = nccl("23007", code);
        assert_eq!(read.library.map(|version| version.0).as_deref(), expected, "{code}");
    }
}

#[test]
fn a_stopped_run_is_unfinished() {
    for (from, to) in [
        (",\n \"end_time\": \"2026-01-02 03:04:06\"", ""),
        (" \"out_of_bounds\": {\"count\": 1, \"okay\": \"false\"},\n", ""),
    ] {
        let read = nccl(from, to);
        assert_eq!(read.rows.len(), 2);
        assert!(read.unfinished.is_some(), "{from}");
    }
}

#[test]
fn a_cut_file_keeps_its_whole_results() {
    let cut = NCCL.find("\"in_place\": {\"time\": 10.25").unwrap();
    let read = read_nccl_tests_json(&NCCL[..cut], "a.json");
    assert_eq!(read.rows.iter().map(|row| row.size).collect::<Vec<_>>(), [4096]);
    assert_eq!(read.whole_ranks(), Some(2));
    assert_eq!(read.unfinished.as_deref(), Some("its JSON ends before it is closed"));
    assert_eq!(read.damage.len(), 1, "{:?}", read.damage);
    // A list of variables that is cut says nothing of the others.
    let cut = NCCL.find("\"NCCL_ALGO=Tree\"").unwrap();
    assert_eq!(read_nccl_tests_json(&NCCL[..cut], "a.json").environment, None);
}

#[test]
fn what_is_damaged_gives_no_row() {
    for (from, to, reason) in [
        ("\"size\": 4096", "\"size\": \"4096\"", "results: invalid type: string \"4096\", expected u64"),
        ("\"size\": 4096", "\"size\": 4096, \"size\": 1", "results: duplicate field `size`"),
        ("\"size\": 4096, ", "", "results: missing field `size`"),
        ("\"root\": \"    -1\"", "\"root\": \"x\"", "results.root is no rank"),
    ] {
        let read = nccl(from, to);
        assert_eq!(read.rows.iter().map(|row| row.size).collect::<Vec<_>>(), [8192], "{to}");
        assert_eq!((read.damage[0].line, read.damage[0].reason.as_str()), (12, reason));
    }
    let twice = nccl("\"bus_bw\": 0.240941", "\"bus_bw\": 0.240941, \"bus_bw\": 9.0");
    assert_eq!((twice.rows[0].out_of_place, twice.rows[0].in_place.is_some()), (None, true));
    let negative = nccl("\"bus_bw\": 0.240941", "\"bus_bw\": -0.240941");
    assert_eq!(negative.rows[0].out_of_place, None);
}

#[test]
fn other_versions_cannot_pass() {
    assert!(nccl("\"version\": 3", "\"version\": 4").rows_doubt.is_some());
    assert!(nccl("\"version\": 3", "\"version\": \"3\"").rows_doubt.is_some());
    assert_eq!(nccl("\"version\": 3", "\"version\": 1").rows_doubt, None);
}

#[test]
fn garbage_gives_nothing() {
    let deep = "[".repeat(100_000);
    for text in [
        "",
        " ",
        "{",
        "nonsense",
        "{}",
        "[1,",
        "[{\"gpu\":0}]",
        "\"text\"",
        "17",
        "null",
        "{\"results\": 3, \"results\": 4}",
        &deep,
    ] {
        let read = read_nccl_tests_json(text, "a.json");
        assert!(read.rows.is_empty() && read.unfinished.is_some(), "{text:.20}: {read:?}");
        assert!(!read.damage.is_empty(), "{text:.20}");
    }
}

#[test]
fn lines_of_rccl_tests() {
    let read = read_nccl_tests_json(RCCL, "r.json");
    assert_eq!((read.tool.as_deref(), read.operation.as_deref()), (Some("rccl-tests"), Some("all_reduce")));
    assert_eq!((read.whole_ranks(), read.hosts(), read.unfinished.as_deref()), (Some(4), None, None));
    let [first, second] = read.rows.as_slice() else { panic!("{:?}", read.rows) };
    assert_eq!((first.size, first.line, second.size, second.line), (1024, 2, 2048, 4));
    assert_eq!(first.out_of_place.unwrap().wrong, Wrong::Elements(0));
    assert_eq!(first.in_place.unwrap().wrong, Wrong::Unchecked);
    assert_eq!(first.in_place.unwrap().busbw, Figure { value: 0.128, rounding: 5e-7 });
    assert_eq!((second.out_of_place, second.in_place.unwrap().wrong), (None, Wrong::Elements(5)));
    assert_eq!(read.damage, []);
}

#[test]
fn ranks_of_rccl_tests_are_known_on_one_node_only() {
    let of = |ranks: &str| read_nccl_tests_json(&RCCL.replace("\"gpus\":4", ranks), "r.json");
    let one = of("\"nodes\":1, \"ranks\":2, \"ranksPerNode\":2, \"gpusPerRank\":3");
    assert_eq!(one.whole_ranks(), Some(6));
    let two = of("\"nodes\":2, \"ranks\":8, \"ranksPerNode\":4, \"gpusPerRank\":1");
    assert_eq!((two.whole_ranks(), two.ranks_doubt.is_some()), (None, true));
    assert_eq!(of("\"gpus\":4000000000").whole_ranks(), None);
    let mixed = read_nccl_tests_json(&RCCL.replacen("AllReduce", "AlltoAll", 1), "r.json");
    assert_eq!((mixed.operation.as_deref(), mixed.rows_doubt.is_some()), (None, true));
}

#[test]
fn a_cut_list_of_rccl_tests() {
    let cut = RCCL.find("{\"#wrong").unwrap();
    let read = read_nccl_tests_json(&RCCL[..cut], "r.json");
    assert_eq!((read.rows.len(), read.unfinished.is_some()), (1, true));
    let nan = read_nccl_tests_json(&RCCL.replace("0.236308", "nan"), "r.json");
    assert_eq!((nan.rows.len(), nan.unfinished.as_deref()), (1, Some("its JSON is broken")));
}

proptest! {
    #[test]
    fn no_text_panics(text in r#"[\[\]{}",:0-9a-z_\\.é \n-]{0,80}"#) {
        read_nccl_tests_json(&text, "a.json");
    }

    #[test]
    fn no_damage_of_a_good_file_panics_or_tells_the_environment(
        at in 0..NCCL.len(), end in 0..NCCL.len(), with in r#"[\[\]{}",:0-9a-z]{0,6}"#
    ) {
        let (head, tail) = (&NCCL[..at.min(end)], &NCCL[at.max(end)..]);
        let read = read_nccl_tests_json(&format!("{head}{with}{tail}"), "a.json");
        prop_assert!(!format!("{read:?}").contains("hunter2"), "{read:?}");
    }

    #[test]
    fn a_cut_text_is_never_finished(at in 0..NCCL.len(), list in 0..RCCL.len()) {
        prop_assert!(read_nccl_tests_json(&NCCL[..at], "a.json").unfinished.is_some());
        let cut = &RCCL[..list];
        prop_assert!(cut.trim_end() == RCCL.trim_end() || read_nccl_tests_json(cut, "r.json").unfinished.is_some());
    }
}
