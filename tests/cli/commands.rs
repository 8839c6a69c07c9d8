//! `command` tests: programs of the site's own.

use crate::support::Bench;

fn spec(test: &str) -> Bench {
    Bench::new().file("s.yaml", &format!("linkspec: 1\nsuite: s\ntests:\n  - name: t\n{test}"))
}

#[test]
fn exit_code_and_outputs_are_judged() {
    let test = "    command: { run: [sh, -c, 'echo ready; exit 3'], exit: 3, stdout: { matches: '^rea' } }\n";
    spec(test).run(&["s.yaml"]).expect(0, &[]);
    spec(&test.replace("exit: 3,", "exit: 0,")).run(&["s.yaml"]).expect(1, &["command-exit"]);
    spec(&test.replace("^rea", "^xyz")).run(&["s.yaml"]).expect(1, &["command-output"]);
}

#[test]
fn what_cannot_run_or_does_not_end_is_an_error() {
    spec("    command: { run: [/no/such/program] }\n").run(&["s.yaml"]).expect(3, &["/no/such/program"]);
    let ran = spec("    timeout: 200 ms\n    command: { run: [sleep, \"60\"] }\n").run(&["s.yaml"]);
    ran.expect(3, &["did not end"]);
}

#[test]
fn nothing_runs_where_it_should_not() {
    let test = "    command: { run: [touch, ran] }\n";
    let bench = spec(test).file("host/lscpu.txt", "");
    bench.run(&["s.yaml", "--no-command"]).expect(3, &["--no-command"]);
    bench.run(&["s.yaml", "--host", "host"]).expect(3, &["command/t.txt"]);
    bench.run(&["list", "s.yaml"]).expect(0, &[]);
    bench.run(&["check", "s.yaml"]).expect(0, &[]);
    bench.run(&["explain", "s.yaml"]).expect(0, &[]);
    assert!(!bench.path("ran").exists());
}

#[test]
fn a_pass_on_a_later_try_is_flaky_and_fails_unless_the_spec_lets_it() {
    let script = "[sh, -c, 'test -e tried || { touch tried; exit 1; }']";
    let test = |flaky: &str| format!("    retries: {{ count: 2, flaky: {flaky} }}\n    command: {{ run: {script} }}\n");
    spec(&test("fail")).run(&["s.yaml"]).expect(1, &["flaky"]);
    spec(&test("pass")).run(&["s.yaml"]).expect(0, &["flaky", "on try 1: "]);
}
