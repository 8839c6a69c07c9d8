use std::sync::Arc;

use super::{Placement, Problem, Quantity, View, data, data::Data, engine, standing};
use crate::{
    evidence::{EngineRun, Measurement},
    facts::Facts,
    plan::Case,
    spec::{Kind, Suite, cells},
    units::Size,
    verdict::{Evidence, FindingCode},
};

/// Another case of the suite whose figures a bound or a comparison takes.
pub(in crate::verdict) struct Reference<'a> {
    case: Case,
    measurement: &'a Measurement,
    engine: Option<&'a EngineRun>,
    facts: &'a Facts,
}

impl<'a> Reference<'a> {
    /// The case of that name (`TEST` or `TEST[CELL]`) and what was measured of it.
    pub fn find(suite: &Arc<Suite>, name: &str, evidence: &Evidence<'a>) -> Result<Self, Problem> {
        let missing = |why: &str| Problem::new(FindingCode::CaseMissing, format!("the case {name} {why}"));
        let case = named(suite, name).ok_or_else(|| missing("is not in the suite"))?;
        let measured = evidence.collectives.get(&case.short_name());
        let measurement = measured.and_then(|measured| measured.measurement.as_ref());
        let measurement = measurement.ok_or_else(|| {
            missing("is needed and has no measurement: it was not selected, or nothing of it was measured")
        })?;
        let engine = measured.and_then(|measured| measured.engine.as_ref());
        Ok(Self { case, measurement, engine, facts: evidence.before })
    }

    /// The placements in which it has to be measured.
    pub fn placements(&self) -> &'static [Placement] {
        self.view().map_or(&[], |view| view.required())
    }

    /// Its figure, where it could pass with it; else why not, as a fragment.
    pub fn figure(&self, quantity: Quantity, size: Size, placement: Placement) -> Result<f64, String> {
        let because = |reason: String| format!("of {}: {reason}", self.case.short_name());
        self.sound(quantity, size, placement).map_err(because)
    }

    fn view(&self) -> Option<View<'_>> {
        let Kind::Collective(collective) = &*self.case.kind else { return None };
        Some(View::new(&self.case, collective, self.measurement))
    }

    fn sound(&self, quantity: Quantity, size: Size, placement: Placement) -> Result<f64, String> {
        let view = self.view().ok_or_else(|| "it is no collective".to_owned())?;
        if let Some(reason) = self.engine.and_then(engine::unsound) {
            return Err(reason);
        }
        if let Some(problem) = standing::problems(&view, self.facts).into_iter().next() {
            return Err(problem.message);
        }
        if let Some(message) = data::footer(&view).filter(|_| view.wants_data()) {
            return Err(message);
        }
        let rows = view.rows_of(size);
        let [row] = rows else {
            let how = if rows.is_empty() { "not measured" } else { "measured more than once" };
            return Err(format!("{size} was {how}"));
        };
        if let Some(doubt) = view.row_doubt(row) {
            return Err(doubt);
        }
        let sample = placement.of(row).ok_or_else(|| format!("{size} was not measured {placement}"))?;
        if view.wants_data() {
            match data::data(&view, sample.wrong) {
                Data::Right => {}
                Data::Wrong(count) => return Err(format!("{} at {size} {placement}", data::wrong_elements(count))),
                Data::Unchecked => return Err(format!("the data at {size} {placement} was not checked")),
            }
        }
        let figure = quantity.of(row, placement).map(|figure| figure.value);
        figure
            .filter(|value| value.is_finite() && *value > 0.0)
            .ok_or_else(|| format!("{} is no positive number", quantity.at(size, placement)))
    }
}

/// The case of a name, with what is checked in its cell.
fn named(suite: &Arc<Suite>, name: &str) -> Option<Case> {
    let (test, cell) = match name.split_once('[') {
        Some((test, cell)) => (test, cell.strip_suffix(']')?),
        None => (name, ""),
    };
    let test = suite.tests.iter().find(|known| known.name == test)?;
    let cell = cells::cells(test.matrix.as_ref()).into_iter().find(|known| cells::text(known) == cell)?;
    let decided = |at: &usize| {
        let entry = &test.overrides[*at];
        entry.machine.is_empty() && cells::matches(&cell, &entry.cell)
    };
    let overrides: Vec<usize> = (0..test.overrides.len()).filter(decided).collect();
    let kind = test.kind_for_cell(&cell, &overrides).ok()?;
    Some(Case { suite: Arc::clone(suite), test: Some(Arc::clone(test)), cell, kind, conditional: Vec::new() })
}
