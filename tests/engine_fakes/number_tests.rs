//! The rounding of numbers with few bits.

use crate::number::small::{BFLOAT16, FP8_E4M3, FP8_E5M2, Format, HALF};

const ALL: [(Format, u16); 4] = [(HALF, 0x7c00), (BFLOAT16, 0x7f80), (FP8_E4M3, 0x7f), (FP8_E5M2, 0x7c)];

#[test]
fn every_number_is_its_own() {
    for (format, end) in ALL {
        for bits in 0..end {
            let value = format.decode(bits);
            assert_eq!(format.encode(value), bits, "{format:?} {bits:#x} {value}");
            assert_eq!(format.decode(format.encode(-value)), -value);
        }
        assert!(format.decode(format.encode(f64::NAN)).is_nan());
    }
}

#[test]
fn between_two_the_even_one() {
    for (format, end) in ALL {
        for bits in 0..end - 1 {
            let (low, high) = (format.decode(bits), format.decode(bits + 1));
            let middle = f64::midpoint(low, high);
            let above = f64::from_bits(middle.to_bits() + 1);
            assert_eq!(format.encode(middle), bits + (bits & 1), "{format:?} {bits:#x}");
            assert_eq!(format.encode(above), bits + 1, "{format:?} {bits:#x}");
        }
    }
}

#[test]
fn known_patterns() {
    for (format, value, bits) in [
        (HALF, 1.0, 0x3c00),
        (HALF, 65504.0, 0x7bff),
        (HALF, 65520.0, 0x7c00),
        (HALF, 2f64.powi(-24), 1),
        (BFLOAT16, 1.0, 0x3f80),
        (BFLOAT16, -2.0, 0xc000),
        (FP8_E4M3, 1.0, 0x38),
        (FP8_E4M3, 448.0, 0x7e),
        (FP8_E4M3, 1e9, 0x7e),
        (FP8_E5M2, 1.0, 0x3c),
        (FP8_E5M2, 57344.0, 0x7b),
        (FP8_E5M2, -1e9, 0xfb),
    ] {
        assert_eq!(format.encode(value), bits, "{format:?} {value}");
    }
}
