//! What holds between the keys of an element, in words.

use super::{
    super::rule::Rule,
    elements::Element,
    markdown::{code, codes},
    values::value,
};

/// A rule as a sentence, or a table for a shape that another key decides.
pub(super) fn sentence(rule: &Rule, elements: &[Element]) -> String {
    match *rule {
        Rule::MoreThan([]) => "At least one of the keys is there.".to_owned(),
        Rule::MoreThan(keys) => format!("At least one key besides {} is there.", codes(keys, "and")),
        Rule::OneOf(keys) => format!("Exactly one of {} is there.", codes(keys, "and")),
        Rule::SomeOrAll(some, all) => {
            format!("Either {} is there, or {}.", codes(some, "or"), codes(all, "and"))
        }
        Rule::NotWhereAll { keys, list, word } => {
            format!("{} needs something other than {} in {}.", codes(keys, "or"), code(word), code(list))
        }
        Rule::Partner { key, of, word, .. } => {
            format!("{} is there where {} is {}, and only there.", code(key), code(of), code(word))
        }
        Rule::Needs { map, keys, needs } => {
            format!("A {} with {} needs {}.", code(map), codes(keys, "or"), codes(needs, "or"))
        }
        Rule::ShapeBy { key, by, shapes } => {
            let rows = shapes.iter().map(|(word, shape)| format!("| {} | {} |\n", code(word), value(shape, elements)));
            let rows: String = rows.collect();
            format!("{} goes by {}:\n\n| {} | {} |\n| --- | --- |\n{rows}", code(key), code(by), code(by), code(key))
        }
        Rule::NeverIs(key, word) => format!("{} is never {}.", code(key), code(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::super::shape::Shape, *};

    #[test]
    fn rules_are_told_in_sentences() {
        for (rule, words) in [
            (Rule::MoreThan(&["pairs"]), "At least one key besides `pairs` is there."),
            (
                Rule::SomeOrAll(&["min", "max"], &["share", "of"]),
                "Either `min` or `max` is there, or `share` and `of`.",
            ),
            (
                Rule::ShapeBy { key: "default", by: "type", shapes: &[("rate", Shape::Rate)] },
                "`default` goes by `type`:\n\n| `type` | `default` |\n| --- | --- |\n| `rate` | rate |\n",
            ),
        ] {
            assert_eq!(sentence(&rule, &[]), words);
        }
    }
}
