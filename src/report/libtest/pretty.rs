use super::{Status, Sums, shown, status};
use crate::{
    record::{CaseRecord, RunRecord},
    report::{
        plain::plain_line,
        style::{Role, Style},
    },
};

/// `test hgx::nvlink-mesh ... ok`.
pub(super) fn case(case: &CaseRecord, style: Style) -> String {
    let result = match status(case) {
        Status::Ok => style.paint(Role::Pass, "ok"),
        Status::Failed => style.paint(Role::Fail, "FAILED"),
        Status::Ignored => {
            let reason = case.verdict.skip_reason.as_deref().filter(|reason| !reason.is_empty());
            let reason = reason.map(|reason| format!(", {}", plain_line(reason))).unwrap_or_default();
            format!("{}{reason}", style.paint(Role::Warning, "ignored"))
        }
    };
    format!("test {} ... {result}\n", case.name)
}

/// The failures in full, their names, and the sums.
pub(super) fn end(record: &RunRecord, filtered_out: usize, style: Style) -> String {
    let failed: Vec<&CaseRecord> = record.cases.iter().filter(|case| status(case) == Status::Failed).collect();
    let mut text = String::new();
    if !failed.is_empty() {
        text.push_str("\nfailures:\n\n");
        for case in &failed {
            text.push_str(&format!("---- {} stdout ----\n{}\n", case.name, shown(case)));
        }
        text.push_str("\nfailures:\n");
        for case in &failed {
            text.push_str(&format!("    {}\n", case.name));
        }
    }
    let Sums { passed, failed, ignored } = record.counts().into();
    let result = if failed == 0 { style.paint(Role::Pass, "ok") } else { style.paint(Role::Fail, "FAILED") };
    let time = record.seconds.map(|seconds| format!("; finished in {seconds:.2}s")).unwrap_or_default();
    text.push_str(&format!(
        "\ntest result: {result}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; {filtered_out} \
         filtered out{time}\n\n"
    ));
    text
}
