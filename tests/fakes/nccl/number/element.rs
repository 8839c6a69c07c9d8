//! One element of each type in memory: what the reductions do with two of them.

use super::small::{BFLOAT16, FP8_E4M3, FP8_E5M2, Format, HALF};

/// A type of elements. Elements lie in memory as they are; all functions take them from there.
pub trait Element: Copy {
    /// The sum, which wraps in integers.
    fn plus(self, other: Self) -> Self;
    /// The product, which wraps in integers.
    fn times(self, other: Self) -> Self;
    /// The larger.
    fn larger(self, other: Self) -> Self;
    /// The smaller.
    fn smaller(self, other: Self) -> Self;
    /// What each rank's element becomes before they are added up for a mean: floating point is divided first, by the
    /// factor `1 / ranks` in its own precision, as NCCL does.
    fn share(self, ranks: u32) -> Self;
    /// What the sum becomes in a mean: integers are divided last.
    fn mean(self, ranks: u32) -> Self;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Element for $type {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn share(self, _: u32) -> Self {
                self
            }
            #[inline(always)]
            fn mean(self, ranks: u32) -> Self {
                self / ranks as Self
            }
        }
    )*};
}

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Element for $type {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn share(self, ranks: u32) -> Self {
                self * (1.0 / ranks as Self)
            }
            #[inline(always)]
            fn mean(self, _: u32) -> Self {
                self
            }
        }
    )*};
}

integers!(i8, u8, i32, u32, i64, u64);
floats!(f32, f64);

macro_rules! small {
    ($($(#[$about:meta])* $name:ident($bits:ty) = $format:expr;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(transparent)]
        pub struct $name(pub $bits);

        impl $name {
            const FORMAT: Format = $format;

            fn value(self) -> f64 {
                Self::FORMAT.decode(self.0.into())
            }

            fn of(value: f64) -> Self {
                Self(Self::FORMAT.encode(value) as $bits)
            }
        }

        impl Element for $name {
            fn plus(self, other: Self) -> Self {
                Self::of(self.value() + other.value())
            }
            fn times(self, other: Self) -> Self {
                Self::of(self.value() * other.value())
            }
            fn larger(self, other: Self) -> Self {
                Self::of(self.value().max(other.value()))
            }
            fn smaller(self, other: Self) -> Self {
                Self::of(self.value().min(other.value()))
            }
            fn share(self, ranks: u32) -> Self {
                self.times(Self::of(1.0 / f64::from(ranks)))
            }
            fn mean(self, _: u32) -> Self {
                self
            }
        }
    )*};
}

small! {
    /// IEEE 754 with 16 bits.
    Half(u16) = HALF;
    /// The upper half of 32 bits.
    Bfloat16(u16) = BFLOAT16;
    /// 8 bits, 3 of fraction.
    Fp8E4m3(u8) = FP8_E4M3;
    /// 8 bits, 2 of fraction.
    Fp8E5m2(u8) = FP8_E5M2;
}
