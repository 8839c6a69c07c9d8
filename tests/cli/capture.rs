//! `linkspec capture` on whatever machine the tests run on: it may have GPUs, or nothing that is read.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

use super::support::Bench;

/// What any Linux machine can be asked.
const HOST_SPEC: &str = "\
linkspec: 1
suite: any-host
tests:
  - name: arguments
    level: quick
    host:
      kernel_arguments: { forbid: [no_machine_has=this] }
  - name: nodes
    level: quick
    host:
      numa_nodes: { min: 1 }
  - name: limits
    level: quick
    host:
      memlock: { min: 1MiB }
  - name: log
    level: quick
    host:
      kernel_log: { forbid: [xid, sxid, fallen-off-bus] }
";

fn bench() -> Bench {
    Bench::new().file("host.yaml", HOST_SPEC)
}

/// Each case with its outcome.
fn outcomes(bench: &Bench, spec: &str, host: Option<&str>) -> BTreeMap<String, String> {
    let mut arguments = vec![spec, "--level", "quick", "--format", "json"];
    arguments.extend(host.into_iter().flat_map(|host| ["--host", host]));
    let ran = bench.run(&arguments);
    let mut outcomes = BTreeMap::new();
    for line in ran.stdout.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        if event["type"] == "test" && event["event"] != "started" {
            outcomes.insert(event["name"].to_string(), event["event"].to_string());
        }
    }
    assert!(!outcomes.is_empty(), "{}{}", ran.stdout, ran.stderr);
    outcomes
}

fn facts(bench: &Bench, name: &str) -> serde_json::Value {
    serde_json::from_str(&bench.read(name)).unwrap()
}

#[test]
fn a_captured_machine_is_judged_as_the_live_one() {
    let bench = bench();
    let began = Instant::now();
    let ran = bench.run(&["capture", "saved"]).expect(0, &["judge it: linkspec SPEC --host saved"]);
    // A driver may have GPUs to wake, and this build is not optimised.
    let has_gpus = !facts(&bench, "saved/facts.json")["gpus"].as_array().unwrap().is_empty();
    assert!(has_gpus || began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(ran.stderr, "");
    let spec = format!("{}/specs/h200-x2.yaml", env!("CARGO_MANIFEST_DIR"));
    for spec in [spec.as_str(), "host.yaml"] {
        assert_eq!(outcomes(&bench, spec, Some("saved")), outcomes(&bench, spec, None), "{spec}");
    }
    let judged = bench.run(&["host.yaml", "--host", "saved"]);
    assert!(!judged.stderr.contains("not read"), "{}", judged.stderr);
}

#[test]
fn it_writes_two_files_and_nothing_else() {
    let bench = bench();
    let ran = bench.run(&["capture", "new/folder"]).expect(0, &["new/folder/facts.json, new/folder/topology.txt"]);
    let mut names: Vec<String> = fs::read_dir(bench.path("new/folder"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["facts.json", "topology.txt"]);
    assert_eq!(fs::read_dir(bench.path("")).unwrap().count(), 2, "host.yaml and new");
    assert!(ran.stdout.contains(&bench.read("new/folder/topology.txt")));
    // Each source has its line.
    for name in facts(&bench, "new/folder/facts.json")["sources"].as_object().unwrap().keys() {
        assert!(ran.stdout.lines().any(|line| line.starts_with(name)), "{name}");
    }
    assert!(bench.read("new/folder/facts.json").ends_with("}\n"));
}

#[test]
fn what_is_there_already_is_not_overwritten() {
    let bench = bench().file("saved/facts.json", "mine").file("saved/nvidia-smi-q.txt", "too");
    bench.run(&["capture", "saved"]).expect(2, &["saved/facts.json is there already", "--after"]);
    assert_eq!(bench.read("saved/facts.json"), "mine");
    assert!(!bench.path("saved/topology.txt").exists());

    let bench = bench.file("other/topology.txt", "mine").file("other/dmesg.txt", "");
    bench.run(&["capture", "other"]).expect(2, &["other/topology.txt is there already"]);
    fs::remove_file(bench.path("other/topology.txt")).unwrap();
    bench.run(&["capture", "other"]).expect(0, &[]);
    assert!(bench.path("other/dmesg.txt").exists());
}

#[test]
fn after_a_workload() {
    let bench = bench();
    bench.run(&["capture", "saved", "--after"]).expect(2, &["--after: saved/facts.json is not there"]);
    assert!(!bench.path("saved").exists());
    bench.run(&["capture", "saved"]).expect(0, &[]);
    let before = bench.read("saved/facts.json");
    bench.run(&["capture", "saved", "--after"]).expect(0, &["saved/facts-after.json"]);
    assert_eq!(bench.read("saved/facts.json"), before);
    bench.run(&["capture", "saved", "--after"]).expect(2, &["saved/facts-after.json is there already"]);
    bench.run(&["host.yaml", "--host", "saved", "--list"]).expect(0, &[]);
}

#[test]
fn identifiers_are_kept_where_that_is_asked() {
    let bench = bench();
    let capture = |folder: &str, options: &[&str]| {
        let mut command = bench.command(&[&["capture", folder], options].concat());
        // A variable that is read on every machine.
        let ran = command.env("NCCL_COMM_ID", "10.11.12.13:5000").env("HOME_OF", "secret").output().unwrap();
        assert!(ran.status.success());
        bench.read(&format!("{folder}/facts.json"))
    };
    let (kept, replaced) = (capture("kept", &["--keep-identifiers"]), capture("replaced", &[]));
    assert!(kept.contains("10.11.12.13:5000") && !kept.contains("secret"));
    assert!(replaced.contains("192.0.2.") && !replaced.contains("10.11.12.13"), "{replaced}");
}

#[test]
fn a_rebuilt_machine_stays_marked_as_one() {
    let bench = bench();
    fs::create_dir(bench.path("root")).unwrap();
    let marked = "no measurement of any machine";
    bench.run(&["capture", "saved", "--sysroot", "root"]).expect(0, &[marked]);
    assert_eq!(facts(&bench, "saved/facts.json")["origin"], "fake");
    bench.run(&["host.yaml", "arguments", "--host", "saved"]).expect(3, &[marked]);
    bench.run(&["host.yaml", "arguments", "--host", "saved/facts.json"]).expect(3, &[marked]);
    assert!(bench.read("linkspec-out/any-host/junit.xml").contains(marked));
    // A run that was judged by it is no measurement either.
    bench.run(&["host.yaml", "--host", "linkspec-out/any-host/run.json", "--out", "again"]).expect(3, &[marked]);
}

#[test]
fn wrong_usage_and_places() {
    let bench = bench().file("taken", "");
    bench.run(&["capture"]).expect(2, &["DIR"]);
    bench.run(&["capture", "taken"]).expect(2, &["taken: not a folder"]);
    std::os::unix::fs::symlink("nowhere", bench.path("dangling")).unwrap();
    bench.run(&["capture", "dangling"]).expect(2, &["dangling: not a folder"]);
    bench.run(&["capture", "x", "--pin-env", "no"]).expect(2, &["--pin-env: \"no\" is not NAME=VALUE"]);
    bench.run(&["capture", "x", "--probe-deadline", "0"]).expect(2, &["not a number of seconds above 0"]);
    assert!(!bench.path("x").exists());
    fs::create_dir(bench.path("locked")).unwrap();
    fs::set_permissions(bench.path("locked"), fs::Permissions::from_mode(0o500)).unwrap();
    // Root may write there all the same.
    if fs::write(bench.path("locked/probe"), "").is_err() {
        bench.run(&["capture", "locked"]).expect(2, &["locked/facts.json"]);
    }
    bench.run(&["--help"]).expect(0, &["capture", "of `capture` that it was written"]);
    bench.run(&["completions", "bash"]).expect(0, &["linkspec__subcmd__capture"]);
}

/// `demo:` and a hyphen mean something else to `--host`.
#[test]
fn the_command_that_is_told_judges_what_was_written() {
    let bench = bench();
    bench.run(&["capture", "demo:healthy"]).expect(0, &["judge it: linkspec SPEC --host ./demo:healthy"]);
    bench.run(&["capture", "--", "-x"]).expect(0, &["judge it: linkspec SPEC --host ./-x"]);
    bench.run(&["capture", "a b"]).expect(0, &["judge it: linkspec SPEC --host 'a b'"]);
}

#[test]
fn two_captures_at_once_do_not_overwrite_each_other() {
    let bench = bench();
    let start = || bench.command(&["capture", "same"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    let codes = [start(), start()].map(|mut child| child.wait().unwrap().code().unwrap());
    assert!(codes.contains(&0) && codes.contains(&2), "{codes:?}");
    facts(&bench, "same/facts.json");
}

/// A known fact's value, changed.
fn set(bench: &Bench, fact: &str, value: &str) {
    let mut changed = facts(bench, "saved/facts.json");
    changed["host"][fact] = serde_json::json!({"known": {"value": value, "source": "/proc"}});
    fs::write(bench.path("saved/facts.json"), changed.to_string()).unwrap();
}

#[test]
fn after_is_of_the_same_machine() {
    let bench = bench();
    fs::create_dir_all(bench.path("root/proc/sys/kernel")).unwrap();
    fs::write(bench.path("root/proc/sys/kernel/hostname"), "node17\n").unwrap();
    let cpu = "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9354\nflags\t\t: fpu\n";
    fs::write(bench.path("root/proc/cpuinfo"), cpu).unwrap();
    let capture = ["capture", "saved", "--sysroot", "root"];
    let after = [&capture[..], &["--after"]].concat();
    bench.run(&capture).expect(0, &[]);
    set(&bench, "name", "node18");
    bench.run(&after).expect(2, &["--after: saved/facts.json is of another machine", "node18", "node17"]);
    // A stand-in does not tell which host it is.
    set(&bench, "name", "host-2");
    set(&bench, "cpu_model", "AMD EPYC 9654");
    bench.run(&after).expect(2, &["its CPU model is AMD EPYC 9654, this one's is AMD EPYC 9354"]);
    assert!(!bench.path("saved/facts-after.json").exists());
    set(&bench, "cpu_model", "AMD EPYC 9354");
    bench.run(&after).expect(0, &[]);
}

#[test]
fn facts_that_contradict_themselves_are_refused() {
    let bench = bench();
    bench.run(&["capture", "saved"]).expect(0, &[]);
    let mut changed = facts(&bench, "saved/facts.json");
    changed["nics"] = serde_json::json!({"known": {"value": [{"label": "NIC0"}, {"label": "NIC0"}], "source": "x"}});
    fs::write(bench.path("saved/facts.json"), changed.to_string()).unwrap();
    bench.run(&["host.yaml", "--host", "saved"]).expect(2, &["saved/facts.json", "it has NIC0 twice"]);
}
