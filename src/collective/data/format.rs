use crate::collective::Datatype;

/// The bits of a float type: sign, exponent, fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Bits of the exponent.
    exponent: u32,
    /// Bits of the fraction; the significand has one more.
    fraction: u32,
    /// Whether the largest exponent is that of infinity and NaN alone, as in IEEE 754; else it is one more exponent for
    /// values, with NaN in its last place only.
    infinity: bool,
}

impl Format {
    /// The format of a float type; none of an integer type. `half`, `float`, `double`: IEEE 754 binary16, 32, 64. The 8-bit
    /// types: OCP 8-bit Floating Point Specification 1.0, table 1.
    pub const fn of(datatype: Datatype) -> Option<Self> {
        let (exponent, fraction) = match datatype {
            Datatype::Half => (5, 10),
            Datatype::Bfloat16 => (8, 7),
            Datatype::Float => (8, 23),
            Datatype::Double => (11, 52),
            Datatype::Fp8E4m3 => (4, 3),
            Datatype::Fp8E5m2 => (5, 2),
            Datatype::Int8 | Datatype::Uint8 | Datatype::Int32 => return None,
            Datatype::Uint32 | Datatype::Int64 | Datatype::Uint64 => return None,
        };
        Some(Self { exponent, fraction, infinity: !matches!(datatype, Datatype::Fp8E4m3) })
    }

    /// Bits of the significand: integers up to 2 to this power are exact.
    pub const fn precision(self) -> u32 {
        self.fraction + 1
    }

    /// The exponent of the least value that is not subnormal.
    pub const fn least_exponent(self) -> i32 {
        1 - self.bias()
    }

    /// The bits of the least positive value that is not subnormal.
    pub const fn least_normal(self) -> u64 {
        1 << self.fraction
    }

    /// The bits of the largest finite value.
    pub const fn largest(self) -> u64 {
        if self.infinity { self.infinite() - 1 } else { self.sign() - 2 }
    }

    /// The sign bit.
    pub const fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of the exponent that has infinity in IEEE 754.
    const fn infinite(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// What stands for a value that is too large: infinity, or NaN in the type that has no infinity.
    const fn too_large(self) -> u64 {
        if self.infinity { self.infinite() } else { self.sign() - 1 }
    }

    /// The bits of a value, rounded to nearest, ties to even.
    pub fn encode(self, value: f64) -> u64 {
        let sign = if value.is_sign_negative() { self.sign() } else { 0 };
        if value.is_nan() {
            return self.sign() - 1;
        }
        sign | self.encode_magnitude(value.abs())
    }

    /// The bits without the sign.
    fn encode_magnitude(self, value: f64) -> u64 {
        if value.is_infinite() {
            return self.too_large();
        }
        let bits = value.to_bits();
        let of_double = (bits >> 52) as i32;
        // The value is significand * 2^(exponent - 52); a subnormal double has the exponent of the least normal one.
        let significand = (bits & ((1 << 52) - 1)) | (u64::from(of_double > 0) << 52);
        let exponent = of_double.max(1) - 1023;
        // Below the least normal exponent the last place stays the same.
        let below = (self.least_exponent() - exponent).max(0);
        let shift = 52 - self.fraction as i32 + below;
        let rounded = round(significand, shift as u32);
        // A carry out of the fraction moves the exponent on by itself.
        let field = (exponent + below + self.bias()) as u64;
        let magnitude = ((field - 1) << self.fraction) + rounded;
        if magnitude > self.largest() { self.too_large() } else { magnitude }
    }

    /// The value of bits.
    pub fn decode(self, bits: u64) -> f64 {
        let magnitude = bits & (self.sign() - 1);
        let value = if self.is_nan(bits) {
            f64::NAN
        } else if magnitude > self.largest() {
            f64::INFINITY
        } else {
            let field = (magnitude >> self.fraction) as i32;
            let fraction = magnitude & ((1 << self.fraction) - 1);
            let significand = fraction | (u64::from(field > 0) << self.fraction);
            // Two steps: in a subnormal double the power of two alone would be none.
            let exponent = field.max(1) - self.bias() - self.fraction as i32;
            significand as f64 * power(exponent / 2) * power(exponent - exponent / 2)
        };
        if bits & self.sign() == 0 { value } else { -value }
    }

    /// How many values of the type lie from one to the other; the zeros are one value. NaN is as far as can be.
    pub const fn distance(self, one: u64, other: u64) -> u64 {
        if one == other {
            0
        } else if self.is_nan(one) || self.is_nan(other) {
            u64::MAX
        } else {
            self.place(one).abs_diff(self.place(other))
        }
    }

    const fn is_nan(self, bits: u64) -> bool {
        let largest = if self.infinity { self.infinite() } else { self.largest() };
        bits & (self.sign() - 1) > largest
    }

    /// Where a value stands among all of the type, 0 in the middle.
    const fn place(self, bits: u64) -> i64 {
        let magnitude = (bits & (self.sign() - 1)) as i64;
        if bits & self.sign() == 0 { magnitude } else { -magnitude }
    }
}

/// A power of two that is a normal double.
pub(super) fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// A number without its last bits, rounded to nearest, ties to even.
const fn round(number: u64, bits: u32) -> u64 {
    if bits == 0 {
        return number;
    }
    if bits > 63 {
        // The number has 53 bits: it is less than half of what stays.
        return 0;
    }
    let kept = number >> bits;
    let lost = number & ((1 << bits) - 1);
    let half = 1 << (bits - 1);
    if lost > half || (lost == half && kept & 1 == 1) { kept + 1 } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(datatype: Datatype) -> Format {
        Format::of(datatype).unwrap()
    }

    #[test]
    fn known_values() {
        // IEEE 754 binary16 and its extremes; bfloat16 is the upper half of binary32; OCP 8-bit FP 1.0, table 2.
        for (datatype, bits, value) in [
            (Datatype::Half, 0x3c00, 1.0),
            (Datatype::Half, 0xc000, -2.0),
            (Datatype::Half, 0x7bff, 65504.0),
            (Datatype::Half, 0x0400, 6.103515625e-5),
            (Datatype::Half, 0x0001, 5.960464477539063e-8),
            (Datatype::Half, 0x3555, 0.333251953125),
            (Datatype::Bfloat16, 0x3f80, 1.0),
            (Datatype::Bfloat16, 0x4049, 3.140625),
            (Datatype::Bfloat16, 0x7f7f, 3.3895313892515355e38),
            (Datatype::Fp8E4m3, 0x38, 1.0),
            (Datatype::Fp8E4m3, 0x7e, 448.0),
            (Datatype::Fp8E4m3, 0x08, 0.015625),
            (Datatype::Fp8E4m3, 0x07, 0.013671875),
            (Datatype::Fp8E4m3, 0x01, 0.001953125),
            (Datatype::Fp8E4m3, 0xc0, -2.0),
            (Datatype::Fp8E5m2, 0x3c, 1.0),
            (Datatype::Fp8E5m2, 0x7b, 57344.0),
            (Datatype::Fp8E5m2, 0x04, 6.103515625e-5),
            (Datatype::Fp8E5m2, 0x01, 1.52587890625e-5),
            (Datatype::Float, 0x3f80_0000, 1.0),
            (Datatype::Float, 0x0000_0001, 1.401298464324817e-45),
            (Datatype::Double, 0x0000_0000_0000_0001, 5e-324),
            (Datatype::Double, 0x7fef_ffff_ffff_ffff, f64::MAX),
        ] {
            assert_eq!(format(datatype).decode(bits), value, "{datatype:?} {bits:#x}");
            assert_eq!(format(datatype).encode(value), bits, "{datatype:?} {value}");
        }
    }

    #[test]
    fn what_is_no_number() {
        assert_eq!(format(Datatype::Half).decode(0xfc00), f64::NEG_INFINITY);
        assert_eq!(format(Datatype::Fp8E5m2).decode(0x7c), f64::INFINITY);
        for (datatype, bits) in [(Datatype::Half, 0xffff), (Datatype::Fp8E4m3, 0x7f), (Datatype::Fp8E4m3, 0xff)] {
            assert!(format(datatype).decode(bits).is_nan());
        }
        assert_eq!(format(Datatype::Half).encode(65520.0), 0x7c00);
        assert_eq!(format(Datatype::Half).encode(65519.0), 0x7bff);
        assert_eq!(format(Datatype::Fp8E4m3).encode(464.0), 0x7e);
        assert_eq!(format(Datatype::Fp8E4m3).encode(465.0), 0x7f);
        assert_eq!(format(Datatype::Fp8E4m3).encode(f64::NAN), 0x7f);
        assert_eq!(format(Datatype::Half).encode(f64::INFINITY), 0x7c00);
    }

    #[test]
    fn ties_go_to_even() {
        // Between 2048 and 2050 in half; between 16 and 18, 18 and 20 in e4m3; half of the least subnormal.
        assert_eq!(format(Datatype::Half).decode(format(Datatype::Half).encode(2049.0)), 2048.0);
        assert_eq!(format(Datatype::Half).decode(format(Datatype::Half).encode(2051.0)), 2052.0);
        assert_eq!(format(Datatype::Fp8E4m3).decode(format(Datatype::Fp8E4m3).encode(17.0)), 16.0);
        assert_eq!(format(Datatype::Fp8E4m3).decode(format(Datatype::Fp8E4m3).encode(19.0)), 20.0);
        assert_eq!(format(Datatype::Fp8E4m3).encode(power(-10)), 0);
        assert_eq!(format(Datatype::Fp8E4m3).encode(power(-10) * 1.01), 1);
        assert_eq!(format(Datatype::Half).encode(1e-300), 0);
        assert_eq!(format(Datatype::Half).encode(-0.0), 0x8000);
    }

    #[test]
    fn every_value_of_the_small_types_comes_back() {
        for (datatype, bits) in
            [(Datatype::Half, 16), (Datatype::Bfloat16, 16), (Datatype::Fp8E4m3, 8), (Datatype::Fp8E5m2, 8)]
        {
            for bits in 0..1_u64 << bits {
                let value = format(datatype).decode(bits);
                assert!(value.is_nan() || format(datatype).encode(value) == bits, "{datatype:?} {bits:#x}");
            }
        }
    }

    #[test]
    fn distances_are_counted_in_values() {
        let half = format(Datatype::Half);
        assert_eq!(half.distance(0x3c00, 0x3c02), 2);
        assert_eq!(half.distance(0x3c00, 0x3bff), 1);
        assert_eq!((half.distance(0x0000, 0x8000), half.distance(0x0001, 0x8001)), (0, 2));
        assert_eq!(half.distance(0x7e00, 0x3c00), u64::MAX);
        assert_eq!(half.distance(0x7e00, 0x7e00), 0);
    }

    proptest::proptest! {
        #[test]
        fn rounding_is_that_of_the_hardware(bits: u64) {
            let value = f64::from_bits(bits);
            if !value.is_nan() {
                proptest::prop_assert_eq!(format(Datatype::Float).encode(value), u64::from((value as f32).to_bits()));
                proptest::prop_assert_eq!(format(Datatype::Double).encode(value), bits);
                proptest::prop_assert_eq!(format(Datatype::Double).decode(bits), value);
            }
            let single = f32::from_bits(bits as u32);
            if !single.is_nan() {
                let encoded = format(Datatype::Float).encode(f64::from(single));
                proptest::prop_assert_eq!(encoded, u64::from(single.to_bits()));
                proptest::prop_assert_eq!(format(Datatype::Float).decode(encoded), f64::from(single));
            }
        }
    }
}
