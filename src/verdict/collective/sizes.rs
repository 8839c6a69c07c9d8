//! Every size that the test names, on its own, in every placement.

use super::{
    Placement, Problem, Quantity, View,
    data::{self, Data},
    gaps::Gaps,
    limits::{Asked, Limits},
    ranks,
    view::position,
};
use crate::{
    evidence::Row,
    units::Size,
    verdict::{
        Evidence, FindingCode,
        ledger::{Check, Ledger},
        want,
    },
};

/// Judges every named size.
pub(super) fn judge(view: &View<'_>, evidence: &Evidence<'_>, ledger: &mut Ledger<'_>) {
    let mut gaps = Gaps::default();
    for size in view.collective.sizes.all() {
        let rows = view.rows_of(size);
        let place = &view.collective.sizes.place;
        match rows.first() {
            None => gaps.not_measured("were not measured", place, size),
            Some(row) if row.size == 0 && size.0 > 0 => {
                gaps.not_measured("are trimmed to 0 in the output, too small for the ranks to share", place, size);
            }
            Some(_) => {
                let repeated = rows.len() > 1;
                for row in rows {
                    Judge { view, evidence, row, size, repeated }.judge(&mut gaps, ledger);
                }
            }
        }
    }
    gaps.tell(ledger);
}

/// The judge of one row of one size.
struct Judge<'a, 'e> {
    view: &'e View<'a>,
    evidence: &'a Evidence<'e>,
    row: &'a Row,
    size: Size,
    /// Whether the output has the size more than once: every row of it has to do, and is named by its line.
    repeated: bool,
}

impl<'a> Judge<'a, '_> {
    fn judge(&self, gaps: &mut Gaps<'a>, ledger: &mut Ledger<'_>) {
        if let Some(doubt) = self.view.row_doubt(self.row) {
            let place = &self.view.collective.sizes.place;
            let what = format!("the row of {}", self.size);
            return ledger.unknown(&Check::new(FindingCode::BusBandwidth, &what, "{}", place), "", "", &doubt);
        }
        for placement in self.view.judged(self.row) {
            self.data(placement, gaps);
            self.bounds(placement, gaps, ledger);
        }
    }

    /// Whether it was measured and its data checked; wrong data is told for the whole output.
    fn data(&self, placement: Placement, gaps: &mut Gaps<'a>) {
        let place = &self.view.collective.sizes.place;
        let Some(sample) = placement.of(self.row) else {
            return gaps.not_measured(&format!("were not measured {placement}"), place, self.size);
        };
        let told = !self.view.wants_data() || self.view.measurement.validation == Some(false);
        if !told && data::data(self.view, sample.wrong) == Data::Unchecked {
            let problem = Problem::new(FindingCode::DataUnchecked, format!("the data was not checked {placement}"));
            gaps.add(problem, place, self.size);
        }
    }

    fn bounds(&self, placement: Placement, gaps: &mut Gaps<'a>, ledger: &mut Ledger<'_>) {
        if ranks::measures_one_rank(self.view.measurement) {
            return;
        }
        let expect = &self.view.collective.expect;
        let busbw = expect.busbw.get(&self.size).map(Asked::BusBandwidth);
        for asked in busbw.into_iter().chain(expect.latency.get(&self.size).map(Asked::Latency)) {
            match asked.limits(self.view, self.evidence, self.size, placement) {
                Ok(limits) => self.hold(asked, &limits, placement, ledger),
                Err(problem) => gaps.add(problem, asked.place(), self.size),
            }
        }
    }

    /// Holds a figure against its bound.
    fn hold(&self, asked: Asked<'_>, limits: &Limits, placement: Placement, ledger: &mut Ledger<'_>) {
        let quantity = asked.quantity();
        let Some(figure) = quantity.of(self.row, placement) else { return };
        let value = figure.value;
        let mut what = quantity.at(self.size, placement);
        if self.repeated {
            what = format!("{what} ({})", position(self.row));
        }
        let code = match quantity {
            Quantity::BusBandwidth => FindingCode::BusBandwidth,
            Quantity::Latency => FindingCode::Latency,
        };
        let check = Check::new(code, &what, "{}", asked.place()).unit(quantity.unit());
        let expected = &limits.expected;
        let holds = want::holds(&limits.wanted, &value);
        if !value.is_finite() || value < 0.0 || (value == 0.0 && holds && !self.may_be_zero(asked, limits)) {
            let reason = format!("{}: {value} is no measured value", position(self.row));
            return ledger.unknown(&check, "", expected, &reason);
        }
        let actual = format!("{} {}", want::show(&limits.wanted, &value).unwrap_or_default(), quantity.unit());
        let margin = want::margin(&limits.wanted, &value);
        if holds {
            return ledger.met(&check, "", expected, &actual, margin);
        }
        let by = margin.map(|margin| format!(", missed by {}", want::percent(margin))).unwrap_or_default();
        let message = format!("{what} is {actual}, expected {expected}{by}");
        ledger.failure(&check, "", message, expected, &actual, &position(self.row)).margin = margin;
        ledger.missed(&check, "", expected, &actual, margin);
    }

    /// A bandwidth of small sizes is printed as 0.00, which is below a ceiling and no floor's match; a time never is.
    fn may_be_zero(&self, asked: Asked<'_>, limits: &Limits) -> bool {
        use crate::spec::Wanted;
        asked.quantity() == Quantity::BusBandwidth && matches!(limits.wanted, Wanted::Range { min: None, .. })
    }
}
