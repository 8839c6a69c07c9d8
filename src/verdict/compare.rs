//! Two cases' bandwidths set against each other.

use super::{
    Evidence, FindingCode,
    collective::{Placement, Problem, Quantity, Reference},
    ledger::{Check, Ledger},
    want,
};
use crate::{
    plan::Case,
    spec::{Compare, CompareSide, Placed},
    units::Size,
};

/// One side: the cases of which the best counts at each size.
struct Side<'a> {
    name: String,
    cases: Vec<Reference<'a>>,
}

/// Judges the ratio at every size, in every placement that all cases are measured in.
pub(super) fn judge(case: &Case, compare: &Compare, evidence: &Evidence<'_>, ledger: &mut Ledger<'_>) {
    let sides = [&compare.left, &compare.right].map(|side| Side::find(case, side, evidence, ledger));
    let [Some(left), Some(right)] = sides else { return };
    let everywhere =
        |placement: &Placement| left.cases.iter().chain(&right.cases).all(|case| case.placements().contains(placement));
    let placements: Vec<Placement> =
        [Placement::OutOfPlace, Placement::InPlace].into_iter().filter(everywhere).collect();
    if placements.is_empty() {
        let message =
            format!("{} and {} are measured neither both in place nor both out of place", left.name, right.name);
        ledger.error(FindingCode::NothingSelected, Some(&compare.at.place), message);
    }
    for size in &compare.at.value {
        for placement in &placements {
            ratio(compare, [&left, &right], *size, *placement, ledger);
        }
    }
}

impl<'a> Side<'a> {
    /// Looks up the cases of a side. Each that is missing is an error of its own, and then there is no side.
    fn find(case: &Case, side: &Placed<CompareSide>, evidence: &Evidence<'a>, ledger: &mut Ledger<'_>) -> Option<Self> {
        let (name, names) = match &side.value {
            CompareSide::Case(name) => (name.clone(), std::slice::from_ref(name)),
            CompareSide::BestOf(names) => (format!("the best of {}", names.join(", ")), &names[..]),
        };
        let mut cases = Vec::new();
        for name in names {
            match Reference::find(&case.suite, name, evidence) {
                Ok(found) => cases.push(found),
                Err(Problem { code, message }) => {
                    ledger.error(code, Some(&side.place), message);
                }
            }
        }
        (cases.len() == names.len() && !cases.is_empty()).then_some(Self { name, cases })
    }

    /// The best of its cases; none may be unknown, since it could be the best.
    fn best(&self, size: Size, placement: Placement) -> Result<f64, String> {
        let figures = self.cases.iter().map(|case| case.figure(Quantity::BusBandwidth, size, placement));
        figures.collect::<Result<Vec<f64>, String>>().map(|figures| figures.into_iter().fold(0.0, f64::max))
    }
}

fn ratio(compare: &Compare, [left, right]: [&Side<'_>; 2], size: Size, placement: Placement, ledger: &mut Ledger<'_>) {
    let wanted = &compare.ratio.value;
    let expected = wanted.to_string();
    let what = format!("ratio at {size} {placement}");
    let check = Check::new(FindingCode::Ratio, &what, "{}", &compare.ratio.place);
    let sides = left.best(size, placement).and_then(|left| Ok((left, right.best(size, placement)?)));
    let (above, below) = match sides {
        Ok(sides) => sides,
        Err(reason) => return ledger.unknown(&check, "", &expected, &reason),
    };
    let value = above / below;
    let actual = want::show(wanted, &value).unwrap_or_default();
    let margin = want::margin(wanted, &value);
    if !value.is_finite() {
        let reason = format!("{above} GB/s over {below} GB/s is no number");
        return ledger.unknown(&check, "", &expected, &reason);
    }
    if want::holds(wanted, &value) {
        return ledger.met(&check, "", &expected, &actual, margin);
    }
    let by = margin.map(|margin| format!(", missed by {}", want::percent(margin))).unwrap_or_default();
    let message = format!(
        "{what} is {actual} ({above:.2} GB/s of {} over {below:.2} GB/s of {}), expected {expected}{by}",
        left.name, right.name
    );
    ledger.failure(&check, "", message, &expected, &actual, "measurements of the suite").margin = margin;
    ledger.missed(&check, "", &expected, &actual, margin);
}
