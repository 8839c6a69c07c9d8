//! `linkspec demo`, and the built-in servers that it shows.

use std::{fs, path::Path, process::Stdio};

use crate::support::Bench;

/// What a person sees first. `LINKSPEC_GOLDEN=overwrite` renews the file; its diff is then the review.
#[test]
fn the_screen() {
    let ran = Bench::new().run(&["demo"]).expect(0, &[]);
    assert_eq!(ran.stderr, "");
    let screen = untimed(&ran.stdout);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/demo/screen.txt");
    if std::env::var_os("LINKSPEC_GOLDEN").is_some_and(|value| value == "overwrite") {
        fs::write(&golden, &screen).unwrap();
    }
    assert_eq!(screen, fs::read_to_string(&golden).unwrap_or_default(), "renew with LINKSPEC_GOLDEN=overwrite");
    for line in screen.lines() {
        let copied = line.trim_start().starts_with("repeat:");
        assert!(copied || line.chars().count() <= 80, "{line}");
    }
    assert!(!screen.contains('\u{1b}'));
}

/// The text with every time set to nought: it must not depend on the machine's speed.
fn untimed(text: &str) -> String {
    let mut untimed = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let times = words.windows(2).filter(|pair| pair[1].trim_end_matches(';') == "s");
        let times = times.map(|pair| pair[0]).filter(|word| word.parse::<f64>().is_ok());
        let line = times.fold(line.to_owned(), |line, time| line.replace(&format!("{time} s"), "0.00 s"));
        untimed.push_str(&format!("{line}\n"));
    }
    untimed
}

#[test]
fn each_server_has_a_folder_with_the_reports_of_a_run_that_say_what_they_are_of() {
    let bench = Bench::new();
    bench.run(&["demo", "--out", "shown"]).expect(0, &["shown/healthy", "shown/faulty"]);
    assert!(!bench.path("linkspec-out").exists());
    for (server, failed) in [("healthy", 0), ("faulty", 4)] {
        let record: serde_json::Value = serde_json::from_str(&bench.read(&format!("shown/{server}/run.json"))).unwrap();
        let cases = record["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 16);
        assert_eq!(cases.iter().filter(|case| case["verdict"]["outcome"] == "fail").count(), failed);
        let junit = bench.read(&format!("shown/{server}/junit.xml"));
        assert!(junit.contains("tests=\"16\"") && junit.contains(&format!("failures=\"{failed}\"")));
        let marks = format!("recordings/hgx-h100-{server} (built in, constructed)");
        for report in ["run.json", "junit.xml", "summary.md"] {
            assert!(bench.read(&format!("shown/{server}/{report}")).contains(&marks), "{server} {report}");
        }
        assert!(bench.read(&format!("shown/{server}/summary.md")).contains("recorded"));
        assert!(bench.path(&format!("shown/{server}/run.jsonl")).is_file());
    }
    bench.run(&["report", "shown/faulty"]).expect(1, &["4 failed, 12 passed"]);
    bench.run(&["demo", "--out", "shown"]).expect(0, &[]);
}

/// Every command that the demo names for repeating a case repeats it, also where there is only the binary.
#[test]
fn what_repeats_a_case_works() {
    let bench = Bench::new();
    let ran = bench.run(&["demo"]);
    let repeats: Vec<&str> = ran.stdout.lines().filter_map(|line| line.trim().strip_prefix("repeat:")).collect();
    assert_eq!(repeats.len(), 4);
    for repeat in repeats {
        let words: Vec<&str> = repeat.split_whitespace().skip(1).collect();
        bench.run(&words).expect(1, &["1 failed; 1 case"]);
    }
}

#[test]
fn a_built_in_server_is_a_host_like_any_other() {
    let bench = Bench::new();
    bench.run(&["pack:hgx-h100", "--host", "demo:healthy"]).expect(0, &["16 passed", "built in, constructed"]);
    bench.run(&["pack:hgx-h100", "--host", "demo:broken"]).expect(2, &["demo:broken", "demo:healthy and demo:faulty"]);
}

#[test]
fn a_place_that_cannot_be_written() {
    let bench = Bench::new().file("taken", "a file");
    let ran = bench.run(&["demo", "--out", "taken"]).expect(2, &["taken: is a file, not a folder"]);
    assert_eq!(ran.stdout, "");
    bench.run(&["demo", "pack:hgx-h100"]).expect(2, &["unexpected argument"]);
}

/// Whoever reads only the first lines has the reports all the same.
#[test]
fn a_closed_pipe_is_no_error() {
    let bench = Bench::new();
    let mut child = bench.command(&["demo"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(bench.read("linkspec-out/demo/faulty/junit.xml").contains("failures=\"4\""));
}

#[test]
fn colour_only_where_it_is_asked_for() {
    let bench = Bench::new();
    assert!(bench.run(&["demo", "--color", "always"]).stdout.contains('\u{1b}'));
    let mut command = bench.command(&["demo"]);
    let output = command.env("NO_COLOR", "1").output().unwrap();
    assert!(!output.stdout.contains(&0x1b));
}
