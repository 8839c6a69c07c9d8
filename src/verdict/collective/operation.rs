//! Whether an output is of the operation that the test is of.

use super::{Problem, View, view::position};
use crate::{
    collective::Datatype,
    evidence::Row,
    spec::{Collective, Operation},
    verdict::FindingCode,
};

/// What the tools show where an operation has no root.
const NO_ROOT: i64 = -1;

/// What contradicts the test: another operation, or rows of another data type, reduction or root.
pub(super) fn problems(view: &View<'_>) -> Vec<Problem> {
    let asked = view.operation().name();
    if let Some(other) = view.measurement.operation.as_deref().filter(|other| *other != asked) {
        let message = format!("{} is of {other}, the test is of {asked}", view.measurement.sources.join(", "));
        return vec![Problem::new(FindingCode::OtherOperation, message)];
    }
    let contradictions = || {
        let contradiction = |row| contradiction(view.collective, row).map(|what| (row, what));
        view.measurement.rows.iter().filter_map(contradiction)
    };
    let Some((row, what)) = contradictions().next() else { return Vec::new() };
    let others = match contradictions().count() - 1 {
        0 => String::new(),
        more => format!("; so are {more} more rows"),
    };
    vec![Problem::new(FindingCode::OtherOperation, format!("{}: {what}{others}", position(row)))]
}

/// What a row says against the test, as a fragment.
pub(super) fn contradiction(collective: &Collective, row: &Row) -> Option<String> {
    let datatype = datatype_name(collective);
    if let Some(other) = shown(row.datatype.as_deref()).filter(|other| spelling(other) != datatype) {
        return Some(format!("the row is of data type {other}, the test of {datatype}"));
    }
    let operation = collective.operation.value;
    let redop = collective.redop.as_ref().map_or("sum", |redop| redop.value.as_str());
    match row.redop.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        // An operation that reduces is never shown with `none`: the row is of one that doesn't.
        Some(other) if operation.reduces() && other != redop => {
            return Some(format!("the row is of reduction {other}, the test of {redop}"));
        }
        Some("none") => {}
        // Old tables leave the reduction empty, of operations without one alone.
        None if operation.reduces() && row.datatype.is_some() => {
            return Some(format!("the row shows no reduction, the test is of {redop}"));
        }
        Some(other) if shows_no_redop(operation) => {
            return Some(format!("the row is of reduction {other}, and {} has none", operation.name()));
        }
        _ => {}
    }
    let root =
        if operation.has_root() { collective.root.as_ref().map_or(0, |root| i64::from(root.value)) } else { NO_ROOT };
    match row.root.filter(|other| *other != root)? {
        NO_ROOT => Some(format!("the row is of no root, the test of {root}")),
        other if root == NO_ROOT => Some(format!("the row is of root {other}, and {} has none", operation.name())),
        other => Some(format!("the row is of root {other}, the test of {root}")),
    }
}

/// The type of a test's elements.
pub(super) fn datatype(collective: &Collective) -> Option<Datatype> {
    Datatype::named(datatype_name(collective))
}

fn datatype_name(collective: &Collective) -> &str {
    collective.datatype.as_ref().map_or("float", |datatype| datatype.value.as_str())
}

/// The type that a tool shows; `none` and nothing say nothing.
fn shown(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty() && *text != "none")
}

/// nccl-tests shortens two names so that they fit its column.
fn spelling(datatype: &str) -> &str {
    match datatype {
        "f8e4m3" => "fp8_e4m3",
        "f8e5m2" => "fp8_e5m2",
        other => other,
    }
}

/// The operations beside whose rows the tools write no reduction, or `none`; `sendrecv` shows the one it was called with.
const fn shows_no_redop(operation: Operation) -> bool {
    !operation.reduces() && !matches!(operation, Operation::SendRecv)
}
