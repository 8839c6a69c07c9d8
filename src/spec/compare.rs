use super::{
    Node, NodeValue, ParameterKind, Placed, Wanted,
    decoder::{Errors, MapReader},
    shape::{Key, Shape, key, required},
    sizes, values,
};
use crate::units::Size;

/// `compare`: two cases' bandwidths set against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The one side.
    pub left: Placed<CompareSide>,
    /// The other side.
    pub right: Placed<CompareSide>,
    /// The sizes at which they are compared.
    pub at: Placed<Vec<Size>>,
    /// The left divided by the right: the least and the most.
    pub ratio: Placed<Wanted<f64>>,
}

/// One side of a comparison: a test, a case `TEST[CELL]`, or the best of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareSide {
    /// One.
    Case(String),
    /// The best at each size.
    BestOf(Vec<String>),
}

const SIDE: Shape = Shape::Any(&[Shape::Text, Shape::NotEmpty(BEST_OF)]);
const BEST_OF: &[Key] = &[key("best-of", Shape::List(&Shape::Text), "the cases of which the best at each size counts")];

/// Numbers are text to the reader, which takes no other spelling than digits and a point.
const RATIO: &[Key] = &[key("min", Shape::Text, "the least, included"), key("max", Shape::Text, "the most, included")];

/// The keys of `compare`.
pub(super) const KEYS: &[Key] = &[
    required("left", SIDE, "a test, a case such as `all-reduce[NCCL_ALGO=Ring]`, or the best of several"),
    required("right", SIDE, "what the left is divided by: a test, a case, or the best of several"),
    required("at", Shape::List(&Shape::Size), "the sizes at which they are compared"),
    required("ratio", Shape::NotEmpty(RATIO), "the left divided by the right"),
];

impl Compare {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = MapReader::open(node, "`compare`", KEYS, errors)?;
        let left = reader.placed("left", errors, CompareSide::decode);
        let right = reader.placed("right", errors, CompareSide::decode);
        let at = reader.placed("at", errors, |node, errors| values::list(node, "sizes", errors, sizes::size));
        let ratio = reader.placed("ratio", errors, ratio);
        let compare = Self { left: left?, right: right?, at: at?, ratio: ratio? };
        (errors.0.len() == before).then_some(compare)
    }
}

fn ratio(node: &Node, errors: &mut Errors) -> Option<Wanted<f64>> {
    values::range(node, errors, number).map(|(min, max)| Wanted::Range { min, max })
}

fn number(node: &Node, errors: &mut Errors) -> Option<f64> {
    let kind = node.parameter.as_ref().map_or(ParameterKind::Text, |parameter| parameter.kind);
    if kind != ParameterKind::Integer {
        values::of_kind(node, ParameterKind::Text, "a number", errors)?;
    }
    let text = node.scalar("a number such as 0.95", errors)?;
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let number = plain.then(|| text.parse::<f64>().ok()).flatten();
    if number.is_none() {
        errors.at(node, format!("expected a number such as 0.95, found `{text}`"));
    }
    number
}

impl CompareSide {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        if let NodeValue::Map(_) = &node.value {
            let reader = values::not_empty(node, "a side", BEST_OF, errors)?;
            let cases = |node: &Node, errors: &mut Errors| values::list(node, "cases", errors, case);
            return reader.read("best-of", errors, cases).map(Self::BestOf);
        }
        case(node, errors).map(Self::Case)
    }
}

/// `TEST` or `TEST[CELL]`. Whether there is such a case is seen when the suite is whole.
fn case(node: &Node, errors: &mut Errors) -> Option<String> {
    let text = values::text(node, errors)?;
    let (test, cell) = match text.split_once('[') {
        Some((test, cell)) => (test, Some(cell)),
        None => (text.as_str(), None),
    };
    let name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let whole = cell.is_none_or(|cell| cell.strip_suffix(']').is_some_and(|cell| !cell.is_empty()));
    if test.is_empty() || !test.bytes().all(name) || !whole {
        let example = "a case such as all-reduce[NCCL_ALGO=Ring]";
        errors.at(node, format!("expected a test such as all-reduce, or {example}, found `{text}`"));
        return None;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good, scalar},
        *,
    };

    #[test]
    fn every_key_is_read() {
        let text = "{ left: all-reduce, right: { best-of: [all-gather, broadcast] }, at: [1G, 8G], \
                    ratio: { min: 0.95, max: 2 } }";
        let compare = good(Compare::decode, &flow(text));
        assert_eq!(compare.left.value, CompareSide::Case("all-reduce".to_owned()));
        let best = ["all-gather", "broadcast"].map(str::to_owned).to_vec();
        assert_eq!(compare.right.value, CompareSide::BestOf(best));
        assert_eq!(compare.at.value, [Size(1 << 30), Size(8 << 30)]);
        assert_eq!(compare.ratio.value, Wanted::Range { min: Some(0.95), max: Some(2.0) });
    }

    #[test]
    fn a_side_may_name_a_cell() {
        let side = good(CompareSide::decode, &scalar("all-reduce[NCCL_ALGO=Ring,NCCL_PROTO=LL128]"));
        assert_eq!(side, CompareSide::Case("all-reduce[NCCL_ALGO=Ring,NCCL_PROTO=LL128]".to_owned()));
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            ("{ right: b, at: [1G], ratio: { min: 1 } }", "`compare` lacks the key `left`"),
            ("{ left: a, right: b, at: 1G, ratio: { min: 1 } }", "expected a list of sizes, found a plain value"),
            ("{ left: a, right: b, at: [x], ratio: { min: 1 } }", "expected a size such as"),
            ("{ left: a, right: b, at: [1G], ratio: 1 }", "expected a range, which is a map, found a plain value"),
            ("{ left: a, right: b, at: [1G], ratio: { min: much } }", "expected a number such as 0.95, found `much`"),
            ("{ left: a, right: b, at: [1G], ratio: { min: -1 } }", "expected a number such as 0.95, found `-1`"),
            ("{ left: a, right: b, at: [1G], ratio: { min: 2, max: 1 } }", "the range is empty: 2 is above 1"),
            ("{ left: A, right: b, at: [1G], ratio: { min: 1 } }", "expected a test such as all-reduce"),
            ("{ left: { best_of: [a] }, right: b, at: [1G], ratio: { min: 1 } }", "unknown key `best_of` in a side"),
            ("{ left: { best-of: [] }, right: b, at: [1G], ratio: { min: 1 } }", "expected a list of cases, found an"),
        ] {
            let error = bad(Compare::decode, &flow(text));
            assert!(error.starts_with(message), "{text}: {error}");
        }
        for text in ["a[", "a[]", "a[b]c", "", "a b"] {
            assert!(
                bad(CompareSide::decode, &scalar(text)).starts_with("expected a test such as all-reduce"),
                "{text}"
            );
        }
    }
}
