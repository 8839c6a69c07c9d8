//! Bounds in numbers: what a share is of is looked up here.

use std::fmt::Display;

use super::{Placement, Problem, Quantity, Reference, View, payload, quantity::short};
use crate::{
    spec::{Bound, BoundBase, BoundValue, Place, Wanted},
    units::{Bandwidth, Size, Span},
    verdict::{Evidence, FindingCode},
};

/// The bound of one quantity at one size.
#[derive(Clone, Copy)]
pub(super) enum Asked<'a> {
    /// Of the bus bandwidth.
    BusBandwidth(&'a Bound<Bandwidth>),
    /// Of the time.
    Latency(&'a Bound<Span>),
}

/// A bound whose numbers are known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limits {
    /// The numbers, in the quantity's unit.
    pub wanted: Wanted<f64>,
    /// The same as it is shown, with where a share came from.
    pub expected: String,
}

impl<'a> Asked<'a> {
    /// What is bounded.
    pub const fn quantity(self) -> Quantity {
        match self {
            Self::BusBandwidth(_) => Quantity::BusBandwidth,
            Self::Latency(_) => Quantity::Latency,
        }
    }

    /// Where the bound stands.
    pub const fn place(self) -> &'a Place {
        match self {
            Self::BusBandwidth(bound) => &bound.place,
            Self::Latency(bound) => &bound.place,
        }
    }

    /// The numbers for one size and placement, or why there are none.
    pub fn limits(
        self,
        view: &View<'_>,
        evidence: &Evidence<'_>,
        size: Size,
        placement: Placement,
    ) -> Result<Limits, Problem> {
        let share = |at_least: f64, of: &BoundBase| {
            let (base, source) = base(self.quantity(), of, view, evidence, size, placement)?;
            Ok(self.share(at_least, base, &source))
        };
        match self {
            Self::BusBandwidth(bound) => match &bound.value {
                BoundValue::Limits { min, max } => Ok(written(*min, *max, Bandwidth::gigabytes_per_second)),
                BoundValue::Share { at_least, of } => share(*at_least, of),
            },
            Self::Latency(bound) => match &bound.value {
                BoundValue::Limits { min, max } => Ok(written(*min, *max, Span::microseconds)),
                BoundValue::Share { at_least, of } => share(*at_least, of),
            },
        }
    }

    fn share(self, at_least: f64, base: f64, source: &str) -> Limits {
        let least = at_least * base;
        let unit = self.quantity().unit();
        let (least_shown, percent, base) = (short(least), short(at_least * 100.0), short(base));
        let expected = format!("at least {least_shown} {unit} ({percent} % of {base} {unit}, {source})");
        Limits { wanted: Wanted::Range { min: Some(least), max: None }, expected }
    }
}

fn written<T: Display + Copy>(min: Option<T>, max: Option<T>, number: impl Fn(T) -> f64) -> Limits {
    let expected = Wanted::Range { min, max }.to_string();
    Limits { wanted: Wanted::Range { min: min.map(&number), max: max.map(number) }, expected }
}

/// What a share is of: the number and where it is from.
fn base(
    quantity: Quantity,
    of: &BoundBase,
    view: &View<'_>,
    evidence: &Evidence<'_>,
    size: Size,
    placement: Placement,
) -> Result<(f64, String), Problem> {
    let unknown = |reason: String| Problem::new(FindingCode::Unknown, format!("the bound is unknown: {reason}"));
    match of {
        BoundBase::Link if quantity == Quantity::Latency => {
            Err(unknown("links have no time to take a share of".into()))
        }
        BoundBase::Link => payload::of_links(view, evidence.before).map_err(unknown),
        BoundBase::Baseline => Err(unknown("no baseline was given".into())),
        BoundBase::Case { .. } => {
            let name = of.case().unwrap_or_default();
            if name == view.case.short_name() {
                return Err(unknown(format!("it is a share of {name}'s own figure, which every figure meets")));
            }
            let reference = Reference::find(&view.case.suite, &name, evidence)?;
            let value = reference.figure(quantity, size, placement).map_err(unknown)?;
            Ok((value, format!("{} of {name}", quantity.at(size, placement))))
        }
    }
}
