//! The folder of results: no stale green, nothing lost.

use std::{fs, process::Stdio, thread, time::Duration};

use crate::support::Bench;

const RUN: [&str; 3] = ["spec.yaml", "--host", "host"];

const SLOW: &str = "\
linkspec: 1
suite: slow
tests:
  - { name: first, command: { run: [\"true\"] } }
  - { name: second, command: { run: [sleep, \"30\"] } }
  - { name: third, command: { run: [\"true\"] } }
";

#[test]
fn every_report_is_there_and_says_the_same() {
    let bench = Bench::new().with_h200();
    bench.run(&RUN).expect(0, &[]);
    let record: serde_json::Value = serde_json::from_str(&bench.read("linkspec-out/h200-x2/run.json")).unwrap();
    let cases = record["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 24);
    assert!(cases.iter().all(|case| case["verdict"]["outcome"] == "pass"));
    assert!(bench.read("linkspec-out/h200-x2/junit.xml").contains("tests=\"24\""));
    let page = bench.read("linkspec-out/h200-x2/report.html");
    assert!(page.contains("<title>PASSED: h200-x2 on "));
    assert!(page.contains("recorded: nothing was measured now"));
    assert!(bench.read("linkspec-out/h200-x2/run.jsonl").lines().count() >= 20);
    let left: Vec<_> = fs::read_dir(bench.path("linkspec-out/h200-x2")).unwrap().collect();
    assert_eq!(left.len(), 5, "no temporary file is left: {left:?}");
}

/// A run killed between two cases: the journal goes on from there, and no report of before stands for it.
#[test]
fn a_killed_run_leaves_a_journal_to_go_on_from_and_no_green_report() {
    let bench = Bench::new().file("slow.yaml", SLOW);
    let mut child = bench.command(&["slow.yaml"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = bench.path("linkspec-out/slow/run.jsonl");
    let begun = || fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"name\":\"slow::second\"}}"));
    for _ in 0..3000 {
        if begun() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let junit = bench.read("linkspec-out/slow/junit.xml");
    assert!(junit.contains("errors=\"3\"") && junit.contains("not finished"), "{junit}");
    assert!(bench.read("linkspec-out/slow/report.html").contains("3 cases did not end"));

    bench.run(&["report", "linkspec-out/slow"]).expect(3, &["not finished"]);
    assert!(bench.read("linkspec-out/slow/junit.xml").contains("errors=\"2\""));
    assert!(bench.read("linkspec-out/slow/report.html").contains("2 cases did not end"));

    let bench = bench.replace("slow.yaml", "[sleep, \"30\"]", "[\"true\"]");
    bench.run(&["slow.yaml", "--resume"]).expect(0, &["3 passed"]);
}

#[test]
fn an_interrupted_run_is_told_as_one_and_leaves_no_process() {
    let bench = Bench::new().file("slow.yaml", SLOW);
    let child = bench.command(&["slow.yaml"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let journal = bench.path("linkspec-out/slow/run.jsonl");
    for _ in 0..3000 {
        if fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"name\":\"slow::second\"}}")) {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let ran = crate::support::Ran::from(child.wait_with_output().unwrap())
        .expect(130, &["INTERRUPTED", "2 cases did not end"]);
    assert!(ran.stdout.contains("slow::first"));
    assert!(bench.read("linkspec-out/slow/junit.xml").contains("not run"));

    // The case that the signal cut short has no verdict that could stay.
    let bench = bench.replace("slow.yaml", "[sleep, \"30\"]", "[\"true\"]");
    bench.run(&["slow.yaml", "--resume"]).expect(0, &["3 passed"]);
}

#[test]
fn a_place_that_cannot_be_written_is_found_before_the_run() {
    let bench = Bench::new().file("slow.yaml", SLOW).file("out/slow", "a file");
    let began = std::time::Instant::now();
    bench.run(&["slow.yaml", "--out", "out"]).expect(2, &["out/slow"]);
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_journal_of_another_suite_is_not_gone_on_with() {
    let bench = Bench::new().with_h200();
    bench.run(&RUN).expect(0, &[]);
    let journal = bench.read("linkspec-out/h200-x2/run.jsonl");
    let bench = bench.file("linkspec-out/slow/run.jsonl", &journal);
    let bench = bench.file("slow.yaml", SLOW);
    bench.run(&["slow.yaml", "--resume"]).expect(2, &["h200-x2", "run without --resume"]);
}

#[test]
fn a_closed_pipe_does_not_end_a_run() {
    let bench = Bench::new().with_h200();
    let mut child = bench.command(&RUN).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(bench.read("linkspec-out/h200-x2/junit.xml").contains("errors=\"0\""));
}

/// The printed command, run as it is, leaves the results of the suite alone.
#[test]
fn a_repetition_has_results_of_its_own() {
    let slow = "linkspec: 1\nsuite: two\ntests:\n  - { name: bad, command: { run: [\"false\"] } }\n  - { name: good, command: \
                { run: [\"true\"] } }\n";
    let bench = Bench::new().file("two.yaml", slow);
    let ran = bench.run(&["two.yaml", "--out", "my out"]).expect(1, &["--out 'my out/repeat'"]);
    assert!(ran.stdout.contains("linkspec two.yaml two::bad --exact --out 'my out/repeat'"), "{}", ran.stdout);
    let before = bench.read("my out/two/run.json");
    bench.run(&["two.yaml", "two::bad", "--exact", "--out", "my out/repeat"]).expect(1, &[]);
    assert_eq!(bench.read("my out/two/run.json"), before);
    assert!(bench.read("my out/repeat/two/junit.xml").contains("tests=\"1\""));
    bench.run(&["two.yaml"]).expect(1, &["--out linkspec-out/repeat"]);
}
