use super::{
    Node, NodeValue, ParameterKind, Placed,
    decoder::{Errors, MapReader},
    rule::Rule,
    shape::{Key, Shape, key, required},
    values,
};
use crate::units::Size;

/// More sizes than this are a slip of the pen: no run gets through them.
const MOST: u64 = 100_000;

/// The sizes of a test: a list, or a range with a factor or a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// These.
    List(Vec<Size>),
    /// From one to another.
    Range {
        /// The first.
        from: Size,
        /// The last that may be reached.
        to: Size,
        /// How to get from one to the next.
        step: SizeStep,
    },
}

/// How a range of sizes grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeStep {
    /// By a factor, 2 at least.
    Factor(u64),
    /// By a number of bytes, 1 at least.
    Step(Size),
}

const RANGE: &[Key] = &[
    required("from", Shape::Size, "the first size"),
    required("to", Shape::Size, "the last size that may be reached"),
    key("factor", Shape::AtLeast(2), "what a size is multiplied by for the next, 2 at least"),
    key("step", Shape::PositiveSize, "what is added to a size for the next, 1 byte at least"),
];

/// What `sizes` can be.
pub(super) const SHAPE: Shape =
    Shape::Any(&[Shape::Distinct(&Shape::Size), Shape::Ruled(RANGE, &[Rule::OneOf(&["factor", "step"])])]);

/// One size.
pub(super) fn size(node: &Node, errors: &mut Errors) -> Option<Size> {
    values::unit(node, ParameterKind::Size, "a size such as 64K or 8M", errors)
}

impl Sizes {
    /// Reads a list or a range of sizes.
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        match &node.value {
            NodeValue::Map(_) => Self::decode_range(node, errors),
            NodeValue::Null | NodeValue::Scalar { .. } | NodeValue::List(_) => Self::decode_list(node, errors),
        }
    }

    fn decode_list(node: &Node, errors: &mut Errors) -> Option<Self> {
        let sizes: Vec<Placed<Size>> = values::placed_list(node, "sizes", errors, size)?;
        if sizes.len() as u64 > MOST {
            errors.at(node, format!("{} sizes are too many, at most {MOST} can be visited", sizes.len()));
            return None;
        }
        let mut good = true;
        for (pair, item) in sizes.windows(2).zip(node.list("sizes", errors)?.iter().skip(1)) {
            if let [before, size] = pair
                && size.value <= before.value
            {
                good = false;
                let problem = if size.value == before.value { "there twice" } else { "after a larger one" };
                errors.at_with_help(item, format!("the size {} is {problem}", size.value), "sizes ascend");
            }
        }
        good.then(|| Self::List(sizes.into_iter().map(|size| size.value).collect()))
    }

    fn decode_range(node: &Node, errors: &mut Errors) -> Option<Self> {
        let reader = MapReader::open(node, "a range of sizes", RANGE, errors)?;
        let (from, to) = (reader.read("from", errors, size), reader.read("to", errors, size));
        let step = match (reader.get("factor"), reader.get("step")) {
            (Some(factor), None) => values::integer(factor, errors).map(SizeStep::Factor),
            (None, Some(step)) => size(step, errors).map(SizeStep::Step),
            (None, None) => {
                errors.at_with_help(node, "a range of sizes lacks `factor` or `step`", "factor: 2 doubles each size");
                None
            }
            (Some(_), Some(step)) => {
                errors.at(step, "a range of sizes has either `factor` or `step`");
                None
            }
        };
        let (from, to, step) = (from?, to?, step?);
        if let Some(message) = wrong_range(from, to, step) {
            errors.at(node, message);
            return None;
        }
        Some(Self::Range { from, to, step })
    }

    /// The sizes, from the first to the last.
    pub fn all(&self) -> Vec<Size> {
        match self {
            Self::List(sizes) => sizes.clone(),
            Self::Range { from, to, step } => {
                let next = |size: &Size| {
                    let next = match step {
                        SizeStep::Factor(factor) => size.0.checked_mul(*factor),
                        SizeStep::Step(step) => size.0.checked_add(step.0),
                    };
                    next.map(Size).filter(|next| next > size)
                };
                std::iter::successors(Some(*from), next).take_while(|size| size <= to).collect()
            }
        }
    }
}

/// What is wrong with a range of sizes.
fn wrong_range(from: Size, to: Size, step: SizeStep) -> Option<String> {
    match step {
        _ if from > to => Some(format!("the range of sizes is empty: {from} is above {to}")),
        SizeStep::Factor(0 | 1) => Some("the factor of a range of sizes is 2 at least".to_owned()),
        SizeStep::Factor(_) if from.0 == 0 => Some("a range of sizes with a factor begins above 0".to_owned()),
        SizeStep::Step(Size(0)) => Some("the step of a range of sizes is 1 byte at least".to_owned()),
        SizeStep::Step(step) if (to.0 - from.0) / step.0 >= MOST => {
            let last = (to.0 - from.0) / step.0;
            Some(format!("the range has {} sizes, at most {MOST} can be visited", u128::from(last) + 1))
        }
        SizeStep::Factor(_) | SizeStep::Step(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::testing::{bad, flow, good};

    #[test]
    fn a_range_ends_where_it_says() {
        let sizes = good(Sizes::decode, &flow("{ from: 8, to: 64, factor: 2 }"));
        assert_eq!(sizes.all(), [8, 16, 32, 64].map(Size));
        let sizes = good(Sizes::decode, &flow("{ from: 8, to: 20, step: 5 }"));
        assert_eq!(sizes.all(), [8, 13, 18].map(Size));
    }

    #[test]
    fn a_range_that_cannot_grow_ends() {
        let sizes = Sizes::Range { from: Size(0), to: Size(64), step: SizeStep::Factor(2) };
        assert_eq!(sizes.all(), [Size(0)]);
        let sizes = Sizes::Range { from: Size(1), to: Size(u64::MAX), step: SizeStep::Factor(2) };
        assert_eq!(sizes.all().len(), 64);
    }

    #[test]
    fn wrong_sizes_are_one_error_each() {
        for (text, message) in [
            ("[]", "expected a list of sizes, found an empty one"),
            ("1M", "expected a list of sizes, found a plain value"),
            ("[1M, 1024K]", "the size 1M is there twice | sizes ascend"),
            ("[8, 2M, 1M]", "the size 1M is after a larger one | sizes ascend"),
            ("{ from: 8, to: 4, factor: 2 }", "the range of sizes is empty: 8 is above 4"),
            ("{ from: 8, to: 64, factor: 1 }", "the factor of a range of sizes is 2 at least"),
            ("{ from: 0, to: 64, factor: 2 }", "a range of sizes with a factor begins above 0"),
            ("{ from: 8, to: 64, step: 0 }", "the step of a range of sizes is 1 byte at least"),
            ("{ from: 0, to: 100000, step: 1 }", "the range has 100001 sizes, at most 100000 can be visited"),
            ("{ from: 8, to: 64 }", "a range of sizes lacks `factor` or `step` | factor: 2 doubles each size"),
            ("{ from: 8, to: 64, factor: 2, step: 8 }", "a range of sizes has either `factor` or `step`"),
        ] {
            assert_eq!(bad(Sizes::decode, &flow(text)), message, "{text}");
        }
    }
}
