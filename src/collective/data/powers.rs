use super::{
    format::{Format, power},
    hash,
    place::{Place, Recipe},
};

/// Products of floats: powers of two, positive and negative, whose exponents together stay in the range of the type, so
/// that every partial product in every order is exact. The leading rank's significand is any.
pub(super) struct Powers {
    /// The format.
    pub format: Format,
}

impl Powers {
    /// The exponent of what a rank sends.
    fn exponent(&self, place: &Place, rank: u32) -> i32 {
        place.signed(rank, self.format.least_exponent().unsigned_abs().into()) as i32
    }

    fn significand(&self, place: &Place) -> f64 {
        let places = self.format.precision() - 1;
        1.0 + hash::below(place.own(), 1 << places) as f64 * power(-(places as i32))
    }

    fn is_negative(place: &Place, rank: u32) -> bool {
        // A bit far from those that make the exponent and its sign.
        place.drawn(rank) & 2 != 0
    }
}

fn signed(magnitude: f64, negative: bool) -> f64 {
    if negative { -magnitude } else { magnitude }
}

impl Recipe for Powers {
    fn sent(&self, place: &Place, rank: u32) -> u64 {
        let significand = if rank == place.lead { self.significand(place) } else { 1.0 };
        let magnitude = significand * power(self.exponent(place, rank));
        self.format.encode(signed(magnitude, Self::is_negative(place, rank)))
    }

    fn expected(&self, place: &Place) -> u64 {
        let exponent = (0..place.ranks).map(|rank| self.exponent(place, rank)).sum();
        let negative = (0..place.ranks).filter(|rank| Self::is_negative(place, *rank)).count() % 2 == 1;
        self.format.encode(signed(self.significand(place) * power(exponent), negative))
    }
}
