//! What a value can be, in words.

use super::{
    super::shape::{Key, Shape},
    elements::Element,
    markdown::{code, codes, link, listed},
};

/// The words for a shape; `elements` are those to link to.
pub(super) fn value(shape: &Shape, elements: &[Element]) -> String {
    let value = |shape: &Shape| value(shape, elements);
    match *shape {
        Shape::Text => "text".to_owned(),
        Shape::Pattern(pattern, example) => text(pattern, example),
        Shape::Integer => "whole number".to_owned(),
        Shape::AtLeast(least) => format!("whole number from {least}"),
        Shape::Boolean => codes(&["yes", "no"], "or"),
        Shape::Size => "size".to_owned(),
        Shape::PositiveSize => "size above 0".to_owned(),
        Shape::Bandwidth => "bandwidth".to_owned(),
        Shape::Rate => "rate".to_owned(),
        Shape::Duration => "duration".to_owned(),
        Shape::Percent => "percentage".to_owned(),
        Shape::Words(words) => codes(words, "or"),
        Shape::Wanted(inner) => format!("{}; or a list or range of such", value(inner)),
        Shape::List(inner) => format!("list of {}", grouped(inner, &value(inner))),
        Shape::Distinct(inner) => format!("list without repeats of {}", grouped(inner, &value(inner))),
        Shape::Any([one, Shape::List(inner)]) if *one == **inner => format!("{}; or a list of such", value(one)),
        Shape::Any(shapes) => listed(&shapes.iter().map(value).collect::<Vec<_>>(), "or"),
        Shape::Map(keys) | Shape::Ruled(keys, _) | Shape::NotEmpty(keys) => table(keys, elements),
        Shape::MapOf(inner) => format!("map of {}", grouped(inner, &value(inner))),
        Shape::Null => code("~"),
        Shape::Anything => "map".to_owned(),
    }
}

fn table(keys: &[Key], elements: &[Element]) -> String {
    let known = elements.iter().find(|element| element.keys == keys);
    known.map_or_else(|| "map".to_owned(), |element| link(&element.name))
}

/// What is several things stands in parentheses within another.
fn grouped(shape: &Shape, words: &str) -> String {
    match shape {
        Shape::Any(_) | Shape::Words([_, _, ..]) | Shape::Boolean | Shape::Wanted(_) => format!("({words})"),
        _ => words.to_owned(),
    }
}

/// An expression that only lists its words is told as that list, another one by its example.
fn text(pattern: &str, example: &str) -> String {
    let words = pattern.strip_prefix("^(").and_then(|rest| rest.strip_suffix(")$"));
    match words.filter(|words| words.contains('|') && !words.contains(['(', ')'])) {
        Some(words) => format!("{}, such as {}", codes(&words.split('|').collect::<Vec<_>>(), "or"), code(example)),
        None => format!("text such as {}", code(example)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_told_in_words() {
        const WORDS: Shape = Shape::Words(&["a", "b"]);
        for (shape, words) in [
            (Shape::Wanted(&Shape::Rate), "rate; or a list or range of such"),
            (Shape::List(&WORDS), "list of (`a` or `b`)"),
            (Shape::Any(&[Shape::Text, Shape::List(&Shape::Text)]), "text; or a list of such"),
            (Shape::MapOf(&Shape::Any(&[Shape::Size, Shape::Null])), "map of (size or `~`)"),
            (Shape::Pattern("^(NV[0-9]+|PIX)$", "NV4"), "`NV[0-9]+` or `PIX`, such as `NV4`"),
            (Shape::Pattern("^(a|b(c|d))$", "bd"), "text such as `bd`"),
        ] {
            assert_eq!(value(&shape, &[]), words);
        }
    }
}
