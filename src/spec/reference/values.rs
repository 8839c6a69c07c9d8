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
        Shape::Wanted(inner @ Shape::Words(_)) => format!("{}, or a list", value(inner)),
        Shape::Wanted(inner) => format!("{}, or a list or range", value(inner)),
        Shape::List(inner) => format!("list of {}", several(inner, elements)),
        Shape::Distinct(inner) => format!("list without repeats of {}", several(inner, elements)),
        Shape::Any([one, Shape::List(inner)]) if *one == **inner => format!("{}, or a list", value(one)),
        Shape::Any(_) => listed(&alternatives(shape, elements), "or"),
        Shape::Map(keys) | Shape::Ruled(keys, _) | Shape::NotEmpty(keys) => table(keys, elements),
        Shape::MapOf(inner) => format!("map of {}", several(inner, elements)),
        Shape::Null => code("~"),
        Shape::Anything => "map".to_owned(),
    }
}

fn table(keys: &[Key], elements: &[Element]) -> String {
    let known = elements.iter().find(|element| element.keys == keys);
    known.map_or_else(|| "map".to_owned(), |element| link(&element.name))
}

/// What one thing can be out of several, each for itself.
fn alternatives(shape: &Shape, elements: &[Element]) -> Vec<String> {
    match *shape {
        Shape::Any(shapes) => shapes.iter().flat_map(|shape| alternatives(shape, elements)).collect(),
        Shape::Words(words) => words.iter().map(|word| code(word)).collect(),
        Shape::Wanted(_) => vec![format!("({})", value(shape, elements))],
        _ => vec![value(shape, elements)],
    }
}

/// The words for many of a shape.
fn several(shape: &Shape, elements: &[Element]) -> String {
    let one = value(shape, elements);
    match shape {
        Shape::Text | Shape::Integer | Shape::Size | Shape::Bandwidth | Shape::Rate | Shape::Duration => {
            format!("{one}s")
        }
        Shape::List(_) | Shape::Distinct(_) => one.replacen("list", "lists", 1),
        Shape::MapOf(_) => one.replacen("map", "maps", 1),
        Shape::Any(_) | Shape::Words([_, _, ..]) | Shape::Boolean | Shape::Wanted(_) => format!("({one})"),
        _ => one,
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
            (Shape::Wanted(&Shape::Rate), "rate, or a list or range"),
            (Shape::List(&WORDS), "list of (`a` or `b`)"),
            (Shape::Any(&[Shape::Text, Shape::List(&Shape::Text)]), "text, or a list"),
            (Shape::MapOf(&Shape::Any(&[Shape::Size, Shape::Null])), "map of (size or `~`)"),
            (Shape::Any(&[WORDS, Shape::Null]), "`a`, `b` or `~`"),
            (Shape::List(&Shape::List(&Shape::Integer)), "list of lists of whole numbers"),
            (Shape::Pattern("^(NV[0-9]+|PIX)$", "NV4"), "`NV[0-9]+` or `PIX`, such as `NV4`"),
            (Shape::Pattern("^(a|b(c|d))$", "bd"), "text such as `bd`"),
        ] {
            assert_eq!(value(&shape, &[]), words);
        }
    }
}
