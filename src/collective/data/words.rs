use super::{format::Format, guard::POISON};
use crate::collective::Datatype;

/// A value in words: `-3`, `0.5`; a float that is no number with its bits: `nan (0x7e01)`.
pub(super) fn value(datatype: Datatype, bits: u64) -> String {
    let width = 2 * datatype.bytes() as usize;
    let Some(format) = Format::of(datatype) else { return integer(datatype, bits) };
    match format.decode(bits) {
        number if number.is_nan() => format!("nan (0x{bits:0width$x})"),
        // A number of the type's own, so that it is no longer than it takes to tell it apart.
        number if datatype == Datatype::Float => float(number.abs(), (number as f32).to_string(), number as f32),
        number => float(number.abs(), number.to_string(), number),
    }
}

/// A value that has arrived, with what it looks like.
pub(super) fn found(datatype: Datatype, bits: u64) -> String {
    let text = value(datatype, bits);
    let all = u64::MAX >> (64 - 8 * datatype.bytes());
    let poison = u64::from_le_bytes([POISON; 8]) & all;
    match bits {
        0 => format!("{text}, as if cleared"),
        bits if bits == poison => format!("{text}, as if never written"),
        _ => text,
    }
}

/// A float with an exponent where its digits would fill a line.
fn float(magnitude: f64, plain: String, number: impl std::fmt::LowerExp) -> String {
    if magnitude == 0.0 || (1e-5..1e16).contains(&magnitude) || magnitude.is_infinite() {
        plain
    } else {
        format!("{number:e}")
    }
}

fn integer(datatype: Datatype, bits: u64) -> String {
    match datatype {
        Datatype::Int8 => (bits as i8).to_string(),
        Datatype::Int32 => (bits as i32).to_string(),
        Datatype::Int64 => (bits as i64).to_string(),
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_apart() {
        assert_eq!(value(Datatype::Int8, 0xfd), "-3");
        assert_eq!(value(Datatype::Uint64, u64::MAX - 1), "18446744073709551614");
        assert_eq!(value(Datatype::Half, 0x3800), "0.5");
        assert_eq!(value(Datatype::Half, 0x7e01), "nan (0x7e01)");
        assert_eq!(value(Datatype::Half, 0xfc00), "-inf");
        assert_eq!(value(Datatype::Float, u64::from(0.1_f32.to_bits())), "0.1");
        assert_eq!(value(Datatype::Float, u64::from(1e30_f32.to_bits())), "1e30");
        assert_eq!(value(Datatype::Float, 0x8000_0000), "-0");
        assert_eq!(value(Datatype::Double, (-2.5e-9_f64).to_bits()), "-2.5e-9");
        assert_eq!(value(Datatype::Fp8E4m3, 0x07), "0.013671875");
    }

    #[test]
    fn memory_that_nothing_was_written_to() {
        assert_eq!(found(Datatype::Float, 0xffff_ffff), "nan (0xffffffff), as if never written");
        assert_eq!(found(Datatype::Int8, 0xff), "-1, as if never written");
        assert_eq!(found(Datatype::Int32, 0), "0, as if cleared");
        assert_eq!(found(Datatype::Int32, 7), "7");
    }
}
