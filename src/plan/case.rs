use std::sync::Arc;

use crate::spec::{AxisKey, Cell, GpuSelection, Kind, Pin, Suite, Test, cells};

/// One case: a test and one cell of its matrix.
#[derive(Clone, Debug)]
pub struct Case {
    /// The suite that it belongs to.
    pub suite: Arc<Suite>,
    /// The test; the machine guard has none.
    pub test: Option<Arc<Test>>,
    /// The cell: keys in byte order with their values. A key that is `~` in the cell is not here.
    pub cell: Cell,
    /// What is checked in this cell, the overrides that the cell alone decides applied.
    pub kind: Arc<Kind>,
    /// Overrides that match the cell and depend on the machine too, by index.
    pub conditional: Vec<usize>,
}

/// The name that the guard of every suite has as a test.
pub const MACHINE: &str = "machine";

impl Case {
    /// The name of the test.
    pub fn test_name(&self) -> &str {
        self.test.as_ref().map_or(MACHINE, |test| &test.name)
    }

    /// The whole name: `SUITE::TEST[KEY=VALUE,...]`. It is stable; reports, filters, baselines and files use it.
    pub fn name(&self) -> String {
        format!("{}::{}", self.suite.name, self.short_name())
    }

    /// The name without the suite: `TEST[KEY=VALUE,...]`, as files of saved outputs are named.
    pub fn short_name(&self) -> String {
        let mut name = self.test_name().to_owned();
        if !self.cell.is_empty() {
            name.push('[');
            name.push_str(&self.cell_text());
            name.push(']');
        }
        name
    }

    /// The value of a key of the cell.
    pub fn cell_value(&self, key: &AxisKey) -> Option<&str> {
        self.cell.iter().find(|(name, _)| **name == *key.name()).map(|(_, value)| &**value)
    }

    /// Where its ranks are placed: the cell decides, else the test.
    pub fn pin(&self) -> Pin {
        let cell = self.cell_value(&AxisKey::Pin).and_then(|pin| pin.parse().ok());
        cell.or_else(|| self.test.as_ref().map(|test| test.pin.clone())).unwrap_or_default()
    }

    /// The GPUs it uses: the cell decides, else the test.
    pub fn gpus(&self) -> GpuSelection {
        let cell = self.cell_value(&AxisKey::Gpus).and_then(|gpus| gpus.parse().ok());
        cell.or_else(|| self.test.as_ref().map(|test| test.gpus.clone())).unwrap_or_default()
    }

    /// The cell within its brackets: `KEY=VALUE,...`.
    pub fn cell_text(&self) -> String {
        cells::text(&self.cell)
    }
}
