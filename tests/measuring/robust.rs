//! linkspec under launchers and limits that are not kind.

use std::process::Command;

use crate::seat::{Ran, Seat};

const ONE: &str = "  - name: all-reduce\n    pin: none\n    collective:\n      op: all_reduce\n      sizes: { from: 8, to: 64K, factor: 4 }\n      \
                   expect: { transport: { require: [P2P] } }\n";

/// The same command as the positional parameters of a shell that runs a script.
fn below(script: &str, command: &Command) -> Command {
    let mut shell = Command::new("bash");
    shell.args(["-c", script, "bash"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.current_dir(command.get_current_dir().unwrap());
    shell
}

#[test]
fn a_launcher_that_closes_every_descriptor_and_ignores_signals() {
    let seat = Seat::two_h200();
    for script in [r#"exec "$@" <&- >&- 2>&-"#, r#"trap '' CHLD PIPE; exec "$@""#, r#"exec "$@" >/dev/full"#] {
        assert_eq!(Ran::of(below(script, &seat.command(ONE, &[]))).code, 0, "{script}");
    }
}

#[test]
fn a_hangup_ends_a_run_unless_it_is_ignored() {
    let seat = Seat::two_h200().fault("slow:ms=5");
    // The journal is there once the run listens to signals.
    let script = r#"
        "$@" & run=$!
        until [ -s linkspec-out/one/run.jsonl ]; do sleep 0.01; done
        kill -HUP $run; wait $run"#;
    Ran::of(below(script, &seat.command(ONE, &[]))).expect(130, &["INTERRUPTED"]);
    let seat = Seat::two_h200().fault("slow:ms=5");
    Ran::of(below(&format!("trap '' HUP; {script}"), &seat.command(ONE, &[]))).expect(0, &["1 passed"]);
}

#[test]
fn what_the_system_refuses_is_named_and_is_no_fault_of_the_ranks() {
    let seat = Seat::eight_h100();
    let ran = Ran::of(below(r#"ulimit -n 24; exec "$@""#, &seat.command(ONE, &[])));
    let ran = ran.expect(3, &["error[internal]", "Too many open files", "cure what the system refused"]);
    assert!(!ran.text.contains("error[ranks]"), "{}", ran.text);
}
