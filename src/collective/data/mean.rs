use super::{
    hash,
    place::{Place, Recipe},
    wrapping::bits,
};
use crate::collective::Datatype;

/// Means of integers: NCCL adds, wrapping, and divides the sum's magnitude by the number of ranks, which drops what
/// remains (NVIDIA/nccl `src/device/reduce_kernel.h`, `FuncSumPostDiv::divide`). All ranks send numbers of one sign,
/// small enough for the sum to stay in the type. The sum is a multiple of the number of ranks, so that one that misses
/// something gives less, or one less than a multiple, so that one that has something twice gives more. With more ranks
/// than the largest number of the type, every mean is 0.
pub(super) struct Mean {
    /// All bits of the type.
    all: u64,
    signed: bool,
    /// What a sum may be at most: bits that are all set are never the result.
    budget: u64,
}

impl Mean {
    /// Means in an integer type.
    pub const fn of(datatype: Datatype) -> Self {
        let all = bits(datatype);
        let signed = matches!(datatype, Datatype::Int8 | Datatype::Int32 | Datatype::Int64);
        Self { all, signed, budget: if signed { all / 2 } else { all - 1 } }
    }

    fn drawn(&self, place: &Place, rank: u32) -> u64 {
        let allowance = place.allowance(rank, self.budget);
        if allowance == 0 { 0 } else { 1 + hash::below(place.drawn(rank), allowance) }
    }

    /// The sum of what was drawn, and how much the leading rank takes off.
    fn sum(&self, place: &Place) -> (u64, u64) {
        let sum: u64 = (0..place.ranks).map(|rank| self.drawn(place, rank)).sum();
        let ranks = u64::from(place.ranks);
        let remainder = if place.own() & 1 == 0 { 0 } else { ranks - 1 };
        let off = (sum % ranks + ranks - remainder) % ranks;
        (sum, if off > sum { 0 } else { off })
    }

    /// Whether the numbers are negative at an element: not where the mean is -1, whose bits are all set.
    const fn is_negative(&self, place: &Place, mean: u64) -> bool {
        self.signed && mean > 1 && place.own() & 2 != 0
    }

    const fn encode(&self, number: u64, negative: bool) -> u64 {
        (if negative { number.wrapping_neg() } else { number }) & self.all
    }
}

impl Recipe for Mean {
    fn sent(&self, place: &Place, rank: u32) -> u64 {
        let (sum, off) = self.sum(place);
        let negative = self.is_negative(place, (sum - off) / u64::from(place.ranks));
        let drawn = self.drawn(place, rank);
        self.encode(if rank == place.lead { drawn.wrapping_sub(off) } else { drawn }, negative)
    }

    fn expected(&self, place: &Place) -> u64 {
        let (sum, off) = self.sum(place);
        let mean = (sum - off) / u64::from(place.ranks);
        self.encode(mean, self.is_negative(place, mean))
    }
}
