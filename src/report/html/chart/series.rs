use super::bounds::{Judged, Placement};
use crate::evidence::{Measurement, Row, Sample};

/// One measured point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// The size in bytes, above 0.
    pub size: u64,
    /// GB/s.
    pub busbw: f64,
}

/// The curves of a measurement, by size.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    /// Out of place.
    pub out_of_place: Vec<Point>,
    /// In place.
    pub in_place: Vec<Point>,
}

impl Series {
    /// The curves; a size of 0 has no place on a logarithmic axis, and stands in the table only.
    pub fn new(measurement: &Measurement) -> Self {
        let points = |sample: fn(&Row) -> Option<&Sample>| {
            let mut points: Vec<Point> = measurement
                .rows
                .iter()
                .filter_map(|row| Some(Point { size: row.size, busbw: sample(row)?.busbw.value }))
                .filter(|point| point.size > 0 && point.busbw.is_finite() && point.busbw >= 0.0)
                .collect();
            points.sort_by_key(|point| point.size);
            points
        };
        Self { out_of_place: points(|row| row.out_of_place.as_ref()), in_place: points(|row| row.in_place.as_ref()) }
    }

    /// Whether there is anything to draw.
    pub const fn is_empty(&self) -> bool {
        self.out_of_place.is_empty() && self.in_place.is_empty()
    }

    /// Every size.
    pub fn sizes(&self) -> impl Iterator<Item = u64> + Clone {
        self.out_of_place.iter().chain(&self.in_place).map(|point| point.size)
    }

    /// The point of a judged value; of several of its size the one that is shown as it was judged.
    pub fn point(&self, judged: &Judged<'_>) -> Option<Point> {
        let points = if judged.placement == Some(Placement::In) { &self.in_place } else { &self.out_of_place };
        let shown: Option<f64> = judged.measured.actual.split(' ').next().and_then(|number| number.parse().ok());
        let far = |point: &Point| shown.map_or(0.0, |shown| (point.busbw - shown).abs());
        points.iter().filter(|point| point.size == judged.size).min_by(|a, b| far(a).total_cmp(&far(b))).copied()
    }
}
