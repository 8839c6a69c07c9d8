//! Whether an output is of the operation that the test is of.

use super::{Problem, View, view::position};
use crate::{
    evidence::Row,
    spec::{Collective, Operation},
    verdict::FindingCode,
};

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
    let datatype = collective.datatype.as_ref().map_or("float", |datatype| datatype.value.as_str());
    if let Some(other) = shown(row.datatype.as_deref()).filter(|other| spelling(other) != datatype) {
        return Some(format!("the row is of data type {other}, the test of {datatype}"));
    }
    let operation = collective.operation.value;
    let redop = collective.redop.as_ref().map_or("sum", |redop| redop.value.as_str());
    match shown(row.redop.as_deref()) {
        Some(other) if reduces(operation) && other != redop => {
            return Some(format!("the row is of reduction {other}, the test of {redop}"));
        }
        Some(other) if shows_no_redop(operation) => {
            return Some(format!("the row is of reduction {other}, and {} has none", operation.name()));
        }
        _ => {}
    }
    let root = collective.root.as_ref().map_or(0, |root| i64::from(root.value));
    let other = row.root.filter(|other| rooted(operation) && *other >= 0 && *other != root)?;
    Some(format!("the row is of root {other}, the test of {root}"))
}

/// What a tool shows; `none` and nothing say nothing.
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

const fn reduces(operation: Operation) -> bool {
    matches!(operation, Operation::AllReduce | Operation::ReduceScatter | Operation::Reduce)
}

/// The operations beside whose rows the tools write no reduction, or `none`; `sendrecv` shows the one it was called with.
const fn shows_no_redop(operation: Operation) -> bool {
    !reduces(operation) && !matches!(operation, Operation::SendRecv)
}

const fn rooted(operation: Operation) -> bool {
    matches!(operation, Operation::Broadcast | Operation::Reduce | Operation::Gather | Operation::Scatter)
}
