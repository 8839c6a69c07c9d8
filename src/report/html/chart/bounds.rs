use crate::{
    units::{Bandwidth, Size},
    verdict::{Measured, Verdict},
};

/// In place or out of place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// The result replaces the input.
    In,
    /// The result goes elsewhere.
    Out,
}

/// A bandwidth that was judged: where it stands on the chart, and what it was held against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged<'a> {
    /// The size in bytes.
    pub size: u64,
    /// The placement; `None` where the subject names none.
    pub placement: Option<Placement>,
    /// The least that was asked, in GB/s.
    pub floor: Option<f64>,
    /// The most, in GB/s.
    pub ceiling: Option<f64>,
    /// Whether it missed.
    pub missed: bool,
    /// The value as it is shown.
    pub measured: &'a Measured,
}

/// Every judged bandwidth of a verdict. What cannot be read as one stands in the list of values all the same.
pub(super) fn judged(verdict: &Verdict) -> Vec<Judged<'_>> {
    verdict.measured.iter().filter_map(one).collect()
}

/// `busbw at 1G in place`, `>= 326.00 GB/s`.
fn one(measured: &Measured) -> Option<Judged<'_>> {
    let subject = measured.subject.trim().strip_prefix("busbw at ")?;
    let (size, rest) = subject.split_once(' ').unwrap_or((subject, ""));
    let placement = if rest.starts_with("in place") {
        Some(Placement::In)
    } else if rest.starts_with("out of place") {
        Some(Placement::Out)
    } else {
        None
    };
    let (floor, ceiling) = limits(&measured.expected);
    let missed = measured.margin.is_some_and(|margin| margin < 0.0);
    Some(Judged { size: size.parse::<Size>().ok()?.bytes(), placement, floor, ceiling, missed, measured })
}

/// Floor and ceiling of `>= 440 GB/s`, `at least 440 GB/s`, `at most 20 GB/s`, `10 to 20 GB/s`.
fn limits(expected: &str) -> (Option<f64>, Option<f64>) {
    let words: Vec<&str> = expected.split_whitespace().map(|word| word.trim_matches(['(', ')', ',', ';'])).collect();
    let (mut floor, mut ceiling) = (None, None);
    for (at, word) in words.iter().enumerate() {
        let Some(value) = quantity(word, words.get(at + 1..).unwrap_or_default()) else { continue };
        match at.checked_sub(1).and_then(|before| words.get(before)).copied() {
            Some(">=" | ">" | "least") => floor = floor.or(Some(value)),
            Some("<=" | "<" | "most" | "to") => ceiling = ceiling.or(Some(value)),
            _ if words.get(at + 1..).is_some_and(|after| after.iter().take(2).any(|word| *word == "to")) => {
                floor = floor.or(Some(value));
            }
            _ => {}
        }
    }
    (floor, ceiling)
}

/// A number with its unit behind it; the first of two of a range may leave its unit to the second.
fn quantity(number: &str, after: &[&str]) -> Option<f64> {
    let unit = match after {
        ["to", _, unit, ..] | [unit, ..] => unit,
        [] => return None,
    };
    format!("{number} {unit}").parse::<Bandwidth>().ok().map(Bandwidth::gigabytes_per_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_however_they_are_worded() {
        for (text, expected) in [
            (">= 326.00 GB/s", (Some(326.0), None)),
            ("at least 440 GB/s", (Some(440.0), None)),
            ("at most 20.5 GB/s", (None, Some(20.5))),
            ("10 GB/s to 20 GB/s", (Some(10.0), Some(20.0))),
            ("10 to 20 GB/s", (Some(10.0), Some(20.0))),
            (">= 10 GB/s, <= 20 GB/s", (Some(10.0), Some(20.0))),
            ("at least 427.50 GB/s (95 % of 450 GB/s)", (Some(427.5), None)),
            ("440 GB/s", (None, None)),
            ("anything", (None, None)),
            ("", (None, None)),
        ] {
            assert_eq!(limits(text), expected, "{text}");
        }
    }

    #[test]
    fn a_subject_is_read_and_another_is_left_alone() {
        let measured = |subject: &str| Measured {
            subject: subject.into(),
            actual: "312.37 GB/s".into(),
            expected: ">= 330 GB/s".into(),
            margin: Some(-0.05),
        };
        let value = measured(" busbw at 1G in place (all-reduce.txt:11)");
        let read = one(&value).unwrap();
        assert_eq!((read.size, read.placement, read.missed), (1 << 30, Some(Placement::In), true));
        for subject in ["latency at 1G in place", "busbw at ?", "busbw", "GPU0 busbw"] {
            assert!(one(&measured(subject)).is_none(), "{subject}");
        }
    }
}
