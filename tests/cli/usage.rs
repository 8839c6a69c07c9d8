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
