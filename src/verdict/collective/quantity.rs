use std::fmt;

use super::Placement;
use crate::{
    evidence::{Figure, Row},
    units::Size,
};

/// What of a row is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verdict) enum Quantity {
    /// The bus bandwidth, in GB/s.
    BusBandwidth,
    /// The time of one operation, in microseconds.
    Latency,
}

impl Quantity {
    /// Its figure in one placement of a row.
    pub fn of(self, row: &Row, placement: Placement) -> Option<Figure> {
        let sample = placement.of(row)?;
        Some(match self {
            Self::BusBandwidth => sample.busbw,
            Self::Latency => sample.time,
        })
    }

    /// Its unit.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::BusBandwidth => "GB/s",
            Self::Latency => "us",
        }
    }

    /// The quantity at a size and placement: `busbw at 1G in place`.
    pub fn at(self, size: Size, placement: Placement) -> String {
        format!("{self} at {size} {placement}")
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::BusBandwidth => "busbw",
            Self::Latency => "latency",
        })
    }
}

/// A number of a unit with at most six decimals and no trailing zeros: `382.5`.
pub(super) fn short(value: f64) -> String {
    format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_owned()
}
