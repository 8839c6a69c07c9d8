use quick_junit::{FlakyOrRerun, NonSuccessKind, TestCase, TestCaseStatus, TestRerun};

use super::{duration, properties, xml, xml_line};
use crate::{
    record::{CaseRecord, Flaky, RunHeader},
    report::{
        findings::{Fold, headline, lines},
        plain::plain,
        style::Style,
    },
    verdict::Outcome,
};

pub(super) fn test_case(case: &CaseRecord, header: &RunHeader) -> TestCase {
    let mut test_case = TestCase::new(xml_line(case.short_name()), status(case));
    test_case.set_classname(xml_line(&header.suite));
    test_case.set_time(duration(case.seconds));
    test_case.set_system_out(xml(&output(case, header)));
    test_case
}

fn status(case: &CaseRecord) -> TestCaseStatus {
    let mut status = match case.verdict.outcome {
        Outcome::Pass => TestCaseStatus::success(),
        Outcome::Skip => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(xml_line(case.verdict.skip_reason.as_deref().unwrap_or_default()));
            return status;
        }
        Outcome::Fail => bad(case, NonSuccessKind::Failure),
        Outcome::Error => bad(case, NonSuccessKind::Error),
    };
    if let Some(flaky) = case.flaky {
        add_tries(&mut status, flaky);
    }
    status
}

/// The first finding as message and type, all of them as text.
fn bad(case: &CaseRecord, kind: NonSuccessKind) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    if let Some(first) = case.verdict.findings.first() {
        status.set_message(xml_line(&headline(first)));
        status.set_type(first.code.as_str());
    }
    status.set_description(xml(&format!("{}{}", found(case), repeat(case))));
    status
}

/// The earlier tries: flaky where the last one passed, whatever the spec says of that, else reruns.
fn add_tries(status: &mut TestCaseStatus, Flaky { tries, passed }: Flaky) {
    status.set_rerun_kind(if passed { FlakyOrRerun::Flaky } else { FlakyOrRerun::Rerun });
    for number in 1..tries {
        let mut rerun = TestRerun::new(NonSuccessKind::Failure);
        rerun.set_message(format!("try {number} of {tries} did not pass"));
        rerun.set_type("flaky");
        status.add_rerun(rerun);
    }
}

/// The warnings and notes of a case that passed, its properties and what it printed. The schema of Jenkins has no other
/// place for them: there, only suites have properties.
fn output(case: &CaseRecord, header: &RunHeader) -> String {
    let mut text = if case.verdict.outcome == Outcome::Pass { found(case) } else { String::new() };
    for (name, value) in properties::of_case(case, header) {
        text.extend([&name, ": ", &value, "\n"]);
    }
    if let Some(output) = &case.output {
        text.push('\n');
        text.push_str(output);
    }
    text
}

/// Every finding in full.
fn found(case: &CaseRecord) -> String {
    let lines = lines(&case.verdict.findings, Fold::Nothing, Style::UNWRAPPED);
    lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

fn repeat(case: &CaseRecord) -> String {
    if case.repeat.is_empty() { String::new() } else { format!("repeat: {}\n", plain(&case.repeat)) }
}
