use crate::{
    facts::{Facts, LostGpu, NumaNode, Origin},
    spec::{GpuExpect, Kind},
    verdict::{
        CommandOutput, Evidence, FindingCode, Outcome, judge,
        testing::{case, case_with, exact, failures, live, machine, placed, saved, server, skip_when},
    },
};

fn names() -> Kind {
    Kind::Gpu(GpuExpect { count: exact(8), ..GpuExpect::default() })
}

#[test]
fn another_machine_makes_every_case_an_error() {
    let mut facts = server(8);
    facts.gpu_mut(0).name = crate::facts::Fact::known("NVIDIA A100".into(), "tool.txt");
    for kind in [names(), Kind::Machine(machine())] {
        let verdict = judge(&case_with(kind, Some(machine()), |_| {}), &saved(&facts));
        assert_eq!(verdict.outcome, Outcome::Error);
        assert_eq!(verdict.findings[0].code, FindingCode::WrongMachine);
    }
}

#[test]
fn a_machine_that_cannot_be_identified_is_judged_only_where_it_was_recorded() {
    let mut facts = Facts::new(Origin::Live);
    facts.gpu_count = crate::facts::Fact::known(8, "tool.txt");
    let case = case_with(names(), Some(machine()), |_| {});
    assert_eq!(judge(&case, &live(&facts)).outcome, Outcome::Error);
    assert_eq!(judge(&case, &saved(&facts)).outcome, Outcome::Pass);
    // What its capture does not tell, the machine itself did not.
    let captured = Facts { origin: Origin::Captured { path: "saved".into() }, ..facts.clone() };
    assert_eq!(judge(&case, &saved(&captured)).outcome, Outcome::Error);
    let guard = case_with(Kind::Machine(machine()), Some(machine()), |_| {});
    assert_eq!(judge(&guard, &saved(&facts)).outcome, Outcome::Error);
}

/// Nothing is known of the GPUs for one reason: the other cases tell it once, and do not speak of "other" GPUs.
#[test]
fn without_a_driver_a_case_tells_the_reason_once() {
    let mut facts = Facts::new(Origin::Live);
    let reason = "no NVIDIA driver: libnvidia-ml.so.1 cannot be loaded";
    facts.vendor = crate::facts::Fact::unknown(reason);
    facts.gpu_count = crate::facts::Fact::unknown(reason);
    let findings = judge(&case_with(names(), Some(machine()), |_| {}), &live(&facts)).findings;
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].message.contains(reason), "{findings:?}");
    let guard = judge(&case_with(Kind::Machine(machine()), Some(machine()), |_| {}), &live(&facts)).findings;
    assert!(guard.iter().any(|finding| finding.message.starts_with("GPUs: product name is unknown")), "{guard:?}");
}

#[test]
fn seven_of_eight_gpus_fail_the_machine_and_nothing_else() {
    let facts = server(7);
    let guard = judge(&case_with(Kind::Machine(machine()), Some(machine()), |_| {}), &live(&facts));
    assert_eq!(failures(&guard), [FindingCode::GpuCount]);
    let other = Kind::Gpu(GpuExpect { nvlinks_active: exact(18), ..GpuExpect::default() });
    assert_eq!(judge(&case_with(other, Some(machine()), |_| {}), &live(&facts)).outcome, Outcome::Pass);
}

#[test]
fn a_lost_gpu_fails_the_count_although_the_number_is_unknown() {
    let mut facts = Facts::new(Origin::Live);
    facts.lost_gpus.push(LostGpu {
        pci_address: "0000:07:00.0".into(),
        source: "nvidia-smi-q.txt".into(),
        quote: "Unable to determine the device handle".into(),
    });
    let verdict = judge(&case(names()), &saved(&facts));
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert_eq!(failures(&verdict), [FindingCode::GpuLost]);
}

#[test]
fn a_skip_needs_every_condition_and_the_unknown_is_an_error() {
    let mut facts = server(8);
    let node = |index| NumaNode::new(index, "0-3".parse().unwrap());
    let mut skip = skip_when();
    skip.numa_nodes = exact(1);
    let case = case_with(names(), None, |test| test.skip_when = Some(placed(skip)));
    let outcome = |facts: &Facts| judge(&case, &saved(facts)).outcome;
    assert_eq!(outcome(&facts), Outcome::Error);
    facts.host.numa_nodes = crate::facts::Fact::known(vec![node(0)], "lscpu.txt");
    assert_eq!(outcome(&facts), Outcome::Skip);
    facts.host.numa_nodes = crate::facts::Fact::known(vec![node(0), node(1)], "lscpu.txt");
    assert_eq!(outcome(&facts), Outcome::Pass);
}

#[test]
fn a_skip_without_a_condition_never_skips() {
    let case = case_with(names(), None, |test| test.skip_when = Some(placed(skip_when())));
    assert_eq!(judge(&case, &saved(&server(8))).outcome, Outcome::Pass);
}

#[test]
fn the_hint_of_the_test_comes_first() {
    let case = case_with(names(), None, |test| test.hint = Some("call the vendor".into()));
    let verdict = judge(&case, &saved(&server(7)));
    assert!(verdict.findings[0].hint.as_ref().unwrap().starts_with("call the vendor; "));
    assert_eq!(verdict.findings[0].place.as_ref().unwrap().line, 7);
    assert_eq!(verdict.findings[0].message, "machine has 7 GPUs, expected 8");
}

fn command(stdout: &str, live: bool, output: &CommandOutput) -> Outcome {
    let expect = crate::spec::TextExpect { contains: vec![stdout.into()], matches: Vec::new() };
    let kind = Kind::Command(crate::spec::Command {
        run: placed(vec!["true".into()]),
        exit: None,
        stdout: Some(placed(expect)),
        stderr: None,
    });
    let facts = server(1);
    judge(&case(kind), &Evidence { command: Some(output), live, ..saved(&facts) }).outcome
}

#[test]
fn a_command_that_did_not_end_never_passes() {
    let output = CommandOutput { exit: Some(0), stdout: "ok".into(), ..CommandOutput::default() };
    assert_eq!(command("ok", true, &output), Outcome::Pass);
    assert_eq!(command("nothing", true, &output), Outcome::Fail);
    assert_eq!(command("ok", true, &CommandOutput { exit: Some(3), ..output.clone() }), Outcome::Fail);
    assert_eq!(command("ok", true, &CommandOutput { exit: None, ..output.clone() }), Outcome::Error);
    let late = CommandOutput { problem: Some("no end within 60 s".into()), ..output.clone() };
    assert_eq!(command("ok", true, &late), Outcome::Error);
    assert_eq!(command("ok", false, &CommandOutput { exit: None, ..output }), Outcome::Pass);
}
