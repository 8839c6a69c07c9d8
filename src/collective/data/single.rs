use super::{
    format::{Format, power},
    hash,
    place::{Place, Recipe},
};

/// Means of floats where the number of ranks is not a power of two. NCCL multiplies by the number's reciprocal, in the
/// data type before it adds, or in `float` after it (NVIDIA/nccl: `src/enqueue.cc` hostToDevRedOp,
/// `src/scheduler/symmetric_sched.cc`), and so rounds twice or three times. Only the leading rank sends something else
/// than zero: what is rounded then is the reciprocal and the product, each by half a unit in the last place at most, and
/// the result lies within two values of the true mean's, as nccl-tests allows too (`src/common.cu`). In fp8_e4m3 the
/// reciprocal is that exact for up to 64 ranks, and for 72.
pub(super) struct Single {
    /// The format.
    pub format: Format,
}

/// The exponents of what is sent: in every type neither it nor its mean is subnormal or too large.
const EXPONENTS: (i32, u64) = (4, 4);

impl Single {
    fn value(&self, place: &Place) -> f64 {
        let drawn = place.drawn(place.lead);
        let fraction = power(1 - self.format.precision() as i32);
        let significand = 1.0 + hash::below(hash::mix(drawn), 1 << (self.format.precision() - 1)) as f64 * fraction;
        let exponent = EXPONENTS.0 + hash::below(drawn, EXPONENTS.1) as i32;
        let magnitude = significand * power(exponent);
        if drawn & 1 == 0 { magnitude } else { -magnitude }
    }
}

impl Recipe for Single {
    fn sent(&self, place: &Place, rank: u32) -> u64 {
        if rank == place.lead { self.format.encode(self.value(place)) } else { 0 }
    }

    fn expected(&self, place: &Place) -> u64 {
        self.format.encode(self.value(place) / f64::from(place.ranks))
    }

    fn tolerance(&self) -> u64 {
        2
    }
}
