//! What a test checks in each of its cells: the cell's operation and data type, and the overrides that match.

use std::{collections::HashSet, sync::Arc};

use super::{
    AxisKey, Kind, Node, NodeValue, SpecError, Test,
    cells::{self, Cell},
    decoder::Errors,
    extends::merge,
};

/// The fields of a cell that change what is checked; the rest is environment and placement.
const FIELDS: [AxisKey; 2] = [AxisKey::Operation, AxisKey::Datatype];

impl Test {
    /// What is checked in a cell. Of the cell, `op` and `datatype` matter; `overrides` are the indices of those that
    /// hold, which are merged over the test's `expect` in their order.
    pub fn kind_for_cell(
        &self,
        cell: &[(Arc<str>, Arc<str>)],
        overrides: &[usize],
    ) -> Result<Arc<Kind>, Vec<SpecError>> {
        let fields = fields(cell);
        if fields.is_empty() && overrides.is_empty() && !self.lacks_operation() {
            return Ok(Arc::clone(&self.kind));
        }
        let mut node = self.kind_node.clone();
        for (key, value) in &fields {
            set(&mut node, key, |field| field.replaced_by(value));
        }
        let mut order = overrides.to_vec();
        order.sort_unstable();
        order.dedup();
        for entry in order.into_iter().filter_map(|at| self.overrides.get(at)) {
            set(&mut node, "expect", |expect| merge(expect, &entry.expect));
        }
        let mut errors = Errors::default();
        match Kind::decode(self.kind.name(), &node, &mut errors) {
            Some(kind) if errors.0.is_empty() => Ok(Arc::new(kind)),
            _ => Err(errors.0),
        }
    }

    /// Whether only the cells say what the operation is.
    fn lacks_operation(&self) -> bool {
        let is_set = |(key, _, value): &(String, _, Node)| key == "op" && value.value != NodeValue::Null;
        let NodeValue::Map(entries) = &self.kind_node.value else { return false };
        matches!(*self.kind, Kind::Collective(_)) && !entries.iter().any(is_set)
    }

    /// Every kind that a cell of the test can come to, and the errors that show only there, each once.
    ///
    /// Overrides that a machine decides are tried one by one and all together.
    pub(super) fn every_kind(&self, errors: &mut Errors) -> Vec<Arc<Kind>> {
        let mut tried: HashSet<(Cell, Vec<usize>)> = HashSet::new();
        let mut kinds = Vec::new();
        for cell in cells::cells(self.matrix.as_ref()) {
            for overrides in self.combinations(&cell) {
                let combination = (fields(&cell), overrides);
                if tried.contains(&combination) {
                    continue;
                }
                match self.kind_for_cell(&combination.0, &combination.1) {
                    Ok(kind) => kinds.push(kind),
                    Err(found) => add_new(errors, found),
                }
                tried.insert(combination);
            }
        }
        kinds
    }

    fn combinations(&self, cell: &Cell) -> Vec<Vec<usize>> {
        let matching: Vec<usize> =
            (0..self.overrides.len()).filter(|at| cells::matches(cell, &self.overrides[*at].cell)).collect();
        let conditional: Vec<usize> =
            matching.iter().copied().filter(|at| !self.overrides[*at].machine.is_empty()).collect();
        let with = |allowed: &[usize]| -> Vec<usize> {
            matching.iter().copied().filter(|at| !conditional.contains(at) || allowed.contains(at)).collect()
        };
        let mut combinations = vec![with(&[])];
        combinations.extend(conditional.iter().map(|at| with(&[*at])));
        if conditional.len() > 1 {
            combinations.push(with(&conditional));
        }
        combinations
    }
}

/// The part of a cell that changes what is checked.
pub(super) fn fields(cell: &[(Arc<str>, Arc<str>)]) -> Cell {
    cell.iter().filter(|(key, _)| FIELDS.iter().any(|field| field.name() == &**key)).cloned().collect()
}

/// Adds the errors that are not yet known: cells share most of what they check.
pub(super) fn add_new(errors: &mut Errors, found: Vec<SpecError>) {
    for error in found {
        if !errors.0.contains(&error) {
            errors.0.push(error);
        }
    }
}

/// Changes the value of a key; a key that is not there is added as an empty map.
fn set(node: &mut Node, key: &str, change: impl FnOnce(&Node) -> Node) {
    let place = node.place.clone();
    let NodeValue::Map(entries) = &mut node.value else { return };
    match entries.iter_mut().find(|(name, _, _)| name == key) {
        Some((_, _, value)) if value.value != NodeValue::Null => *value = change(value),
        _ => {
            let empty = Node { value: NodeValue::Map(Vec::new()), place: place.clone(), parameter: None };
            entries.retain(|(name, _, _)| name != key);
            entries.push((key.to_owned(), place, change(&empty)));
        }
    }
}

impl Node {
    /// A plain scalar in the place of this node.
    pub(super) fn replaced_by(&self, text: &str) -> Self {
        let value = NodeValue::Scalar { text: text.to_owned(), quoted: false };
        Self { value, place: self.place.clone(), parameter: None }
    }
}
