use super::{
    exact::Exact,
    expected::Expected,
    extreme::Extreme,
    format::Format,
    mean::Mean,
    place::{Place, Recipe},
    powers::Powers,
    single::Single,
    wrapping::Wrapping,
};
use crate::collective::{Datatype, Reduction};

/// Elements after which the data repeats. A prime, so that data that was moved by any chunk, which is a power of two, does
/// not fit, and so many that the period of no type is above 8 MiB.
pub const PERIOD: u64 = 1_048_583;

/// The data of one reduction: what each rank sends and what must arrive, chosen so that every order of the ranks has the
/// same result to the bit. Element i is that of i modulo the period.
///
/// | | sum | prod | max, min | avg |
/// | --- | --- | --- | --- | --- |
/// | integers | any bits, wrapping | odd, wrapping | any value | one sign, no overflow |
/// | floats | integers within the significand | powers of two | any normal value | as sum where the number of ranks is a power of two, else one rank's value, to 2 units in the last place |
///
/// No result is zero or [`POISON`](super::POISON) in all bytes, so that memory that was cleared or never written does not
/// pass, but for means of small integers among more ranks than fit. 8-bit floats are those of OCP. A GPU
/// that has FNUZ's in their place (AMD gfx942, the MI300 family: ROCm/rccl `src/include/rccl_float8.h`), whose values are
/// half as large at the same bits, has the same sums and extremes, but other products.
///
/// What arrives is that of an all_reduce, on every rank. It is also what the root of a reduce has, and, from element
/// `rank * count` on, what a reduce_scatter leaves. Operations that do not reduce have [`Self::sent`] of the rank that
/// the data comes from.
pub struct Pattern {
    datatype: Datatype,
    ranks: u32,
    seed: u64,
    period: u64,
    recipe: Box<dyn Recipe>,
}

impl Pattern {
    /// The data of a reduction among so many ranks, 1 at least. Another seed is other data.
    pub fn new(datatype: Datatype, reduction: Reduction, ranks: u32, seed: u64) -> Self {
        Self::with_period(datatype, reduction, ranks, seed, PERIOD)
    }

    /// The same for buffers of no more than so many elements: what they do not need is not made.
    #[must_use]
    pub fn within(self, elements: u64) -> Self {
        Self { period: self.period.min(elements.max(1)), ..self }
    }

    /// Data that repeats sooner.
    pub(super) fn with_period(datatype: Datatype, reduction: Reduction, ranks: u32, seed: u64, period: u64) -> Self {
        let ranks = ranks.max(1);
        Self { datatype, ranks, seed, period, recipe: recipe(datatype, reduction, ranks) }
    }

    /// One period of what a rank sends: `PERIOD` elements or those that are needed, the lowest byte of each first.
    pub fn sent(&self, rank: u32) -> Vec<u8> {
        self.each(|place| self.recipe.sent(place, rank))
    }

    /// One period of what must arrive.
    pub fn expected(&self) -> Expected {
        Expected::new(self.datatype, self.recipe.tolerance(), self.each(|place| self.recipe.expected(place)))
    }

    fn each(&self, bits: impl Fn(&Place) -> u64) -> Vec<u8> {
        let width = self.datatype.bytes() as usize;
        let mut bytes = Vec::with_capacity(self.period as usize * width);
        for element in 0..self.period {
            let place = Place::of(self.seed, element, self.ranks);
            bytes.extend_from_slice(&bits(&place).to_le_bytes()[..width]);
        }
        bytes
    }
}

fn recipe(datatype: Datatype, reduction: Reduction, ranks: u32) -> Box<dyn Recipe> {
    match (Format::of(datatype), reduction) {
        (_, Reduction::Max | Reduction::Min) => Box::new(Extreme::of(datatype, reduction == Reduction::Min)),
        (None, Reduction::Sum) => Box::new(Wrapping::sum(datatype)),
        (None, Reduction::Prod) => Box::new(Wrapping::product(datatype)),
        (None, Reduction::Avg) => Box::new(Mean::of(datatype)),
        (Some(format), Reduction::Sum) => Box::new(Exact::sum(format)),
        (Some(format), Reduction::Prod) => Box::new(Powers { format }),
        (Some(format), Reduction::Avg) if ranks.is_power_of_two() => Box::new(Exact::mean(format, ranks)),
        (Some(format), Reduction::Avg) => Box::new(Single { format }),
    }
}
