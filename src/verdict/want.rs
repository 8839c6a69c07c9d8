//! Whether a value is what was wanted, and by how much.

use crate::{
    facts::{FabricState, IommuMode, PortState},
    spec::{MemoryLimit, Wanted},
    units::{Bandwidth, Rate, Size, Version},
};

/// A value that a spec can want.
pub(super) trait Value: PartialOrd + std::fmt::Display {
    /// The value as a quantity, for margins; `None` where a distance says nothing.
    fn quantity(&self) -> Option<f64> {
        None
    }

    /// The value with its unit, with two decimals at least where it is a fraction.
    fn shown(&self) -> String {
        self.to_string()
    }
}

/// At least two decimals, and as many as it takes: a value is never rounded across a bound.
fn decimals(value: f64) -> String {
    let shortest = value.to_string();
    let fraction = shortest.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    if fraction < 2 { format!("{value:.2}") } else { shortest }
}

impl Value for Bandwidth {
    fn quantity(&self) -> Option<f64> {
        Some(self.0)
    }

    fn shown(&self) -> String {
        format!("{} GB/s", decimals(self.0))
    }
}

impl Value for Rate {
    fn quantity(&self) -> Option<f64> {
        Some(self.0)
    }

    fn shown(&self) -> String {
        format!("{} Gb/s", decimals(self.0))
    }
}

impl Value for Size {
    #[expect(clippy::cast_precision_loss, reason = "a margin needs no exact bytes")]
    fn quantity(&self) -> Option<f64> {
        Some(self.0 as f64)
    }
}

impl Value for MemoryLimit {
    fn quantity(&self) -> Option<f64> {
        match self {
            Self::Size(size) => size.quantity(),
            Self::Unlimited => None,
        }
    }
}

impl Value for u32 {
    fn quantity(&self) -> Option<f64> {
        Some(f64::from(*self))
    }
}

impl Value for u64 {
    #[expect(clippy::cast_precision_loss, reason = "a margin needs no exact counts")]
    fn quantity(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Value for i32 {}
impl Value for String {}
impl Value for Version {}
impl Value for FabricState {}
impl Value for IommuMode {}
impl Value for PortState {}

/// Whether a value is what was wanted.
pub(super) fn meets<T: PartialOrd>(wanted: &Wanted<T>, value: &T) -> bool {
    match wanted {
        Wanted::Exact(exact) => value == exact,
        Wanted::OneOf(values) => values.contains(value),
        Wanted::Range { min, max } => {
            min.as_ref().is_none_or(|min| value >= min) && max.as_ref().is_none_or(|max| value <= max)
        }
    }
}

/// By how much a bound is met, relative to it; negative where it is missed. An exact value has a margin only where it
/// is missed.
pub(super) fn margin<T: Value>(wanted: &Wanted<T>, value: &T) -> Option<f64> {
    let value_quantity = value.quantity()?;
    let relative = |bound: &T, sign: f64| {
        let bound = bound.quantity().filter(|bound| *bound != 0.0)?;
        Some(sign * (value_quantity - bound) / bound)
    };
    match wanted {
        Wanted::Exact(exact) if value != exact => relative(exact, 1.0),
        Wanted::Exact(_) | Wanted::OneOf(_) => None,
        Wanted::Range { min, max } => {
            let floor = min.as_ref().and_then(|min| relative(min, 1.0));
            let ceiling = max.as_ref().and_then(|max| relative(max, -1.0));
            [floor, ceiling].into_iter().flatten().min_by(f64::total_cmp)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_met_at_its_own_value() {
        let range = Wanted::Range { min: Some(10_u32), max: Some(20) };
        assert!(meets(&range, &10) && meets(&range, &20) && !meets(&range, &9) && !meets(&range, &21));
        assert_eq!(margin(&range, &11), Some(0.1));
        assert_eq!(margin(&range, &9), Some(-0.1));
        assert_eq!(margin(&range, &19), Some(0.05));
    }

    #[test]
    fn an_exact_rate_is_not_met_by_a_higher_one() {
        let exact = Wanted::Exact(Rate(400.0));
        assert!(!meets(&exact, &Rate(800.0)));
        assert_eq!(margin(&exact, &Rate(200.0)), Some(-0.5));
        assert_eq!(margin(&exact, &Rate(400.0)), None);
    }

    #[test]
    fn no_bound_of_zero_divides() {
        assert_eq!(margin(&Wanted::Exact(0_u64), &3), None);
    }

    #[test]
    fn values_keep_what_a_bound_needs() {
        assert_eq!(Bandwidth(26.562).shown(), "26.562 GB/s");
        assert_eq!(Rate(400.0).shown(), "400.00 Gb/s");
        assert_eq!(Bandwidth(439.999_999).shown(), "439.999999 GB/s");
    }
}
