//! What reaches a case's environment, and who wins.

use crate::support::Bench;

const SPEC: &str = "\
linkspec: 1
suite: s
defaults: { env: { NCCL_A: defaults, NCCL_B: defaults } }
tests:
  - name: shows
    env: { NCCL_B: test, NCCL_C: test, NCCL_GONE: ~ }
    command:
      run: [sh, -c, 'echo \"$NCCL_A/$NCCL_B/$NCCL_C/${NCCL_GONE-unset}\"']
      stdout: { contains: EXPECTED }
";

fn expect(expected: &str, arguments: &[&str]) {
    let bench = Bench::new().file("s.yaml", &SPEC.replace("EXPECTED", expected));
    let mut command = bench.command(&[&["s.yaml", "--nocapture"], arguments].concat());
    command.env("NCCL_GONE", "inherited").env("NCCL_A", "inherited");
    crate::support::Ran::from(command.output().unwrap()).expect(0, &[expected]);
}

#[test]
fn the_strongest_origin_wins() {
    expect("defaults/test/test/unset", &[]);
    expect("defaults/cli/test/unset", &["--env", "NCCL_B=cli"]);
}

#[test]
fn a_pin_that_the_case_contradicts_is_an_error_before_anything_starts() {
    let bench = Bench::new().file("s.yaml", &SPEC.replace("EXPECTED", "x"));
    let ran = bench.run(&["s.yaml", "--pin-env", "NCCL_C=other"]);
    ran.expect(3, &["NCCL_C=test", "pins NCCL_C=other", "[setting]"]);
    let mut command = bench.command(&["s.yaml"]);
    command.env("LINKSPEC_PIN_ENV", "NCCL_X=1 NCCL_C=other");
    crate::support::Ran::from(command.output().unwrap()).expect(3, &["pins NCCL_C=other"]);
}

#[test]
fn nvls_is_ruled_out_where_it_is_pinned_off() {
    let spec =
        "linkspec: 1\nsuite: s\ntests:\n  - name: t\n    env: { NCCL_ALGO: NVLS }\n    command: { run: [\"true\"] }\n";
    let bench = Bench::new().file("s.yaml", spec);
    bench.run(&["s.yaml"]).expect(0, &[]);
    bench.run(&["s.yaml", "--pin-env", "NCCL_NVLS_ENABLE=0"]).expect(3, &["NCCL_ALGO=NVLS"]);
}

#[test]
fn no_other_variable_reaches_a_report() {
    let spec = "linkspec: 1\nsuite: s\ntests:\n  - name: t\n    env: { MY_TOKEN: hunter2 }\n    command: { run: [\"true\"] }\n";
    let bench = Bench::new().file("s.yaml", spec);
    let mut command = bench.command(&["s.yaml"]);
    command.env("SECRET_OF_THE_SHELL", "hunter3").env("NCCL_SHOWN", "yes");
    crate::support::Ran::from(command.output().unwrap()).expect(0, &[]);
    for report in ["run.json", "junit.xml", "summary.md", "report.html", "run.jsonl"] {
        let text = bench.read(&format!("linkspec-out/s/{report}"));
        assert!(!text.contains("hunter3"), "{report}");
    }
    let junit = bench.read("linkspec-out/s/junit.xml");
    assert!(junit.contains("NCCL_SHOWN"), "{junit}");
    assert!(bench.read("linkspec-out/s/report.html").contains("NCCL_SHOWN=yes"));
}

#[test]
fn a_variable_that_is_removed_and_set_by_a_file_all_the_same_is_an_error() {
    let spec =
        "linkspec: 1\nsuite: s\ntests:\n  - name: t\n    env: { NCCL_ALGO: ~ }\n    command: { run: [\"true\"] }\n";
    let bench = Bench::new().file("s.yaml", spec).file("root/etc/nccl.conf", "NCCL_PROTO=LL\n");
    bench.run(&["s.yaml", "--sysroot", "root"]).expect(0, &[]);
    let bench = bench.file("root/etc/nccl.conf", "NCCL_ALGO=Ring\n");
    bench.run(&["s.yaml", "--sysroot", "root"]).expect(3, &["NCCL_ALGO", "nccl.conf", "[setting]"]);
}
