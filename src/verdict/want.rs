//! A value that is wanted against a value that is there: order, margin, and how both are shown.

use std::{cmp::Ordering, fmt::Display};

use crate::{
    facts::{FabricState, IommuMode, PortState, Switch, Vendor},
    spec::{Glob, MemoryLimit, Wanted},
    units::{Bandwidth, Rate, Size, Version},
};

/// A value of a spec that a value of a fact can be held against.
pub(super) trait Asked<V: ?Sized>: Display {
    /// How the fact's value stands to this one; `None` where the two differ and have no order.
    fn order(&self, value: &V) -> Option<Ordering>;

    /// This value and the fact's as numbers of one unit, where they are quantities.
    fn numbers(&self, _value: &V) -> Option<(f64, f64)> {
        None
    }

    /// The fact's value as it is shown beside this one: never rounded so that it seems to lie elsewhere.
    fn show(&self, value: &V) -> String;
}

/// Whether a value is as wanted.
pub(super) fn holds<T: Asked<V>, V: ?Sized>(wanted: &Wanted<T>, value: &V) -> bool {
    let equal = |asked: &T| asked.order(value) == Some(Ordering::Equal);
    match wanted {
        Wanted::Exact(asked) => equal(asked),
        Wanted::OneOf(list) => list.iter().any(equal),
        Wanted::Range { min, max } => {
            let above = |min: &T| matches!(min.order(value), Some(Ordering::Greater | Ordering::Equal));
            let below = |max: &T| matches!(max.order(value), Some(Ordering::Less | Ordering::Equal));
            min.as_ref().is_none_or(above) && max.as_ref().is_none_or(below)
        }
    }
}

/// Whether this value and every greater one is more than wanted.
pub(super) fn exceeds<T: Asked<V>, V: ?Sized>(wanted: &Wanted<T>, value: &V) -> bool {
    let greater = |asked: &T| asked.order(value) == Some(Ordering::Greater);
    match wanted {
        Wanted::Exact(asked) => greater(asked),
        Wanted::OneOf(list) => list.iter().all(greater),
        Wanted::Range { max, .. } => max.as_ref().is_some_and(greater),
    }
}

/// How far a quantity is on the right side of its bound, relative to the bound; negative where the bound is missed.
///
/// An exact quantity has a margin only where it is missed: minus its distance. A bound of zero has none.
pub(super) fn margin<T: Asked<V>, V: ?Sized>(wanted: &Wanted<T>, value: &V) -> Option<f64> {
    let relative = |asked: &T, sign: f64| {
        let (bound, value) = asked.numbers(value)?;
        let margin = sign * (value - bound) / bound;
        (bound > 0.0 && margin.is_finite()).then_some(margin)
    };
    match wanted {
        Wanted::Exact(_) if holds(wanted, value) => None,
        Wanted::Exact(asked) => relative(asked, 1.0).map(|margin| -margin.abs()),
        Wanted::OneOf(_) => None,
        Wanted::Range { min, max } => {
            let low = min.as_ref().and_then(|min| relative(min, 1.0));
            let high = max.as_ref().and_then(|max| relative(max, -1.0));
            match (low, high) {
                (Some(low), Some(high)) => Some(low.min(high)),
                (low, high) => low.or(high),
            }
        }
    }
}

/// A value as it is shown beside what is wanted: with as many decimals as the nearest bound needs.
pub(super) fn show<T: Asked<V>, V: ?Sized>(wanted: &Wanted<T>, value: &V) -> Option<String> {
    let shown: Vec<String> = match wanted {
        Wanted::Exact(asked) => vec![asked.show(value)],
        Wanted::OneOf(list) => list.iter().map(|asked| asked.show(value)).collect(),
        Wanted::Range { min, max } => min.iter().chain(max).map(|asked| asked.show(value)).collect(),
    };
    shown.into_iter().max_by_key(String::len)
}

macro_rules! asked_as_itself {
    ($($type:ty),+) => {
        $(impl Asked<$type> for $type {
            fn order(&self, value: &$type) -> Option<Ordering> {
                (self == value).then_some(Ordering::Equal)
            }

            fn show(&self, value: &$type) -> String {
                value.to_string()
            }
        })+
    };
}
asked_as_itself!(Switch, FabricState, IommuMode, Vendor, PortState);

macro_rules! asked_as_number {
    ($($type:ty),+) => {
        $(impl Asked<$type> for $type {
            fn order(&self, value: &$type) -> Option<Ordering> {
                Some(value.cmp(self))
            }

            fn numbers(&self, value: &$type) -> Option<(f64, f64)> {
                Some((*self as f64, *value as f64))
            }

            fn show(&self, value: &$type) -> String {
                value.to_string()
            }
        })+
    };
}
asked_as_number!(u32, u64, i32);

/// Texts of the tools: their spellings differ in case only.
impl Asked<String> for String {
    fn order(&self, value: &String) -> Option<Ordering> {
        self.eq_ignore_ascii_case(value).then_some(Ordering::Equal)
    }

    fn show(&self, value: &String) -> String {
        value.clone()
    }
}

impl Asked<String> for Glob {
    fn order(&self, value: &String) -> Option<Ordering> {
        self.matches(value).then_some(Ordering::Equal)
    }

    fn show(&self, value: &String) -> String {
        value.clone()
    }
}

impl Asked<Version> for Version {
    fn order(&self, value: &Version) -> Option<Ordering> {
        Some(value.cmp(self))
    }

    fn show(&self, value: &Version) -> String {
        value.to_string()
    }
}

macro_rules! asked_as_decimal {
    ($($type:ident, $unit:literal;)+) => {
        $(impl Asked<$type> for $type {
            fn order(&self, value: &$type) -> Option<Ordering> {
                decimal_order(self.0, value.0)
            }

            fn numbers(&self, value: &$type) -> Option<(f64, f64)> {
                Some((self.0, value.0))
            }

            fn show(&self, value: &$type) -> String {
                format!("{} {}", decimal(self.0, value.0), $unit)
            }
        })+
    };
}
asked_as_decimal! { Bandwidth, "GB/s"; Rate, "Gb/s"; }

/// A number whose unit is the caller's matter.
impl Asked<f64> for f64 {
    fn order(&self, value: &f64) -> Option<Ordering> {
        decimal_order(*self, *value)
    }

    fn numbers(&self, value: &f64) -> Option<(f64, f64)> {
        Some((*self, *value))
    }

    fn show(&self, value: &f64) -> String {
        decimal(*self, *value)
    }
}

/// A limit is a number of bytes, or more than any number.
impl Asked<MemoryLimit> for MemoryLimit {
    fn order(&self, value: &MemoryLimit) -> Option<Ordering> {
        Some(value.cmp(self))
    }

    fn numbers(&self, value: &MemoryLimit) -> Option<(f64, f64)> {
        match (self, value) {
            (Self::Size(asked), Self::Size(value)) => asked.numbers(value),
            _ => None,
        }
    }

    fn show(&self, value: &MemoryLimit) -> String {
        match (self, value) {
            (Self::Size(asked), Self::Size(value)) => asked.show(value),
            (_, Self::Size(value)) => value.show(value),
            (_, Self::Unlimited) => value.to_string(),
        }
    }
}

const GIB: f64 = 1_073_741_824.0;

impl Asked<Size> for Size {
    fn order(&self, value: &Size) -> Option<Ordering> {
        Some(value.cmp(self))
    }

    fn numbers(&self, value: &Size) -> Option<(f64, f64)> {
        Some((self.0 as f64, value.0 as f64))
    }

    fn show(&self, value: &Size) -> String {
        match self.numbers(value) {
            Some((asked, bytes)) if bytes >= GIB => format!("{}G", decimal(asked / GIB, bytes / GIB)),
            _ => value.to_string(),
        }
    }
}

/// Closer than this, relative to the larger, two decimals are one: `26562 MB/s` and `26.562 GB/s` differ in their last
/// bit. No tool prints so many digits, so this is no slack.
const SAME: f64 = 1e-12;

fn decimal_order(asked: f64, value: f64) -> Option<Ordering> {
    if (value - asked).abs() <= SAME * asked.abs().max(value.abs()) {
        return Some(Ordering::Equal);
    }
    value.partial_cmp(&asked)
}

/// A number with two decimals, or as many as it needs to stand on its side of the other.
fn decimal(asked: f64, value: f64) -> String {
    let order = decimal_order(asked, value);
    let truthful = |shown: &String| shown.parse().ok().and_then(|shown: f64| decimal_order(asked, shown)) == order;
    (2..=17).map(|decimals| format!("{value:.decimals$}")).find(truthful).unwrap_or_else(|| value.to_string())
}

/// A relative distance without its sign, in percent with two decimals, or as many as it needs not to seem none.
pub(super) fn percent(margin: f64) -> String {
    format!("{} %", decimal(0.0, margin.abs() * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least<T>(min: T) -> Wanted<T> {
        Wanted::Range { min: Some(min), max: None }
    }

    #[test]
    fn exact_list_and_range() {
        assert!(holds(&Wanted::Exact(18), &18) && !holds(&Wanted::Exact(18), &17));
        assert!(holds(&Wanted::OneOf(vec![12, 18]), &12) && !holds(&Wanted::OneOf(vec![12, 18]), &15));
        let range = Wanted::Range { min: Some(2), max: Some(4) };
        assert_eq!([1, 2, 4, 5].map(|value| holds(&range, &value)), [false, true, true, false]);
    }

    #[test]
    fn a_faster_port_does_not_meet_an_exact_rate() {
        assert!(!holds(&Wanted::Exact(Rate(400.0)), &Rate(800.0)));
        assert!(holds(&Wanted::Exact(Bandwidth(26.562)), &Bandwidth(26562.0 * 1e-3)));
    }

    #[test]
    fn there_is_no_hidden_slack() {
        assert!(!holds(&at_least(Bandwidth(440.0)), &Bandwidth(439.999_999)));
        assert!(!holds(&at_least(Size(140 << 30)), &Size((140 << 30) - 1)));
    }

    #[test]
    fn what_is_unlimited_meets_every_floor_and_no_ceiling() {
        let floor = at_least(MemoryLimit::Size(Size(1 << 36)));
        assert!(holds(&floor, &MemoryLimit::Unlimited));
        assert!(!holds(&Wanted::Exact(MemoryLimit::Unlimited), &MemoryLimit::Size(Size(u64::MAX))));
        let ceiling = Wanted::Range { min: None, max: Some(MemoryLimit::Size(Size(1))) };
        assert!(!holds(&ceiling, &MemoryLimit::Unlimited));
    }

    #[test]
    fn margins_are_relative_and_negative_where_a_bound_is_missed() {
        assert_eq!(margin(&at_least(100_u32), &95), Some(-0.05));
        assert_eq!(margin(&Wanted::Range { min: None, max: Some(10_u32) }, &5), Some(0.5));
        assert_eq!(margin(&Wanted::Range { min: Some(10_u32), max: Some(20) }, &18), Some(0.1));
        assert_eq!(margin(&Wanted::Exact(Rate(400.0)), &Rate(800.0)), Some(-1.0));
        assert_eq!(margin(&Wanted::Exact(18_u32), &18), None);
        assert_eq!(margin(&Wanted::Exact(0_u32), &3), None);
    }

    #[test]
    fn figures_are_not_rounded_across_the_bound() {
        let shown = |value| show(&at_least(Bandwidth(440.0)), &Bandwidth(value)).unwrap();
        assert_eq!(shown(439.999), "439.999 GB/s");
        assert_eq!(shown(468.2141), "468.21 GB/s");
        assert_eq!(shown(440.0), "440.00 GB/s");
        assert_eq!(show(&at_least(Size(140 << 30)), &Size(143_771 << 20)).unwrap(), "140.40G");
        let a_byte_less = show(&at_least(Size(140 << 30)), &Size((140 << 30) - 1)).unwrap();
        assert!(a_byte_less.starts_with("139.99999"), "{a_byte_less}");
    }

    #[test]
    fn more_than_any_value_that_would_do() {
        assert!(exceeds(&Wanted::Exact(8_u32), &9) && !exceeds(&Wanted::Exact(8_u32), &8));
        assert!(!exceeds(&at_least(8_u32), &100));
    }
}
