//! Reads `pairs` of devices.

use std::collections::BTreeSet;

use super::{Node, NodeValue, Placed, decoder::Errors, shape::Shape, values};

/// `pairs: [[0, 1], [2, 3]]`.
pub(super) const PAIRS: Shape = Shape::List(&Shape::List(&Shape::Integer));

/// A list of pairs of two GPUs: `[1, 0]` is `[0, 1]` again.
pub(super) fn of_gpus(node: &Node, errors: &mut Errors) -> Option<Placed<Vec<(u32, u32)>>> {
    read(node, errors, |pair, (a, b), errors| {
        if a == b {
            errors.at(pair, format!("GPU {a} is paired with itself"));
            return None;
        }
        Some((a.min(b), a.max(b)))
    })
}

/// A list of pairs of a GPU and the number of a NIC's column.
pub(super) fn of_gpus_and_nics(node: &Node, errors: &mut Errors) -> Option<Placed<Vec<(u32, u32)>>> {
    read(node, errors, |_, pair, _| Some(pair))
}

/// `same_as` says by what a pair is known, so that none is there twice; the pairs stay as they are written.
fn read(
    node: &Node,
    errors: &mut Errors,
    same_as: impl Fn(&Node, (u32, u32), &mut Errors) -> Option<(u32, u32)>,
) -> Option<Placed<Vec<(u32, u32)>>> {
    let before = errors.0.len();
    let pairs = values::placed_list(node, "pairs", errors, pair)?;
    let mut seen = BTreeSet::new();
    let NodeValue::List(items) = &node.value else { return None };
    for (item, pair) in items.iter().zip(&pairs) {
        if let Some(key) = same_as(item, pair.value, errors)
            && !seen.insert(key)
        {
            errors.at(item, format!("the pair [{}, {}] is listed twice", pair.0, pair.1));
        }
    }
    (errors.0.len() == before).then(|| node.placed(pairs.into_iter().map(|pair| pair.value).collect()))
}

fn pair(node: &Node, errors: &mut Errors) -> Option<(u32, u32)> {
    const EXPECTED: &str = "a pair such as [0, 1]";
    match node.list(EXPECTED, errors)? {
        [a, b] => {
            let (a, b) = (values::integer(a, errors), values::integer(b, errors));
            Some((a?, b?))
        }
        items => {
            errors.at(node, format!("expected {EXPECTED}, found a list of {}", items.len()));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good},
        *,
    };

    #[test]
    fn pairs_stay_as_they_are_written() {
        assert_eq!(good(of_gpus, &flow("[[0, 1], [3, 2]]")).value, [(0, 1), (3, 2)]);
        assert_eq!(good(of_gpus_and_nics, &flow("[[0, 0], [0, 1], [1, 0]]")).value, [(0, 0), (0, 1), (1, 0)]);
    }

    #[test]
    fn wrong_pairs_are_said() {
        for (text, message) in [
            ("[[0, 0]]", "GPU 0 is paired with itself"),
            ("[[0, 1], [1, 0]]", "the pair [1, 0] is listed twice"),
            ("[[0, 1, 2]]", "expected a pair such as [0, 1], found a list of 3"),
            ("[0, [0, 1]]", "expected a pair such as [0, 1], found a plain value"),
            ("[[0, x]]", "expected a whole number, found `x`"),
            ("0-1", "expected a list of pairs, found a plain value"),
            ("[]", "expected a list of pairs, found an empty one"),
        ] {
            assert_eq!(bad(of_gpus, &flow(text)), message, "{text}");
        }
        assert_eq!(bad(of_gpus_and_nics, &flow("[[0, 1], [0, 1]]")), "the pair [0, 1] is listed twice");
    }
}
