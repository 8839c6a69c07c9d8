use super::{
    format::Format,
    place::{Place, Recipe},
};

/// Sums of floats, and their means where the number of ranks is a power of two: integers whose magnitudes together are
/// within the significand, so that every partial sum in every order is exact, also where each rank's element is divided
/// by the number of ranks before it is added (NVIDIA/nccl `src/enqueue.cc`, `hostToDevRedOp`: ncclDevPreMulSum). A sum
/// is never zero: the sign of a zero would depend on the order.
pub(super) struct Exact {
    format: Format,
    /// What the sum is divided by.
    divisor: f64,
}

impl Exact {
    /// Sums.
    pub const fn sum(format: Format) -> Self {
        Self { format, divisor: 1.0 }
    }

    /// Means among so many ranks, a power of two.
    pub fn mean(format: Format, ranks: u32) -> Self {
        Self { format, divisor: f64::from(ranks) }
    }

    const fn budget(&self) -> u64 {
        1 << self.format.precision()
    }

    /// What is drawn for a rank, and for all.
    fn drawn(&self, place: &Place, rank: u32) -> i64 {
        place.signed(rank, self.budget())
    }

    fn sum_drawn(&self, place: &Place) -> i64 {
        (0..place.ranks).map(|rank| self.drawn(place, rank)).sum()
    }
}

impl Recipe for Exact {
    fn sent(&self, place: &Place, rank: u32) -> u64 {
        let drawn = self.drawn(place, rank);
        // The leading rank turns a sum of zero into one that is not, with the same magnitude.
        let turned = rank == place.lead && self.sum_drawn(place) == 0;
        self.format.encode(if turned { -drawn } else { drawn } as f64)
    }

    fn expected(&self, place: &Place) -> u64 {
        let sum = match self.sum_drawn(place) {
            0 => -2 * self.drawn(place, place.lead),
            sum => sum,
        };
        self.format.encode(sum as f64 / self.divisor)
    }
}
