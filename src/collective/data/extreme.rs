use super::{
    format::Format,
    hash,
    place::{Place, Recipe},
};
use crate::collective::Datatype;

/// The largest and the least of finite values: the leading rank has what must arrive, any value of the type, and every
/// other rank has one that lies behind it.
pub(super) struct Extreme {
    values: Values,
    /// Whether the least is looked for.
    least: bool,
}

impl Extreme {
    /// The extremes of a type.
    pub const fn of(datatype: Datatype, least: bool) -> Self {
        Self { values: Values::of(datatype), least }
    }

    /// How far up the leading rank's value is, 1 at least, so that there is one behind it.
    const fn height(&self, place: &Place) -> u64 {
        1 + hash::below(place.own(), self.values.count() - 1)
    }

    const fn at(&self, height: u64) -> u64 {
        self.values.at(if self.least { self.values.count() - 1 - height } else { height })
    }
}

impl Recipe for Extreme {
    fn sent(&self, place: &Place, rank: u32) -> u64 {
        let height = self.height(place);
        self.at(if rank == place.lead { height } else { hash::below(place.drawn(rank), height) })
    }

    fn expected(&self, place: &Place) -> u64 {
        self.at(self.height(place))
    }
}

/// The values of a type in their order, each by its bits: normal floats, and integers but zero and that whose bits are
/// all set, which is what memory holds that was never written.
struct Values {
    /// The bits of the least and the largest positive value.
    least: u64,
    largest: u64,
    negative: Negative,
}

/// How a type has negative values.
enum Negative {
    /// It has none.
    None,
    /// Two's complement.
    Complement,
    /// A bit for the sign.
    Sign(u64),
}

impl Values {
    const fn of(datatype: Datatype) -> Self {
        let all = u64::MAX >> (64 - 8 * datatype.bytes());
        match (Format::of(datatype), datatype) {
            (Some(format), _) => Self {
                least: format.least_normal(),
                largest: format.largest(),
                negative: Negative::Sign(format.sign()),
            },
            (None, Datatype::Uint8 | Datatype::Uint32 | Datatype::Uint64) => {
                Self { least: 1, largest: all - 1, negative: Negative::None }
            }
            (None, _) => Self { least: 2, largest: all / 2, negative: Negative::Complement },
        }
    }

    /// Values of one sign.
    const fn positive(&self) -> u64 {
        self.largest - self.least + 1
    }

    const fn count(&self) -> u64 {
        if matches!(self.negative, Negative::None) { self.positive() } else { 2 * self.positive() }
    }

    /// The value of a number from 0, the least, to one less than their count.
    const fn at(&self, number: u64) -> u64 {
        let positive = self.positive();
        match self.negative {
            Negative::None => self.least + number,
            _ if number >= positive => self.least + (number - positive),
            Negative::Complement => (self.largest - number).wrapping_neg(),
            Negative::Sign(bit) => (self.largest - number) | bit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_their_order() {
        let of = |datatype, number| Values::of(datatype).at(number) as u8;
        assert_eq!(Values::of(Datatype::Int8).count(), 252);
        assert_eq!(of(Datatype::Int8, 0) as i8, -127);
        assert_eq!((of(Datatype::Int8, 125) as i8, of(Datatype::Int8, 126) as i8), (-2, 2));
        assert_eq!(of(Datatype::Int8, 251), 127);
        assert_eq!((of(Datatype::Uint8, 0), of(Datatype::Uint8, 253)), (1, 254));
        let (Some(format), values) = (Format::of(Datatype::Fp8E4m3), Values::of(Datatype::Fp8E4m3)) else {
            panic!("a float type")
        };
        let all: Vec<f64> = (0..values.count()).map(|number| format.decode(values.at(number))).collect();
        assert!(all.is_sorted_by(|one, next| one < next) && all.iter().all(|value| value.abs() >= 0.015625));
        assert_eq!((all[0], all[all.len() - 1]), (-448.0, 448.0));
    }
}
