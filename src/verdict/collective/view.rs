use super::{Placement, operation};
use crate::{
    collective::{Datatype, SHARE, bus_factor},
    evidence::{Figure, Measurement, Row, Sample},
    plan::Case,
    spec::{Collective, InPlace, Operation, Unchecked},
    units::Size,
};

/// Beside the printed places: what floating point adds to a product of two figures that are not rounded.
const SAME: f64 = 1e-9;

/// The bytes that a size of a divided operation is trimmed to a multiple of; `None` where nothing is divided.
pub(super) fn trimming_step(operation: Operation, ranks: u32) -> Option<u64> {
    let divided = match operation {
        Operation::AllGather | Operation::ReduceScatter | Operation::AllToAll => true,
        Operation::Gather | Operation::Scatter => true,
        Operation::AllReduce | Operation::Broadcast | Operation::Reduce | Operation::SendRecv => false,
    };
    divided.then(|| SHARE * u64::from(ranks))
}

/// A measurement as one case sees it.
pub(super) struct View<'a> {
    /// The case.
    pub case: &'a Case,
    /// What the case asks.
    pub collective: &'a Collective,
    /// What was measured.
    pub measurement: &'a Measurement,
    /// The rows that are of the case's operation, data type, reduction and root, by size.
    pub rows: Vec<&'a Row>,
}

impl<'a> View<'a> {
    /// The view of a case.
    pub fn new(case: &'a Case, collective: &'a Collective, measurement: &'a Measurement) -> Self {
        let own = |row: &&Row| operation::contradiction(collective, row).is_none();
        let mut rows: Vec<&Row> = measurement.rows.iter().filter(own).collect();
        rows.sort_by_key(|row| row.size);
        Self { case, collective, measurement, rows }
    }

    /// The operation that the case is of.
    pub fn operation(&self) -> Operation {
        self.collective.operation.value
    }

    /// Whether data has to be checked, which is so unless the spec says otherwise.
    pub fn wants_data(&self) -> bool {
        self.collective.expect.wrong.as_ref().is_none_or(|wrong| wrong.value == Unchecked::No)
    }

    /// Whether the list of ranks has to be whole, which is so unless the spec says otherwise.
    pub fn wants_ranks(&self) -> bool {
        self.collective.expect.ranks.as_ref().is_none_or(|ranks| ranks.value == Unchecked::No)
    }

    /// The placements that have to be measured, with checked data.
    pub fn required(&self) -> &'static [Placement] {
        match self.in_place() {
            InPlace::Both if self.has_no_in_place() => &[Placement::OutOfPlace],
            InPlace::Both => &[Placement::OutOfPlace, Placement::InPlace],
            InPlace::Only => &[Placement::InPlace],
            InPlace::Never => &[Placement::OutOfPlace],
        }
    }

    /// The placements of a row that are judged: those that have to be measured, and what was measured in place of an
    /// operation that need not be: its bounds hold in both.
    pub fn judged(&self, row: &Row) -> Vec<Placement> {
        let mut judged = self.required().to_vec();
        if self.in_place() == InPlace::Both && self.has_no_in_place() && row.in_place.is_some() {
            judged.push(Placement::InPlace);
        }
        judged
    }

    fn in_place(&self) -> InPlace {
        self.collective.in_place.as_ref().map_or(InPlace::Both, |in_place| in_place.value)
    }

    /// nccl-tests prints N/A for the data of these in place.
    fn has_no_in_place(&self) -> bool {
        matches!(self.operation(), Operation::AllToAll | Operation::SendRecv)
    }

    /// The rows of a size: those of that size, or of the next below that the tool has trimmed it to. More than one where
    /// the size was measured more than once.
    pub fn rows_of(&self, size: Size) -> &[&'a Row] {
        let step = self.step().unwrap_or(1);
        let end = self.rows.partition_point(|row| row.size <= size.0);
        let Some(nearest) = self.rows[..end].last().filter(|row| size.0 - row.size < step) else { return &[] };
        let start = self.rows.partition_point(|row| row.size < nearest.size);
        &self.rows[start..end]
    }

    /// The bytes that a size is trimmed to a multiple of: whole elements, or where the operation divides them, whole
    /// shares of the ranks, where those are known.
    fn step(&self) -> Option<u64> {
        let share = self.measurement.whole_ranks().and_then(|ranks| trimming_step(self.operation(), ranks));
        share.or_else(|| operation::datatype(self.collective).map(Datatype::bytes))
    }

    /// Why a row cannot be relied on, with its place in the output.
    pub fn row_doubt(&self, row: &Row) -> Option<String> {
        let reason = row.doubt.clone().or_else(|| {
            let samples = [Placement::OutOfPlace, Placement::InPlace].map(|placement| (placement, placement.of(row)));
            samples.into_iter().find_map(|(placement, sample)| self.contradiction(placement, row.size, sample?))
        })?;
        Some(format!("{}: {reason}", position(row)))
    }

    /// What is wrong between the figures: algorithm bandwidth is size over time, and its ratio to bus bandwidth follows
    /// from operation and ranks.
    fn contradiction(&self, placement: Placement, bytes: u64, sample: &Sample) -> Option<String> {
        let (bus, algorithm) = (sample.busbw, sample.algbw);
        if !sample.is_of_size(bytes) {
            let (time, algorithm) = (sample.time.value, algorithm.value);
            return Some(format!("{bytes} bytes in {time} us {placement} are not the {algorithm} GB/s beside them"));
        }
        let Some(ranks) = self.measurement.whole_ranks() else {
            let alone = bus.value == 0.0 && algorithm.range().0 > 0.0;
            return alone.then(|| {
                format!("the bus bandwidth {placement} is 0 beside {} GB/s, as one rank has it", algorithm.value)
            });
        };
        let factor = bus_factor(self.operation(), ranks);
        (!agree(bus, algorithm, factor)).then(|| {
            let name = self.operation().name();
            format!(
                "the bus bandwidth {placement}, {} GB/s, is not {factor:.4} times the {} GB/s beside it, as for {name} \
                 with {ranks} ranks",
                bus.value, algorithm.value
            )
        })
    }
}

/// Where a row stands: `nccl-tests/all-reduce.txt:12`.
pub(super) fn position(row: &Row) -> String {
    match row.line {
        0 => row.source.clone(),
        line => format!("{}:{line}", row.source),
    }
}

/// Whether both figures can be true at once, each within its print rounding.
fn agree(bus: Figure, algorithm: Figure, factor: f64) -> bool {
    let (low, high) = algorithm.range();
    let (least, most) = bus.range();
    let slack = SAME * bus.value.abs();
    low * factor <= most + slack && least - slack <= high * factor
}
