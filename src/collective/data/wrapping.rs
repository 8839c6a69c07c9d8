use super::place::{Place, Recipe};
use crate::collective::Datatype;

/// Sums and products of integers. They wrap, so that every order has the same result, and any bits may be sent; products
/// take odd numbers, since even ones soon make zero.
pub(super) struct Wrapping {
    /// All bits of the type.
    all: u64,
    product: bool,
}

impl Wrapping {
    /// Sums in an integer type.
    pub const fn sum(datatype: Datatype) -> Self {
        Self { all: bits(datatype), product: false }
    }

    /// Products in an integer type.
    pub const fn product(datatype: Datatype) -> Self {
        Self { all: bits(datatype), product: true }
    }

    const fn drawn(&self, place: &Place, rank: u32) -> u64 {
        place.drawn(rank) | self.product as u64
    }

    fn all_drawn(&self, place: &Place) -> u64 {
        let drawn = (0..place.ranks).map(|rank| self.drawn(place, rank));
        if self.product { drawn.fold(1, u64::wrapping_mul) } else { drawn.fold(0, u64::wrapping_add) }
    }

    /// Whether the drawn numbers give what memory holds that was cleared or never written.
    fn is_telling(&self, place: &Place) -> bool {
        ![0, self.all].contains(&(self.all_drawn(place) & self.all))
    }

    /// What the leading rank does with its number, and thereby with the result, where they do.
    const fn turned(&self, number: u64) -> u64 {
        if self.product { number.wrapping_mul(3) } else { number.wrapping_add(2) }
    }
}

/// The bits of a type.
pub(super) const fn bits(datatype: Datatype) -> u64 {
    u64::MAX >> (64 - 8 * datatype.bytes())
}

impl Recipe for Wrapping {
    fn sent(&self, place: &Place, rank: u32) -> u64 {
        let drawn = self.drawn(place, rank);
        let turned = rank == place.lead && !self.is_telling(place);
        (if turned { self.turned(drawn) } else { drawn }) & self.all
    }

    fn expected(&self, place: &Place) -> u64 {
        let all = self.all_drawn(place);
        (if self.is_telling(place) { all } else { self.turned(all) }) & self.all
    }
}
