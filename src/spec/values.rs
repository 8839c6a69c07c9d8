//! Readers of single values, and of values, lists and ranges.

use std::{collections::BTreeMap, fmt, str::FromStr};

use super::{
    Glob, Globs, Node, NodeValue, ParameterKind, Place, Placed, Wanted,
    decoder::{Errors, MapReader},
    shape::{Key, Shape, key},
};
use crate::units::UnitError;

/// Text: numbers and booleans keep their spelling.
pub(super) fn text(node: &Node, errors: &mut Errors) -> Option<String> {
    of_kind(node, ParameterKind::Text, "text", errors)?;
    node.scalar("text", errors).map(str::to_owned)
}

/// A whole number, not negative.
pub(super) fn integer<T: FromStr>(node: &Node, errors: &mut Errors) -> Option<T> {
    of_kind(node, ParameterKind::Integer, "a whole number", errors)?;
    let text = node.scalar("a whole number", errors)?;
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = plain.then(|| text.parse().ok()).flatten();
    if number.is_none() {
        errors.at(node, format!("expected a whole number, found `{text}`"));
    }
    number
}

/// `yes` or `no`, also `true` and `false`.
pub(super) fn boolean(node: &Node, errors: &mut Errors) -> Option<bool> {
    word(node, "value", &[("yes", true), ("no", false), ("true", true), ("false", false)], errors)
}

/// One of some words.
pub(super) fn word<T: Copy>(node: &Node, what: &str, words: &[(&str, T)], errors: &mut Errors) -> Option<T> {
    of_kind(node, ParameterKind::Text, what, errors)?;
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
    let text = node.scalar(&super::decoder::listed(&names), errors)?;
    let found = words.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    if found.is_none() {
        errors.unknown_word(node, what, text, &names);
    }
    found
}

/// A quantity of `crate::units`, which a parameter of type `kind` may stand for.
pub(super) fn unit<T: FromStr<Err = UnitError>>(
    node: &Node,
    kind: ParameterKind,
    expected: &str,
    errors: &mut Errors,
) -> Option<T> {
    of_kind(node, kind, expected, errors)?;
    let text = node.scalar(expected, errors)?;
    match text.parse() {
        Ok(value) => Some(value),
        Err(UnitError { expected, .. }) => {
            errors.at(node, format!("expected {expected}, found `{text}`"));
            None
        }
    }
}

/// `85%`, as a share of one.
pub(super) fn percent(node: &Node, errors: &mut Errors) -> Option<f64> {
    of_kind(node, ParameterKind::Text, "a share", errors)?;
    let text = node.scalar("a share such as 85%", errors)?;
    let number = text.strip_suffix('%').map(str::trim_end).and_then(|number| number.parse::<f64>().ok());
    let share = number.filter(|number| (0.0..=1000.0).contains(number)).map(|number| number / 100.0);
    if share.is_none() {
        errors.at(node, format!("expected a share such as 85%, found `{text}`"));
    }
    share
}

/// A glob.
pub(super) fn glob(node: &Node, errors: &mut Errors) -> Option<Glob> {
    let text = text(node, errors)?;
    match Glob::new(&text) {
        Ok(glob) => Some(glob),
        Err(reason) => {
            errors.at(node, format!("`{text}` is no glob: {reason}"));
            None
        }
    }
}

/// One glob or a list of them.
pub(super) fn globs(node: &Node, errors: &mut Errors) -> Option<Globs> {
    match &node.value {
        NodeValue::List(_) => list(node, "globs", errors, glob).map(each_alternative),
        NodeValue::Null | NodeValue::Scalar { .. } | NodeValue::Map(_) => {
            glob(node, errors).map(|glob| each_alternative(vec![glob]))
        }
    }
}

/// Every alternative of `{a,b}` on its own: a device that one of them names must not be missed for the others' sake.
fn each_alternative(globs: Vec<Glob>) -> Globs {
    let alternatives = globs.into_iter().flat_map(|glob| {
        let all: Result<Vec<Glob>, _> = Glob::alternatives(glob.as_str()).iter().map(|text| Glob::new(text)).collect();
        all.unwrap_or_else(|_| vec![glob])
    });
    Globs(alternatives.collect())
}

/// A list that is not empty, each item read by `read`. One wrong item does not hide the others' errors.
pub(super) fn list<T>(
    node: &Node,
    what: &str,
    errors: &mut Errors,
    read: impl Fn(&Node, &mut Errors) -> Option<T>,
) -> Option<Vec<T>> {
    let items = node.list(&format!("a list of {what}"), errors)?;
    if items.is_empty() {
        errors.at(node, format!("expected a list of {what}, found an empty one"));
        return None;
    }
    let read: Vec<Option<T>> = items.iter().map(|item| read(item, errors)).collect();
    read.into_iter().collect()
}

/// The same with the place of each item.
pub(super) fn placed_list<T>(
    node: &Node,
    what: &str,
    errors: &mut Errors,
    read: impl Fn(&Node, &mut Errors) -> Option<T>,
) -> Option<Vec<Placed<T>>> {
    list(node, what, errors, |item, errors| read(item, errors).map(|value| item.placed(value)))
}

/// A map from names of the spec's own to values; a name whose value is `~` counts as not there.
pub(super) fn map_of<T>(
    node: &Node,
    what: &str,
    errors: &mut Errors,
    read: impl Fn(&str, &Node, &mut Errors) -> Option<T>,
) -> Option<BTreeMap<String, Placed<T>>> {
    let NodeValue::Map(entries) = &node.value else {
        errors.at(node, format!("expected a map of {what}, found {}", node.kind()));
        return None;
    };
    let there: Vec<_> = entries.iter().filter(|(_, _, value)| value.value != NodeValue::Null).collect();
    if there.is_empty() {
        errors.at(node, format!("expected a map of {what}, found an empty one"));
        return None;
    }
    let read = |(name, _, value): &(String, Place, Node), errors: &mut Errors| {
        read(name, value, errors).map(|read| (name.clone(), value.placed(read)))
    };
    let read: Vec<Option<(String, Placed<T>)>> = there.into_iter().map(|entry| read(entry, errors)).collect();
    read.into_iter().collect()
}

/// A regular expression, which is the text of a node or a part of it.
pub(super) fn expression(node: &Node, text: &str, errors: &mut Errors) -> Option<regex::Regex> {
    if text.is_empty() {
        errors.at(node, "the expression is empty");
        return None;
    }
    match regex::Regex::new(text) {
        Ok(regex) => Some(regex),
        Err(error) => {
            errors.at(node, format!("`{text}` is no regular expression: {}", reason(&error)));
            None
        }
    }
}

/// The last line of the parser's message, which draws the expression above it.
fn reason(error: &regex::Error) -> String {
    let message = error.to_string();
    let line = message.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// Opens a map that has to say something.
pub(super) fn not_empty<'a>(
    node: &'a Node,
    what: &str,
    keys: &'static [Key],
    errors: &mut Errors,
) -> Option<MapReader<'a>> {
    let reader = MapReader::open(node, what, keys, errors)?;
    if reader.is_empty() {
        let names: Vec<&str> = keys.iter().map(|key| key.name).take(6).collect();
        let more = if keys.len() > 6 { ", ..." } else { "" };
        errors.at_with_help(node, format!("{what} is empty"), format!("its keys are {}{more}", names.join(", ")));
        return None;
    }
    Some(reader)
}

/// The keys of `{min, max}`.
pub(super) const RANGE: &[Key] =
    &[key("min", Shape::Text, "the least, included"), key("max", Shape::Text, "the most, included")];

/// A plain value is exact, a list means one of these, `{min, max}` is a range.
pub(super) fn wanted<T: PartialOrd + fmt::Display>(
    node: &Node,
    errors: &mut Errors,
    read: impl Fn(&Node, &mut Errors) -> Option<T>,
) -> Option<Wanted<T>> {
    match &node.value {
        NodeValue::List(_) => list(node, "values", errors, read).map(Wanted::OneOf),
        NodeValue::Map(_) => range(node, errors, read).map(|(min, max)| Wanted::Range { min, max }),
        NodeValue::Null | NodeValue::Scalar { .. } => read(node, errors).map(Wanted::Exact),
    }
}

/// A value or a list of values, for what has no order.
pub(super) fn one_or_several<T>(
    node: &Node,
    errors: &mut Errors,
    read: impl Fn(&Node, &mut Errors) -> Option<T>,
) -> Option<Wanted<T>> {
    match &node.value {
        NodeValue::List(_) => list(node, "values", errors, read).map(Wanted::OneOf),
        NodeValue::Null | NodeValue::Scalar { .. } | NodeValue::Map(_) => read(node, errors).map(Wanted::Exact),
    }
}

/// `{min, max}`: at least one of them, and the least is not above the most.
pub(super) fn range<T: PartialOrd + fmt::Display>(
    node: &Node,
    errors: &mut Errors,
    read: impl Fn(&Node, &mut Errors) -> Option<T>,
) -> Option<(Option<T>, Option<T>)> {
    let before = errors.0.len();
    let reader = MapReader::open(node, "a range", RANGE, errors)?;
    limits(&reader, before, errors, read)
}

/// `min` and `max` of a map that may have other keys; there were `before` errors when it was opened.
pub(super) fn limits<T: PartialOrd + fmt::Display>(
    reader: &MapReader<'_>,
    before: usize,
    errors: &mut Errors,
    read: impl Fn(&Node, &mut Errors) -> Option<T>,
) -> Option<(Option<T>, Option<T>)> {
    let (min, max) = (reader.read("min", errors, &read), reader.read("max", errors, &read));
    if errors.0.len() > before {
        return None;
    }
    match (&min, &max) {
        (None, None) => errors.at(reader.node(), "a range needs `min` or `max`"),
        (Some(low), Some(high)) if low > high => {
            errors.at(reader.node(), format!("the range is empty: {low} is above {high}"));
        }
        _ => return Some((min, max)),
    }
    None
}

/// A parameter of another type cannot stand here.
pub(super) fn of_kind(node: &Node, kind: ParameterKind, expected: &str, errors: &mut Errors) -> Option<()> {
    match &node.parameter {
        Some(parameter) if parameter.kind != kind => {
            let (name, found) = (&parameter.name, parameter.kind);
            errors.at_with_help(
                node,
                format!("expected {expected}, found the parameter `${name}` of type {found}"),
                format!("a parameter of type {kind} can stand here"),
            );
            None
        }
        _ => Some(()),
    }
}
