use super::{
    Node, NodeValue, Placed, Wanted,
    decoder::{Errors, MapReader},
    shape::{Key, Shape, key, required},
    values, words,
};

/// `ecc_errors`: counts since the driver was loaded, and `aggregate` over the board's life.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EccErrorsExpect {
    /// Uncorrected errors since the driver was loaded.
    pub uncorrected: Option<Placed<Wanted<u64>>>,
    /// Corrected errors since the driver was loaded.
    pub corrected: Option<Placed<Wanted<u64>>>,
    /// Uncorrected errors over the board's life.
    pub aggregate_uncorrected: Option<Placed<Wanted<u64>>>,
    /// Corrected errors over the board's life.
    pub aggregate_corrected: Option<Placed<Wanted<u64>>>,
}

/// `remapped_rows`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemappedRowsExpect {
    /// After correctable errors.
    pub correctable: Option<Placed<Wanted<u64>>>,
    /// After uncorrectable errors.
    pub uncorrectable: Option<Placed<Wanted<u64>>>,
    /// Whether one waits for a reset.
    pub pending: Option<Placed<bool>>,
    /// Whether one failed.
    pub failure: Option<Placed<bool>>,
}

/// `throttled`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThrottleExpect {
    /// `on`: a reason other than idle is active.
    On,
    /// `off`, or `{ allow: [...] }`: no reason but idle and these.
    Off {
        /// Reasons that are allowed besides idle.
        allow: Vec<String>,
    },
}

/// `xid`: none, or none but these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XidExpect {
    /// The numbers that are allowed.
    pub allow: Vec<u32>,
}

const COUNT: Shape = Shape::Wanted(&Shape::Integer);

const COUNTS: &[Key] = &[key("uncorrected", COUNT, "uncorrected errors"), key("corrected", COUNT, "corrected errors")];

const ECC_ERRORS_KEYS: &[Key] = &[
    key("uncorrected", COUNT, "uncorrected errors since the driver was loaded"),
    key("corrected", COUNT, "corrected errors since the driver was loaded"),
    key("aggregate", Shape::NotEmpty(COUNTS), "errors over the board's life"),
];

const REMAPPED_ROWS_KEYS: &[Key] = &[
    key("correctable", COUNT, "rows remapped after correctable errors"),
    key("uncorrectable", COUNT, "rows remapped after uncorrectable errors"),
    key("pending", Shape::Boolean, "whether a remapping waits for a reset"),
    key("failure", Shape::Boolean, "whether a remapping failed"),
];

const REASON: Shape = Shape::Pattern("^[a-z0-9]+(-[a-z0-9]+)*$", "power-cap");

const THROTTLED_KEYS: &[Key] =
    &[required("allow", Shape::List(&REASON), "reasons for lowered clocks that are allowed besides idle")];

const XID_KEYS: &[Key] = &[required("allow", Shape::List(&Shape::Integer), "the numbers of Xids that are allowed")];

/// What `ecc_errors` can be.
pub(super) const ECC_ERRORS: Shape = Shape::NotEmpty(ECC_ERRORS_KEYS);

/// What `remapped_rows` can be.
pub(super) const REMAPPED_ROWS: Shape = Shape::NotEmpty(REMAPPED_ROWS_KEYS);

/// What `throttled` can be.
pub(super) const THROTTLED: Shape = Shape::Any(&[words::SWITCH, Shape::Map(THROTTLED_KEYS)]);

/// What `xid` can be.
pub(super) const XID: Shape = Shape::Any(&[Shape::Words(&["none"]), Shape::Map(XID_KEYS)]);

fn count(node: &Node, errors: &mut Errors) -> Option<Wanted<u64>> {
    values::wanted(node, errors, values::integer)
}

impl EccErrorsExpect {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = values::not_empty(node, "`ecc_errors`", ECC_ERRORS_KEYS, errors)?;
        let aggregate = reader.get("aggregate").and_then(|node| values::not_empty(node, "`aggregate`", COUNTS, errors));
        let expect = Self {
            uncorrected: reader.placed("uncorrected", errors, count),
            corrected: reader.placed("corrected", errors, count),
            aggregate_uncorrected: aggregate.as_ref().and_then(|map| map.placed("uncorrected", errors, count)),
            aggregate_corrected: aggregate.as_ref().and_then(|map| map.placed("corrected", errors, count)),
        };
        (errors.0.len() == before).then_some(expect)
    }
}

impl RemappedRowsExpect {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = values::not_empty(node, "`remapped_rows`", REMAPPED_ROWS_KEYS, errors)?;
        let expect = Self {
            correctable: reader.placed("correctable", errors, count),
            uncorrectable: reader.placed("uncorrectable", errors, count),
            pending: reader.placed("pending", errors, values::boolean),
            failure: reader.placed("failure", errors, values::boolean),
        };
        (errors.0.len() == before).then_some(expect)
    }
}

impl ThrottleExpect {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        if let NodeValue::Map(_) = &node.value {
            let reader = MapReader::open(node, "`throttled`", THROTTLED_KEYS, errors)?;
            let allow = reader.read("allow", errors, |node, errors| values::list(node, "reasons", errors, reason))?;
            return Some(Self::Off { allow });
        }
        const NAMES: [(&str, bool); 2] = [("on", true), ("off", false)];
        let on = values::word(node, "state", &NAMES, errors)?;
        Some(if on { Self::On } else { Self::Off { allow: Vec::new() } })
    }
}

/// The drivers' words grow with their versions, so that only their form is checked.
fn reason(node: &Node, errors: &mut Errors) -> Option<String> {
    let text = values::text(node, errors)?;
    let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if !text.split('-').all(part) {
        errors.at(node, format!("expected a reason such as power-cap, found `{text}`"));
        return None;
    }
    Some(text)
}

impl XidExpect {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        if let NodeValue::Map(_) = &node.value {
            let reader = MapReader::open(node, "`xid`", XID_KEYS, errors)?;
            let numbers = |node: &Node, errors: &mut Errors| values::list(node, "Xids", errors, values::integer);
            return Some(Self { allow: reader.read("allow", errors, numbers)? });
        }
        values::word(node, "value", &[("none", ())], errors).map(|()| Self { allow: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good},
        *,
    };

    #[test]
    fn ecc_errors_are_counts_of_two_lives() {
        let text = "{ uncorrected: 0, corrected: { max: 10 }, aggregate: { uncorrected: [0, 1], corrected: 5 } }";
        let expect = good(EccErrorsExpect::decode, &flow(text));
        assert_eq!(expect.uncorrected.unwrap().value, Wanted::Exact(0));
        assert_eq!(expect.corrected.unwrap().value, Wanted::Range { min: None, max: Some(10) });
        assert_eq!(expect.aggregate_uncorrected.unwrap().value, Wanted::OneOf(vec![0, 1]));
        assert_eq!(expect.aggregate_corrected.unwrap().value, Wanted::Exact(5));
    }

    #[test]
    fn remapped_rows_are_counts_and_flags() {
        let text = "{ correctable: { max: 2 }, uncorrectable: 0, pending: no, failure: yes }";
        let expect = good(RemappedRowsExpect::decode, &flow(text));
        assert_eq!(expect.correctable.unwrap().value, Wanted::Range { min: None, max: Some(2) });
        assert_eq!(expect.uncorrectable.unwrap().value, Wanted::Exact(0));
        assert!(!expect.pending.unwrap().value);
        assert!(expect.failure.unwrap().value);
    }

    #[test]
    fn throttled_and_xid_allow_by_name_and_number() {
        let off = |allow: &[&str]| ThrottleExpect::Off { allow: allow.iter().map(|&text| text.to_owned()).collect() };
        assert_eq!(good(ThrottleExpect::decode, &flow("on")), ThrottleExpect::On);
        assert_eq!(good(ThrottleExpect::decode, &flow("\"off\"")), off(&[]));
        assert_eq!(good(ThrottleExpect::decode, &flow("{ allow: [power-cap] }")), off(&["power-cap"]));
        assert!(good(XidExpect::decode, &flow("none")).allow.is_empty());
        assert_eq!(good(XidExpect::decode, &flow("{ allow: [43, 45] }")).allow, [43, 45]);
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        let ecc = |text| bad(EccErrorsExpect::decode, &flow(text));
        assert_eq!(ecc("{}"), "`ecc_errors` is empty | its keys are uncorrected, corrected, aggregate");
        assert_eq!(ecc("{ aggregate: {} }"), "`aggregate` is empty | its keys are uncorrected, corrected");
        assert_eq!(ecc("{ uncorrected: none }"), "expected a whole number, found `none`");
        assert_eq!(ecc("{ corected: 0 }"), "unknown key `corected` in `ecc_errors` | did you mean `corrected`?");
        assert!(ecc("0").starts_with("expected `ecc_errors`, which is a map, found a plain value | "));
        let rows = |text| bad(RemappedRowsExpect::decode, &flow(text));
        assert_eq!(rows("{ pending: 0 }"), "unknown value `0`, expected one of `yes`, `no`, `true`, `false`");
        assert_eq!(rows("{ uncorrectable: -1 }"), "expected a whole number, found `-1`");
        let throttled = |text| bad(ThrottleExpect::decode, &flow(text));
        assert_eq!(throttled("no"), "unknown state `no`, expected `on` or `off`");
        assert_eq!(throttled("{ allow: [power cap] }"), "expected a reason such as power-cap, found `power cap`");
        assert_eq!(throttled("{ allow: [] }"), "expected a list of reasons, found an empty one");
        let xid = |text| bad(XidExpect::decode, &flow(text));
        assert_eq!(xid("43"), "unknown value `43`, expected `none`");
        assert_eq!(xid("{ allow: 43 }"), "expected a list of Xids, found a plain value");
        assert_eq!(xid("{ allow: [x] }"), "expected a whole number, found `x`");
    }
}
