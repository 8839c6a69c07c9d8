use super::style::Role;
use crate::{
    facts::Origin,
    record::{
        RunRecord,
        exit::{self, exit_code},
    },
};

/// The verdict on a run in a word or two, as its exit code has it.
pub(super) fn verdict(record: &RunRecord) -> (&'static str, Role) {
    match exit_code(record.counts(), record.interrupted) {
        exit::PASSED => ("PASSED", Role::Pass),
        exit::FAILED => ("FAILED", Role::Fail),
        exit::NOT_JUDGED => ("NOT JUDGED", Role::Error),
        exit::INTERRUPTED => ("INTERRUPTED", Role::Error),
        _ => ("NOTHING JUDGED", Role::Error),
    }
}

/// What a verdict is not on, where it is not on a machine as it is now: `None` for a live one.
pub(super) fn reservation(origin: &Origin) -> Option<&'static str> {
    match origin {
        Origin::Live => None,
        Origin::Captured { .. } | Origin::Saved { .. } => Some("recorded: nothing was measured now"),
        Origin::Fake => Some("stand-ins for the vendors' libraries: no measurement of any machine"),
    }
}
