use std::fmt;

use super::{
    Node, NodeValue, Place, Placed,
    decoder::{Errors, MapReader},
    rule::Rule,
    shape::{Key, Shape, key, required},
    values,
};

/// A bound on a measured value: `440 GB/s`, `{min, max}`, or `{at_least: 85%, of: link}`.
///
/// A plain value is a floor for bandwidth and a ceiling for latency.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound<T> {
    /// The limits.
    pub value: BoundValue<T>,
    /// The name of an entry of `sources` that the figure is from.
    pub source: Option<Placed<String>>,
    /// A remark of the spec's author.
    pub note: Option<String>,
    /// Where the bound stands.
    pub place: Place,
}

/// The limits of a [`Bound`].
#[derive(Clone, Debug, PartialEq)]
pub enum BoundValue<T> {
    /// Written out; at least one of them is there.
    Limits {
        /// The least.
        min: Option<T>,
        /// The most.
        max: Option<T>,
    },
    /// A share of something else.
    Share {
        /// The share, 0.85 for `85%`.
        at_least: f64,
        /// Of what.
        of: BoundBase,
    },
}

/// What a share is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundBase {
    /// The payload per direction of one GPU's links.
    Link,
    /// The recorded baseline.
    Baseline,
    /// Another case of the suite.
    Case {
        /// The test.
        test: String,
        /// The cell within its brackets, if the test has a matrix.
        cell: Option<String>,
    },
}

impl BoundBase {
    /// The case by its short name, `TEST` or `TEST[CELL]`, where it is one.
    pub fn case(&self) -> Option<String> {
        let Self::Case { test, cell } = self else { return None };
        Some(cell.as_ref().map_or_else(|| test.clone(), |cell| format!("{test}[{cell}]")))
    }
}

/// What a value without `min` or `max` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    /// The least, for what should be high.
    Floor,
    /// The most, for what should be low.
    Ceiling,
}

/// A bound on a bandwidth.
pub(super) const BANDWIDTH: Shape = Shape::Any(&[Shape::Bandwidth, Shape::Ruled(&keys(Shape::Bandwidth), RULES)]);

/// A bound on a latency.
pub(super) const LATENCY: Shape = Shape::Any(&[Shape::Duration, Shape::Ruled(&keys(Shape::Duration), RULES)]);

/// Limits, or a share of something.
const RULES: &[Rule] = &[Rule::SomeOrAll(&["min", "max"], &["at_least", "of"])];

const KEYS: &[Key] = &keys(Shape::Text);

const fn keys(value: Shape) -> [Key; 6] {
    const BASE: Shape = Shape::Any(&[Shape::Words(&["link", "baseline"]), Shape::Map(CASE)]);
    [
        key("min", value, "the least, included"),
        key("max", value, "the most, included"),
        key("at_least", Shape::Percent, "the least, as a share of what `of` names"),
        key("of", BASE, "what `at_least` is a share of: one GPU's links, the baseline, or another case"),
        key("source", Shape::Text, "the entry of `sources` that the figure is from"),
        key("note", Shape::Text, "a remark"),
    ]
}

const CASE: &[Key] = &[
    required("test", Shape::Text, "the test's name"),
    key("cell", Shape::Text, "the cell of its matrix, as the case's name shows it in brackets"),
];

impl<T> Bound<T> {
    /// What it is a share of; `None` where it is a number.
    pub fn base(&self) -> Option<&BoundBase> {
        match &self.value {
            BoundValue::Share { of, .. } => Some(of),
            BoundValue::Limits { .. } => None,
        }
    }
}

impl<T: PartialOrd + fmt::Display> Bound<T> {
    /// Reads a bound whose values `read` reads.
    pub(super) fn decode(
        node: &Node,
        errors: &mut Errors,
        plain: Plain,
        read: impl Fn(&Node, &mut Errors) -> Option<T>,
    ) -> Option<Self> {
        let NodeValue::Map(_) = &node.value else {
            let value = read(node, errors)?;
            let (min, max) = match plain {
                Plain::Floor => (Some(value), None),
                Plain::Ceiling => (None, Some(value)),
            };
            let value = BoundValue::Limits { min, max };
            return Some(Self { value, source: None, note: None, place: node.place.clone() });
        };
        let before = errors.0.len();
        let reader = MapReader::open(node, "a bound", KEYS, errors)?;
        let source = reader.placed("source", errors, values::text);
        let note = reader.read("note", errors, values::text);
        let value = BoundValue::decode(&reader, before, errors, read)?;
        Some(Self { value, source, note, place: node.place.clone() })
    }
}

impl<T: PartialOrd + fmt::Display> BoundValue<T> {
    fn decode(
        reader: &MapReader<'_>,
        before: usize,
        errors: &mut Errors,
        read: impl Fn(&Node, &mut Errors) -> Option<T>,
    ) -> Option<Self> {
        let limits = reader.get("min").is_some() || reader.get("max").is_some();
        match (limits, reader.get("at_least"), reader.get("of")) {
            (true, None, None) => {
                let (min, max) = values::limits(reader, before, errors, read)?;
                return Some(Self::Limits { min, max });
            }
            (false, Some(at_least), Some(of)) => {
                let (at_least, of) = (values::percent(at_least, errors), BoundBase::decode(of, errors));
                return Some(Self::Share { at_least: at_least?, of: of? });
            }
            // A misspelt key may be the one that seems to be missing.
            _ if errors.0.len() > before => {}
            (true, _, _) => errors.at(reader.node(), "a bound has either `min` and `max` or `at_least` and `of`"),
            (false, Some(_), None) => {
                errors.at_with_help(
                    reader.node(),
                    "`at_least` needs `of`",
                    "`of` is link, baseline, or { test, cell }",
                );
            }
            (false, None, Some(_)) => {
                errors.at_with_help(reader.node(), "`of` needs `at_least`", "a share such as at_least: 85%");
            }
            (false, None, None) => errors.at(reader.node(), "a bound needs `min`, `max`, or `at_least` and `of`"),
        }
        None
    }
}

impl BoundBase {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        if let NodeValue::Map(_) = &node.value {
            let reader = MapReader::open(node, "a case", CASE, errors)?;
            let cell = reader.read("cell", errors, values::text);
            return Some(Self::Case { test: reader.read("test", errors, values::text)?, cell });
        }
        let link = values::word(node, "base", &[("link", true), ("baseline", false)], errors)?;
        Some(if link { Self::Link } else { Self::Baseline })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            ParameterKind,
            testing::{bad, flow, good},
        },
        *,
    };
    use crate::units::Bandwidth;

    fn decode(node: &Node, errors: &mut Errors) -> Option<Bound<Bandwidth>> {
        Bound::decode(node, errors, Plain::Floor, |node, errors| {
            values::unit(node, ParameterKind::Bandwidth, "a bandwidth", errors)
        })
    }

    fn limits(min: Option<f64>, max: Option<f64>) -> BoundValue<Bandwidth> {
        BoundValue::Limits { min: min.map(Bandwidth), max: max.map(Bandwidth) }
    }

    #[test]
    fn every_form_is_read() {
        let case = BoundBase::Case { test: "all-reduce".to_owned(), cell: Some("NCCL_ALGO=Ring".to_owned()) };
        for (text, value) in [
            ("440 GB/s", limits(Some(440.0), None)),
            ("{ min: 15 GB/s, max: 60 GB/s }", limits(Some(15.0), Some(60.0))),
            ("{ max: 60 GB/s, min: ~ }", limits(None, Some(60.0))),
            ("{ at_least: 85%, of: link }", BoundValue::Share { at_least: 0.85, of: BoundBase::Link }),
            ("{ at_least: 95%, of: baseline }", BoundValue::Share { at_least: 0.95, of: BoundBase::Baseline }),
            (
                "{ at_least: 50%, of: { test: all-reduce, cell: NCCL_ALGO=Ring } }",
                BoundValue::Share { at_least: 0.5, of: case },
            ),
        ] {
            assert_eq!(good(decode, &flow(text)).value, value, "{text}");
        }
    }

    #[test]
    fn every_form_takes_source_and_note() {
        for text in ["min: 1 GB/s", "at_least: 85%, of: link"] {
            let bound = good(decode, &flow(&format!("{{ {text}, source: azure, note: measured }}")));
            assert_eq!(bound.source.unwrap().value, "azure");
            assert_eq!(bound.note.unwrap(), "measured");
        }
    }

    #[test]
    fn a_plain_latency_is_a_ceiling() {
        let read = |node: &Node, errors: &mut Errors| values::integer::<u32>(node, errors);
        let bound = good(|node, errors| Bound::decode(node, errors, Plain::Ceiling, read), &flow("20"));
        assert_eq!(bound.value, BoundValue::Limits { min: None, max: Some(20) });
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            ("440", "expected a bandwidth such as 440 GB/s, found `440`"),
            ("{ min: 2 GB/s, max: 1 GB/s }", "the range is empty: 2 GB/s is above 1 GB/s"),
            ("{ at_least: 85% }", "`at_least` needs `of` | `of` is link, baseline, or { test, cell }"),
            ("{ of: link }", "`of` needs `at_least` | a share such as at_least: 85%"),
            ("{ mim: 1 GB/s }", "unknown key `mim` in a bound | did you mean `min`?"),
            ("{ source: azure }", "a bound needs `min`, `max`, or `at_least` and `of`"),
            ("{ min: 1 GB/s, at_least: 85%, of: link }", "a bound has either `min` and `max` or `at_least` and `of`"),
            ("{ at_least: 0.85, of: link }", "expected a share such as 85%, found `0.85`"),
            (
                "{ at_least: 85%, of: links }",
                "unknown base `links`, expected `link` or `baseline` | did you mean `link`?",
            ),
            ("{ at_least: 85%, of: { cell: a=b } }", "a case lacks the key `test` | the test's name"),
        ] {
            assert_eq!(bad(decode, &flow(text)), message, "{text}");
        }
    }
}
