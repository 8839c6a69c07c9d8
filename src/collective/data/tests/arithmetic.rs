//! The arithmetic of each data type, one step at a time, as a library does it.

use crate::collective::{Datatype, Reduction, data::format::Format};

/// One step of a reduction on the bits of two elements.
pub(super) fn step(datatype: Datatype, reduction: Reduction, one: u64, other: u64) -> u64 {
    match datatype {
        Datatype::Float => {
            let of = |bits: u64| f32::from_bits(bits as u32);
            let result = match reduction {
                Reduction::Sum | Reduction::Avg => of(one) + of(other),
                Reduction::Prod => of(one) * of(other),
                Reduction::Max => of(one).max(of(other)),
                Reduction::Min => of(one).min(of(other)),
            };
            result.to_bits().into()
        }
        _ => match Format::of(datatype) {
            // Sum and product of two values of at most 11 bits are exact in a double, and so are rounded once.
            Some(format) => format.encode(float(reduction, format.decode(one), format.decode(other))),
            None => integer(datatype, reduction, one, other),
        },
    }
}

fn float(reduction: Reduction, one: f64, other: f64) -> f64 {
    match reduction {
        Reduction::Sum | Reduction::Avg => one + other,
        Reduction::Prod => one * other,
        Reduction::Max => one.max(other),
        Reduction::Min => one.min(other),
    }
}

fn integer(datatype: Datatype, reduction: Reduction, one: u64, other: u64) -> u64 {
    let (one, other) = (value(datatype, one), value(datatype, other));
    let result = match reduction {
        Reduction::Sum | Reduction::Avg => one + other,
        Reduction::Prod => one.wrapping_mul(other),
        Reduction::Max => one.max(other),
        Reduction::Min => one.min(other),
    };
    result as u64 & all(datatype)
}

/// The number that the bits of an integer are.
fn value(datatype: Datatype, bits: u64) -> i128 {
    match datatype {
        Datatype::Int8 => (bits as i8).into(),
        Datatype::Int32 => (bits as i32).into(),
        Datatype::Int64 => (bits as i64).into(),
        _ => bits.into(),
    }
}

fn all(datatype: Datatype) -> u64 {
    u64::MAX >> (64 - 8 * datatype.bytes())
}

/// How a library takes the mean.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mean {
    /// By multiplying with the reciprocal before adding; integers are divided afterwards.
    Before,
    /// Afterwards, with a reciprocal of more places.
    After,
}

/// The reduction of elements in their order, rounded after each step.
pub(super) fn reduce(datatype: Datatype, reduction: Reduction, mean: Mean, elements: &[u64]) -> u64 {
    let ranks = elements.len();
    let prepared = elements.iter().map(|bits| match (reduction, mean, Format::of(datatype)) {
        (Reduction::Avg, Mean::Before, Some(format)) => {
            let reciprocal = format.decode(format.encode(1.0 / ranks as f64));
            format.encode(format.decode(*bits) * reciprocal)
        }
        _ => *bits,
    });
    let reduced = prepared.reduce(|one, other| step(datatype, reduction, one, other)).unwrap();
    match (reduction, mean, Format::of(datatype)) {
        (Reduction::Avg, _, None) => (value(datatype, reduced) / ranks as i128) as u64 & all(datatype),
        (Reduction::Avg, Mean::After, Some(format)) => {
            let reciprocal = match datatype {
                Datatype::Double => 1.0 / ranks as f64,
                _ => f64::from(1.0 / ranks as f32),
            };
            format.encode(format.decode(reduced) * reciprocal)
        }
        _ => reduced,
    }
}

#[test]
fn integers_wrap_and_means_are_cut_towards_zero() {
    assert_eq!(step(Datatype::Uint8, Reduction::Sum, 200, 100), 44);
    assert_eq!(step(Datatype::Int8, Reduction::Prod, 0x81, 0xff), 0x7f);
    assert_eq!(reduce(Datatype::Int8, Reduction::Avg, Mean::Before, &[0xf9, 0, 0]), 0xfe);
    assert_eq!(step(Datatype::Half, Reduction::Sum, 0x6800, 0x3c00), 0x6800);
}
