use proptest::prelude::*;

use super::*;

const HEALTHY: &str = "RCCL version 2.27.7 compiled with ROCm \"7.0.0.0\"
HIP runtime version 70000000, amdgpu driver version 70000000

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      3          4            2         12       24

Communicators... (0.01s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         2         3         8        24        24   RUNNING      OK

Errors
======

Warnings
========

";

const SICK: &str = "NCCL version 2.28.9 compiled with CUDA 13.0
CUDA runtime version 13000, driver version 13000

Job summary
===========

  Nodes  Processes
          per node
      1          4
      1          3

         Processes         GPUs
                    per process
                 7            1

  Nodes  Processes         GPUs
(total)    (total)      (total)
      2          7            7

Communicators... (2.05s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         2       3-4         8         7   RUNNING  INCOMPLETE,MISMATCH
    1         4         1         2         2         7      INIT      OK

Errors
======

INCOMPLETE
  Missing communicator data from 2 job processes
  Process 41 on node 10.0.0.2 managing GPU 1
  Process 42 on node 10.0.0.2 managing GPU 2

DEAD
  1 job process is considered dead (unreachable via the RAS network)
  Process 43 on node 10.0.0.2 managing GPU 3

#0-0 (00cc11) INCOMPLETE
  Missing communicator data from 3 ranks
  Rank 5 -- GPU 1 managed by process 41 on node 10.0.0.2

Warnings
========

TIMEOUT
  Encountered 2 communication timeouts while gathering communicator data

#0-0 (00cc11) MISMATCH
  Communicator ranks have different AllReduce operation counts
  3 ranks have launched up to operation 70
  Rank 2 has launched up to operation 69 -- GPU 2 managed by process 12 on node 10.0.0.1
  Rank 4 has not launched any operations -- GPU 0 managed by process 14 on node 10.0.0.1

  Communicator ranks have different Broadcast operation counts
  3 ranks have launched up to operation 9
  2 ranks have launched up to operation 8
  Rank 1 -- GPU 1 managed by process 11 on node 10.0.0.1
  Rank 3 -- GPU 3 managed by process 13 on node 10.0.0.1

";

const JSON: &str = r#"{
  "nccl_version": "2.29.1", "cuda_runtime_version": 13000, "timestamp": "2026-01-02 03:04:05",
  "communicators_count": 1,
  "communicators": [
    {"hash": "0xab", "secondary_hash": "0x1:0x2", "size": 3, "ranks_count": 2, "missing_ranks_count": 1,
      "ranks": [
        {"rank": 0, "host": "10.0.0.1", "pid": 7, "cuda_dev": 0, "nvml_dev": 0,
         "status": {"init_state": 0, "async_error": 0, "finalize_called": false, "destroy_flag": false, "abort_flag": false},
         "collective_counts": {"Broadcast": 4, "AllReduce": 12}},
        {"rank": 2, "host": "10.0.0.1", "pid": 9, "cuda_dev": 2, "nvml_dev": 2,
         "status": {"init_state": 0, "async_error": 6, "finalize_called": false, "destroy_flag": false, "abort_flag": false},
         "collective_counts": {"Broadcast": 4, "AllReduce": 11}}
      ],
      "missing_ranks": [
        {"rank": 1, "host": "10.0.0.1", "pid": 8, "cuda_dev": 1, "nvml_dev": 1,
         "status": {"unresponsive": true, "considered_dead": true}}
      ]}
  ],
  "ras": {"collection_time_sec": 0.010, "timeouts_count": 2}
}
"#;

fn spread(communicator: &str, operation: &str, (least, most): (u64, u64), behind: &[u32]) -> RasSpread {
    let (communicator, operation) = (communicator.to_owned(), operation.to_owned());
    RasSpread { communicator, operation, least, most, behind: behind.to_vec() }
}

fn json(from: &str, to: &str) -> RasAnswer {
    assert!(JSON.contains(from), "{from}");
    read_ras(&JSON.replace(from, to), "ras.json")
}

#[test]
fn a_healthy_job() {
    let expected = RasAnswer {
        source: "ras.txt".to_owned(),
        library: Some("RCCL 2.27.7".to_owned()),
        nodes: Some(3),
        gpus: Some(24),
        dead: Some(0),
        communicators: vec![RasCommunicator {
            count: Some(2),
            ranks: Some(24),
            missing: Some(0),
            status: "RUNNING".to_owned(),
            errors: "OK".to_owned(),
        }],
        ..RasAnswer::default()
    };
    assert_eq!(read_ras(HEALTHY, "ras.txt"), expected);
    let indented = HEALTHY.lines().map(|line| format!("  {line}\r\n")).collect::<String>();
    assert_eq!(read_ras(&format!("SERVER PROTOCOL 2\n{indented}"), "ras.txt"), expected);
    assert_eq!(read_ras(HEALTHY.trim_end(), "ras.txt"), expected);
}

#[test]
fn a_sick_job() {
    let read = read_ras(SICK, "ras.txt");
    assert_eq!((read.library.as_deref(), read.nodes, read.gpus), (Some("NCCL 2.28.9"), Some(2), Some(7)));
    let [first, second] = read.communicators.as_slice() else { panic!("{:?}", read.communicators) };
    assert_eq!((first.ranks, first.missing, first.errors.as_str()), (Some(8), Some(3), "INCOMPLETE,MISMATCH"));
    assert_eq!((second.count, second.ranks, second.missing), (Some(4), Some(2), Some(0)));
    assert_eq!((second.status.as_str(), second.errors.as_str()), ("INIT", "OK"));
    assert_eq!(read.dead, Some(1));
    assert_eq!((read.errors.len(), read.errors[7].as_str()), (10, "#0-0 (00cc11) INCOMPLETE"));
    assert_eq!(read.warnings[1], "Encountered 2 communication timeouts while gathering communicator data");
    let named = "#0-0 (00cc11)";
    assert_eq!(read.spreads, [spread(named, "AllReduce", (0, 70), &[4]), spread(named, "Broadcast", (8, 9), &[1, 3])]);
    assert_eq!((read.incomplete, read.damage), (None, vec![]));
}

#[test]
fn an_old_library_counts_all_operations_in_one() {
    let old = SICK.replace("different AllReduce operation", "different collective operation");
    assert_eq!(read_ras(&old, "ras.txt").spreads[0].operation, "collective");
    let status = SICK.replace("different AllReduce operation counts", "different status");
    assert_eq!(read_ras(&status, "ras.txt").spreads.len(), 1);
}

#[test]
fn an_answer_that_is_not_whole_says_so() {
    for (from, to, why) in [
        ("Warnings\n========", "", "it has no warnings"),
        ("Errors\n======\n", "", "it has no errors"),
        ("Job summary\n", "", "it has no summary of the job"),
        ("RUNNING      OK\n", "RUNNING\n", "a row of its list of communicators is cut"),
        ("RUNNING      OK\n", "RUNNING  MISMATCH\n", "it does not tell the errors of group 0"),
        ("RUNNING      OK\n", "RUNNING  INCOMPLETE\n", "it does not tell the errors of group 0"),
        ("    #  in group", "", "its list of communicators is empty"),
        ("    0         2", "    1         2", "its list of communicators has a gap"),
    ] {
        assert!(HEALTHY.contains(from), "{from}");
        assert_eq!(read_ras(&HEALTHY.replace(from, to), "ras.txt").incomplete.as_deref(), Some(why), "{from}");
    }
    let twice = HEALTHY.repeat(2);
    assert_eq!(read_ras(&twice, "ras.txt").incomplete.as_deref(), Some("it holds more than one answer"));
    for garbage in ["", "\n", "Group", "connection refused", "{", "{}"] {
        let read = read_ras(garbage, "ras.txt");
        assert!(read.incomplete.is_some() && read.communicators.is_empty(), "{garbage}: {read:?}");
    }
}

#[test]
fn the_json_of_a_sick_job() {
    let read = read_ras(&format!("OK\n{JSON}"), "ras.json");
    assert_eq!((read.library.as_deref(), read.nodes, read.dead), (Some("NCCL 2.29.1"), None, Some(1)));
    let expected = RasCommunicator {
        count: Some(1),
        ranks: Some(3),
        missing: Some(1),
        status: "RUNNING".to_owned(),
        errors: "INCOMPLETE,ERROR,MISMATCH".to_owned(),
    };
    assert_eq!(read.communicators, [expected]);
    assert_eq!(read.spreads, [spread("0xab", "AllReduce", (11, 12), &[2])]);
    let dead = "rank 1 of 0xab, process 8 on 10.0.0.1, is considered dead";
    assert_eq!(read.errors, [dead, "rank 2 of 0xab has the asynchronous error 6"]);
    assert_eq!(read.warnings, ["2 communication timeouts while gathering data"]);
    assert_eq!(read.incomplete, None);
}

#[test]
fn the_json_of_a_job_that_works_or_ends() {
    let working = JSON
        .replace("\"AllReduce\": 11", "\"AllReduce\": 12")
        .replace("\"async_error\": 6", "\"async_error\": 7")
        .replace("\"size\": 3", "\"size\": 2")
        .replace("\"rank\": 2", "\"rank\": 1")
        .replace("\"missing_ranks_count\": 1", "\"missing_ranks_count\": 0")
        .replace("\"timeouts_count\": 2", "\"timeouts_count\": 0");
    let (head, tail) = working.split_once("\"missing_ranks\": [").unwrap();
    let (_, tail) = tail.split_once("      ]}").unwrap();
    let working = format!("{head}\"missing_ranks\": []}}{tail}");
    let read = read_ras(&working, "ras.json");
    assert_eq!((read.communicators[0].errors.as_str(), read.communicators[0].missing), ("OK", Some(0)));
    assert_eq!((read.errors.len(), read.warnings.len(), read.dead, read.incomplete), (0, 0, Some(0), None));
    let ending = working.replacen("\"finalize_called\": false", "\"finalize_called\": true", 1);
    let read = read_ras(&ending, "ras.json");
    let communicator = &read.communicators[0];
    assert_eq!((communicator.status.as_str(), communicator.errors.as_str()), ("FINALIZE", "MISMATCH"));
}

#[test]
fn json_that_does_not_add_up_is_not_whole() {
    for (from, to) in [
        ("\"communicators_count\": 1", "\"communicators_count\": 2"),
        ("\"ranks_count\": 2", "\"ranks_count\": 3"),
        ("\"size\": 3", "\"size\": 4"),
        ("\"rank\": 2", "\"rank\": 0"),
        ("\"rank\": 1", "\"rank\": 2"),
        ("\"Broadcast\": 4, \"AllReduce\": 11", "\"Broadcast\": 4"),
        ("\"rank\": 2", "\"rank\": \"2\""),
        ("\"rank\": 2", "\"rank\": 2, \"rank\": 2"),
        ("  \"ras\": {", "  \"sar\": {"),
    ] {
        assert!(json(from, to).incomplete.is_some(), "{to}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in r#"(Job summary|Group|Errors|Warnings|=+|#0-0|MISMATCH|[ {}":,0-9a-z\n-]){0,60}"#) {
        read_ras(&text, "ras.txt");
    }

    #[test]
    fn a_cut_answer_is_never_whole_unless_nothing_was_lost(
        healthy in 0..HEALTHY.len(), sick in 0..SICK.len(), json in 0..JSON.len()
    ) {
        for (text, at) in [(HEALTHY, healthy), (SICK, sick), (JSON, json)] {
            let (whole, cut) = (read_ras(text, "ras"), read_ras(&text[..at], "ras"));
            // Between the counts of two operations nothing tells a cut.
            let between = text[..at].ends_with("10.0.0.1\n\n");
            prop_assert!(cut.incomplete.is_some() || cut == whole || between, "{at}: {cut:?}");
        }
    }

    #[test]
    fn damage_never_makes_a_sick_job_healthy(at in 0..SICK.len(), end in 0..SICK.len()) {
        let (head, tail) = (&SICK[..at.min(end)], &SICK[at.max(end)..]);
        let read = read_ras(&format!("{head}{tail}"), "ras");
        let healthy = |communicator: &RasCommunicator| communicator.errors == "OK";
        let looks_whole = read.incomplete.is_none() && read.damage.is_empty() && read.errors.is_empty();
        prop_assert!(!looks_whole || !read.communicators.iter().all(healthy));
    }
}
