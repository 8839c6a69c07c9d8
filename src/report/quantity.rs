//! How figures are written: never rounded across a bound.

use crate::verdict::Measured;

/// A relative margin as a percentage with its sign: `-6.28 %`. One that two decimals would round to zero has more.
pub(super) fn percent(margin: f64) -> String {
    let value = margin * 100.0;
    let decimals = (2..=17).find(|decimals| value == 0.0 || !is_zero(&format!("{value:.decimals$}"))).unwrap_or(17);
    format!("{value:+.decimals$} %")
}

fn is_zero(digits: &str) -> bool {
    digits.chars().all(|c| matches!(c, '0' | '.' | '-'))
}

/// A time with two decimals: `12.40 s`.
pub(super) fn seconds(seconds: f64) -> String {
    format!("{seconds:.2} s")
}

/// The margin of a measured value, where it has one.
pub(super) fn margin(measured: &Measured) -> Option<String> {
    measured.margin.filter(|margin| margin.is_finite()).map(percent)
}

/// `1 case`, `2 cases`.
pub(super) fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_is_never_shown_as_none() {
        assert_eq!(percent(-0.0628), "-6.28 %");
        assert_eq!(percent(0.064_149), "+6.41 %");
        assert_eq!(percent(-0.000_000_4), "-0.00004 %");
        assert_eq!(percent(0.0), "+0.00 %");
        assert_eq!(percent(-5e-324), format!("{:+.17} %", -0.0));
    }
}
