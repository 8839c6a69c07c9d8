use std::{collections::BTreeMap, fmt};

use super::{
    Node, Place, Placed, Wanted,
    cells::{self, Cell},
};
use crate::units::Version;

/// What a test's cells are crossed from.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// The axes, in byte order of their keys.
    pub axes: Vec<Axis>,
    /// Cells to drop: every key given has the value given.
    pub exclude: Vec<Placed<CellPattern>>,
    /// Cells to add; a key that is not given is left out.
    pub include: Vec<Placed<CellPattern>>,
}

/// One axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What varies.
    pub key: AxisKey,
    /// The values as text; `None` (`~`) leaves the key out of the cell.
    pub values: Vec<Option<String>>,
    /// Where the axis stands.
    pub place: Place,
}

/// What an axis varies. The order is the byte order of the names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AxisKey {
    /// An environment variable.
    Environment(String),
    /// `op`.
    Operation,
    /// `datatype`.
    Datatype,
    /// `pin`.
    Pin,
    /// `gpus`.
    Gpus,
}

impl AxisKey {
    /// The key as a cell shows it.
    pub fn name(&self) -> &str {
        match self {
            Self::Environment(name) => name,
            Self::Operation => "op",
            Self::Datatype => "datatype",
            Self::Pin => "pin",
            Self::Gpus => "gpus",
        }
    }
}

impl fmt::Display for AxisKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Some keys of a cell with their values; `None` is `~`.
pub type CellPattern = BTreeMap<String, Option<String>>;

/// Expectations that change for some cells or machines.
#[derive(Clone, Debug)]
pub struct Override {
    /// The cells: every key given has the value given.
    pub cell: CellPattern,
    /// The machines.
    pub machine: MachineCondition,
    /// What is merged over the test's `expect`.
    pub expect: Node,
    /// Where the entry stands.
    pub place: Place,
}

impl Override {
    /// Whether the cell has what the entry asks of it; a machine may be asked too.
    pub fn matches_cell(&self, cell: &Cell) -> bool {
        cells::matches(cell, &self.cell)
    }
}

/// Facts that an override can depend on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineCondition {
    /// The number of GPUs.
    pub gpus: Option<Wanted<u32>>,
    /// Whether NVLink SHARP is in use.
    pub nvls: Option<bool>,
    /// The version of the collective library: the least and the most, both included.
    pub library: Option<(Option<Version>, Option<Version>)>,
}

impl MachineCondition {
    /// Whether there is no condition, so that the cell alone decides.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
