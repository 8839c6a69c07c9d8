//! Names that a suite's tests use and others define: sources of figures, and other tests.

use std::collections::BTreeMap;

use super::{
    Bound, BoundBase, BoundValue, CompareSide, Kind, Place, Placed, SpecError, cell_kinds::add_new,
    decode_test::DecodedTest, decoder::Errors, error::nearest,
};

/// The sources of a suite by their names.
pub(super) type Sources = BTreeMap<String, Placed<BTreeMap<String, String>>>;

/// Checks every name that a bound or a comparison uses.
pub(super) fn check(tests: &[DecodedTest], sources: &Sources, errors: &mut Errors) {
    let names: Vec<&str> = tests.iter().map(|decoded| decoded.test.name.as_str()).collect();
    let mut found = Errors::default();
    for kind in tests.iter().flat_map(|decoded| &decoded.kinds) {
        for bound in bounds(kind) {
            check_source(&bound, sources, &mut found);
            if let Some(BoundBase::Case { test, .. }) = bound.base {
                check_test(test, bound.place, &names, &mut found);
            }
        }
        if let Kind::Compare(compare) = &**kind {
            for side in [&compare.left, &compare.right] {
                for test in side_tests(&side.value) {
                    check_test(test, &side.place, &names, &mut found);
                }
            }
        }
    }
    add_new(errors, found.0);
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

fn check_test(test: &str, place: &Place, names: &[&str], errors: &mut Errors) {
    if names.contains(&test) {
        return;
    }
    let error = SpecError::new(place, 1, format!("no test of the suite is named `{test}`"));
    let error = match nearest(test, names.iter().copied()) {
        Some(near) => error.with_help(format!("did you mean `{near}`?")),
        None => error,
    };
    add_new(errors, vec![error]);
}

/// The tests that a side of a comparison names, without their cells.
fn side_tests(side: &CompareSide) -> Vec<&str> {
    let test = |case: &'_ String| case.find('[').unwrap_or(case.len());
    match side {
        CompareSide::Case(case) => vec![&case[..test(case)]],
        CompareSide::BestOf(cases) => cases.iter().map(|case| &case[..test(case)]).collect(),
    }
}
