use super::{Status, status};
use crate::{
    record::CaseRecord,
    report::style::{Role, Style},
};

/// The characters of a line, as libtest has it (`QUIET_MODE_MAX_COLUMN`).
const COLUMNS: usize = 88;

/// `.`, `F` or `i`; a full line ends with how far the run has come.
pub(super) fn case(case: &CaseRecord, done: usize, total: usize, style: Style) -> String {
    let mut text = match status(case) {
        Status::Ok => style.paint(Role::Pass, "."),
        Status::Failed => style.paint(Role::Fail, "F"),
        Status::Ignored => style.paint(Role::Warning, "i"),
    };
    if done.is_multiple_of(COLUMNS) {
        text.push_str(&format!(" {done}/{total}\n"));
    }
    text
}
