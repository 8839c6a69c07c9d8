//! Formats of floating point with few bits.

/// A format: a sign, then the exponent, then the fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of the exponent.
    exponent: u32,
    /// Bits of the fraction.
    fraction: u32,
    /// Whether the largest exponent holds infinities and what is no number; without, only the largest pattern is none.
    has_infinity: bool,
    /// Whether what is too large becomes the largest number.
    saturates: bool,
}

/// IEEE 754 with 16 bits.
pub const HALF: Format = Format { exponent: 5, fraction: 10, has_infinity: true, saturates: false };
/// The upper half of 32 bits.
pub const BFLOAT16: Format = Format { exponent: 8, fraction: 7, has_infinity: true, saturates: false };
/// 8 bits, up to 448. NVIDIA's conversions saturate.
pub const FP8_E4M3: Format = Format { exponent: 4, fraction: 3, has_infinity: false, saturates: true };
/// 8 bits, up to 57344.
pub const FP8_E5M2: Format = Format { exponent: 5, fraction: 2, has_infinity: true, saturates: true };

impl Format {
    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The pattern of the largest number, without a sign.
    const fn largest(self) -> u16 {
        let top = ((1 << self.exponent) - 1) << self.fraction;
        if self.has_infinity { top - 1 } else { top + (1 << self.fraction) - 2 }
    }

    /// A pattern that is no number.
    const fn nothing(self) -> u16 {
        let top = ((1 << self.exponent) - 1) << self.fraction;
        if self.has_infinity { top + (1 << (self.fraction - 1)) } else { top + (1 << self.fraction) - 1 }
    }

    /// The value of a pattern, exactly.
    pub fn decode(self, bits: u16) -> f64 {
        let sign = if bits >> (self.exponent + self.fraction) & 1 == 1 { -1.0 } else { 1.0 };
        let magnitude = bits & ((1 << (self.exponent + self.fraction)) - 1);
        if magnitude > self.largest() {
            let infinity = self.has_infinity && magnitude == self.largest() + 1;
            return if infinity { sign * f64::INFINITY } else { f64::NAN };
        }
        let fraction = f64::from(magnitude & ((1 << self.fraction) - 1));
        let exponent = i32::from(magnitude >> self.fraction);
        let (fraction, exponent) = match exponent {
            0 => (fraction, 1),
            _ => (fraction + f64::from(1_u16 << self.fraction), exponent),
        };
        sign * fraction * 2_f64.powi(exponent - self.bias() - self.fraction as i32)
    }

    /// The pattern nearest to a value; of two that are as near the even one.
    pub fn encode(self, value: f64) -> u16 {
        let sign = u16::from(value.is_sign_negative()) << (self.exponent + self.fraction);
        if value.is_nan() {
            return self.nothing();
        }
        let value = value.abs();
        sign | if value.is_infinite() { self.beyond() } else { self.magnitude(value) }
    }

    fn magnitude(self, value: f64) -> u16 {
        // The power of two of the value, not below that of the least normal number.
        let power = if value == 0.0 { i32::MIN } else { (value.to_bits() >> 52) as i32 - 1023 };
        let power = power.max(1 - self.bias());
        // In units of the last place; a double holds every such quotient exactly.
        let steps = value * 2_f64.powi(self.fraction as i32 - power);
        let steps = steps.round_ties_even() as u32;
        // One more power is one more in the exponent's field; a carry out of the fraction does the same by itself.
        let pattern = ((power - 1 + self.bias()) as u32).saturating_mul(1 << self.fraction).saturating_add(steps);
        if pattern > u32::from(self.largest()) { self.beyond() } else { pattern as u16 }
    }

    /// What stands for a value that is too large.
    const fn beyond(self) -> u16 {
        match (self.saturates, self.has_infinity) {
            (true, _) => self.largest(),
            (false, true) => self.largest() + 1,
            (false, false) => self.nothing(),
        }
    }
}
