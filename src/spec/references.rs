//! Names that a suite's tests use and others define: sources of figures, and other tests.

use std::collections::BTreeMap;

use super::{
    Bound, BoundBase, BoundValue, Compare, CompareSide, Kind, Place, Placed, SpecError, cell_kinds::add_new, cells,
    decode_test::DecodedTest, decoder::Errors, error::nearest,
};
use crate::units::Size;

/// The sources of a suite by their names.
pub(super) type Sources = BTreeMap<String, Placed<BTreeMap<String, String>>>;

/// Checks every name that a bound or a comparison uses.
pub(super) fn check(tests: &[DecodedTest], sources: &Sources, errors: &mut Errors) {
    let mut found = Errors::default();
    for decoded in tests {
        for kind in &decoded.kinds {
            for bound in bounds(kind) {
                check_source(&bound, sources, &mut found);
                if let Some(BoundBase::Case { test, cell }) = bound.base {
                    check_case(test, cell.as_deref(), bound.place, tests, &mut found);
                }
            }
            if let Kind::Compare(compare) = &**kind {
                check_compare(compare, tests, &mut found);
            }
        }
    }
    add_new(errors, found.0);
}

fn check_compare(compare: &Compare, tests: &[DecodedTest], errors: &mut Errors) {
    for side in [&compare.left, &compare.right] {
        for (name, cell) in side_cases(&side.value) {
            let Some(decoded) = check_case(name, cell, &side.place, tests, errors) else { continue };
            let unvisited = |size: &&Size| !decoded.kinds.iter().any(|kind| visits(kind, **size));
            if let Some(size) = compare.at.value.iter().find(unvisited) {
                errors.0.push(SpecError::new(
                    &compare.at.place,
                    1,
                    format!("the test `{name}` does not visit the size {size}"),
                ));
            }
        }
    }
}

/// A kind without sizes was told of already, and a test with none that could be read too.
fn visits(kind: &Kind, size: Size) -> bool {
    !matches!(kind, Kind::Collective(collective) if !collective.sizes.value.all().contains(&size))
}

/// The cases that a side of a comparison names: the test, and the cell within its brackets.
fn side_cases(side: &CompareSide) -> Vec<(&str, Option<&str>)> {
    let split = |case: &'_ String| case.split_once('[').map_or((case.len(), false), |(test, _)| (test.len(), true));
    let parts = |case| -> (&str, Option<&str>) {
        let case: &String = case;
        let (length, has_cell) = split(case);
        (&case[..length], has_cell.then(|| case[length + 1..].trim_end_matches(']')))
    };
    match side {
        CompareSide::Case(case) => vec![parts(case)],
        CompareSide::BestOf(cases) => cases.iter().map(parts).collect(),
    }
}

/// The test that a case is of, if it measures something and has such a cell.
fn check_case<'a>(
    name: &str,
    cell: Option<&str>,
    place: &Place,
    tests: &'a [DecodedTest],
    errors: &mut Errors,
) -> Option<&'a DecodedTest> {
    let Some(decoded) = tests.iter().find(|decoded| decoded.test.name == name) else {
        let error = SpecError::new(place, 1, format!("no test of the suite is named `{name}`"));
        let near = nearest(name, tests.iter().map(|decoded| decoded.test.name.as_str()));
        errors.0.push(match near {
            Some(near) => error.with_help(format!("did you mean `{near}`?")),
            None => error,
        });
        return None;
    };
    let kind = &*decoded.test.kind;
    if !matches!(kind, Kind::Collective(_) | Kind::Copy(_)) {
        let message = format!("the test `{name}` measures no bandwidth: it is a {}", kind.name());
        errors.0.push(SpecError::new(place, 1, message).with_help("name a collective or a copy"));
        return None;
    }
    cell.is_none_or(|cell| check_cell(decoded, cell, place, errors)).then_some(decoded)
}

fn check_cell(decoded: &DecodedTest, cell: &str, place: &Place, errors: &mut Errors) -> bool {
    let known: Vec<String> = cells::cells(decoded.test.matrix.as_ref()).iter().map(|cell| cells::text(cell)).collect();
    if known.iter().any(|known| known == cell) {
        return true;
    }
    let help = match nearest(cell, known.iter().map(String::as_str).filter(|known| !known.is_empty())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`linkspec list` shows its cases".to_owned(),
    };
    let message = format!("the test `{}` has no cell `{cell}`", decoded.test.name);
    errors.0.push(SpecError::new(place, 1, message).with_help(help));
    false
}

/// What a bound refers to, whatever it bounds.
pub(super) struct BoundView<'a> {
    /// The place of the bound.
    pub(super) place: &'a Place,
    /// Its source.
    pub(super) source: Option<&'a Placed<String>>,
    /// What a share is of.
    pub(super) base: Option<&'a BoundBase>,
    /// Whether it says a least value as a figure.
    pub(super) is_floor: bool,
}

impl<'a, T> From<&'a Bound<T>> for BoundView<'a> {
    fn from(bound: &'a Bound<T>) -> Self {
        let (base, is_floor) = match &bound.value {
            BoundValue::Limits { min, .. } => (None, min.is_some()),
            BoundValue::Share { of, .. } => (Some(of), false),
        };
        Self { place: &bound.place, source: bound.source.as_ref(), base, is_floor }
    }
}

/// Every bound of a kind.
pub(super) fn bounds(kind: &Kind) -> Vec<BoundView<'_>> {
    match kind {
        Kind::Collective(collective) => {
            let expect = &collective.expect;
            expect.busbw.values().map(BoundView::from).chain(expect.latency.values().map(BoundView::from)).collect()
        }
        Kind::Copy(copy) => copy.expect.bandwidth.iter().map(BoundView::from).collect(),
        Kind::Machine(_)
        | Kind::Topology(_)
        | Kind::P2p(_)
        | Kind::RdmaPorts(_)
        | Kind::Gpu(_)
        | Kind::Host(_)
        | Kind::Command(_)
        | Kind::Compare(_) => Vec::new(),
    }
}

fn check_source(bound: &BoundView<'_>, sources: &Sources, errors: &mut Errors) {
    let Some(source) = bound.source.filter(|source| !sources.contains_key(&source.value)) else { return };
    let message = format!("no source is named `{}`", source.value);
    let error = SpecError::new(&source.place, source.value.chars().count(), message);
    let near = nearest(&source.value, sources.keys().map(String::as_str));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "sources stand under the key `sources` of the suite".to_owned(),
    };
    add_new(errors, vec![error.with_help(help)]);
}
