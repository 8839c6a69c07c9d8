//! Wrong usage: exit code 2, and what to do.

use crate::support::Bench;

#[test]
fn every_wrong_use_says_what_is_wrong() {
    let bench = Bench::new().with_h200();
    for (arguments, said) in [
        (&["list"][..], "SPEC"),
        (&["filter-only"], "no spec is named"),
        (&["--color", "never", "list", "x"], "no spec is named"),
        (&["nowhere.yaml"], "nowhere.yaml"),
        (&["spec.yaml", "--param", "x"], "NAME=VALUE"),
        (&["spec.yaml", "--param", "x=1"], "x"),
        (&["spec.yaml", "--env", "1X=2"], "1X"),
        (&["spec.yaml", "--pin-env", "A"], "NAME=VALUE"),
        (&["spec.yaml", "--pin-env", "A=1", "--pin-env", "A=2"], "pinned twice"),
        (&["spec.yaml", "spec.yaml", "--host", "host"], "share a folder"),
        (&["spec.yaml", "--host", "host", "--out", "spec.yaml"], "spec.yaml"),
        (&["spec.yaml", "--host", "host", "--resume"], "run without --resume"),
        (&["spec.yaml", "--frobnicate"], "--frobnicate"),
        (&["report", "nowhere"], "nowhere"),
    ] {
        bench.run(arguments).expect(2, &[said]);
    }
}

#[test]
fn nothing_selected_says_what_would_select() {
    let bench = Bench::new().with_h200().replace("spec.yaml", "level: quick", "level: full");
    bench.run(&["spec.yaml", "--host", "host", "nvlink-mesh"]).expect(4, &["nothing is selected", "--level full"]);
}

#[test]
fn an_error_shows_its_place_and_its_cause_once() {
    let bench = Bench::new().with_h200().file("run.json", "{").file("out/h200-x2", "").file("folder.yaml/x", "");
    for (arguments, place, cause) in [
        (&["nowhere.yaml"][..], "nowhere.yaml", "No such file"),
        (&["folder.yaml"], "folder.yaml", "Is a directory"),
        (&["folder.yaml/"], "folder.yaml", "Is a directory"),
        (&["host"], "host", "is a folder"),
        (&["spec.yaml", "--host", "nowhere"], "nowhere", "No such file"),
        (&["spec.yaml", "--host", "run.json"], "run.json", "EOF while parsing"),
        (&["spec.yaml", "--host", "host", "--out", "out"], "out/h200-x2", "is a file"),
        (&["spec.yaml", "--host", "host", "--out", "/proc/nowhere"], "/proc/nowhere", "No such file"),
        (&["report", "nowhere"], "nowhere", "No such file"),
        (&["report", "nowhere.json"], "nowhere.json", "No such file"),
        (&["report", "run.json"], "run.json", "EOF while parsing"),
        (&["report", "host"], "host", "holds neither"),
    ] {
        let ran = bench.run(arguments).expect(2, &[]);
        for text in [place, cause] {
            assert_eq!(ran.stderr.matches(text).count(), 1, "{arguments:?}, {text}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_filter_without_a_case_is_named_with_the_nearest_case() {
    let bench = Bench::new().with_h200();
    for verb in ["run", "list", "explain"] {
        let ran = bench.run(&[verb, "spec.yaml", "nvlink-mehs", "qqq"]);
        let lines = "nothing is selected of 24 cases\n  no case has a name with \"nvlink-mehs\"; did you mean \
                     \"h200-x2::nvlink-mesh\"?\n  no case has a name with \"qqq\"\n";
        assert_eq!((ran.code, ran.stderr.as_str(), ran.stdout.as_str()), (4, lines, ""), "{verb}");
    }
    let exact = bench.run(&["list", "spec.yaml", "nvlink-mesh", "--exact"]);
    exact.expect(4, &["no case is named \"nvlink-mesh\"; did you mean \"h200-x2::nvlink-mesh\"?"]);
}

#[test]
fn files_of_a_host_that_nothing_reads_are_named_once() {
    let bench = Bench::new().with_h200().file("host/topo.txt", "").file("host/nccl-tests/sum.log", "");
    let told = "topo.txt (did you mean nvidia-smi-topo-m.txt?), nccl-tests/sum.log (did you mean nccl-tests/sum.txt?)";
    let ran = bench.run(&["spec.yaml", "--host", "host"]).expect(0, &[told]);
    assert_eq!(ran.stdout.matches("sum.log").count() + ran.stderr.matches("sum.log").count(), 1, "{}", ran.stdout);
}

#[test]
fn help_version_and_completions() {
    let bench = Bench::new();
    bench.run(&["--version"]).expect(0, &[env!("CARGO_PKG_VERSION")]);
    bench.run(&["--help"]).expect(0, &["Exit codes"]);
    bench.run(&["completions", "bash"]).expect(0, &["linkspec"]);
    bench.run(&[]).expect(2, &[]);
}

#[test]
fn check_tells_of_a_suite_and_passes_with_warnings_only() {
    let bench = Bench::new().with_h200();
    bench.run(&["check", "spec.yaml"]).expect(0, &["suite h200-x2", "24 cases"]);
}
