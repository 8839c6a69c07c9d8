use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{Case, LeftOut, Selection};
use crate::spec::{AxisKey, Cell, Kind, SpecError, Suite, Test, cells};

/// The cases of one suite that run, in the order of the spec.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The suite.
    pub suite: Arc<Suite>,
    /// The selected cases.
    pub cases: Vec<Case>,
    /// What matched by name and was left out all the same.
    pub left_out: LeftOut,
}

/// A suite that has no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Two cases have one name.
    #[error("two cases are named {0}")]
    DuplicateName(String),
    /// A cell's expectations are wrong.
    #[error("the expectations of a cell are wrong")]
    Spec(Vec<SpecError>),
}

/// The plan of a suite. Nothing of a machine is needed for it.
pub fn plan(suite: &Arc<Suite>, selection: &Selection) -> Result<Plan, PlanError> {
    let mut all = Vec::new();
    if let Some(machine) = &suite.machine {
        let kind = Arc::new(Kind::Machine(machine.value.clone()));
        let suite = Arc::clone(suite);
        all.push(Case { suite, test: None, cell: Cell::new(), kind, conditional: Vec::new() });
    }
    for test in &suite.tests {
        test_cases(suite, test, &mut all)?;
    }
    let (cases, left_out) = selection.apply(all);
    check_names(&cases)?;
    Ok(Plan { suite: Arc::clone(suite), cases, left_out })
}

fn test_cases(suite: &Arc<Suite>, test: &Arc<Test>, all: &mut Vec<Case>) -> Result<(), PlanError> {
    let mut kinds: HashMap<(Vec<usize>, Cell), Arc<Kind>> = HashMap::new();
    for cell in cells::cells(test.matrix.as_ref()) {
        let matching = (0..test.overrides.len()).filter(|at| cells::matches(&cell, &test.overrides[*at].cell));
        let (decided, conditional): (Vec<usize>, Vec<usize>) =
            matching.partition(|at| test.overrides[*at].machine.is_empty());
        let fields = kind_fields(&cell);
        let kind = match kinds.get(&(decided.clone(), fields.clone())) {
            Some(kind) => Arc::clone(kind),
            None => {
                let kind = test.kind_for_cell(&fields, &decided).map_err(PlanError::Spec)?;
                kinds.insert((decided, fields), Arc::clone(&kind));
                kind
            }
        };
        all.push(Case { suite: Arc::clone(suite), test: Some(Arc::clone(test)), cell, kind, conditional });
    }
    Ok(())
}

/// The part of a cell that changes what is checked; the rest is environment and placement.
fn kind_fields(cell: &Cell) -> Cell {
    let fields = [AxisKey::Operation, AxisKey::Datatype];
    cell.iter().filter(|(key, _)| fields.iter().any(|field| field.name() == &**key)).cloned().collect()
}

fn check_names(cases: &[Case]) -> Result<(), PlanError> {
    let mut seen: HashSet<(&str, &Cell)> = HashSet::with_capacity(cases.len());
    let twice = cases.iter().find(|case| !seen.insert((case.test_name(), &case.cell)));
    twice.map_or(Ok(()), |case| Err(PlanError::DuplicateName(case.name())))
}
