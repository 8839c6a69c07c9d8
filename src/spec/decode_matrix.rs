//! Reads `matrix`: axes, what is dropped and added, and the overrides.

use std::collections::BTreeSet;

use super::{
    Axis, AxisKey, CellPattern, GpuSelection, Matrix, Node, NodeValue, Override, Pin, Place, Placed, SpecError, cells,
    collective,
    collective::Operation,
    decode_override,
    decoder::{Errors, MapReader},
    environment,
    error::nearest,
    pin, selection,
    shape::{Key, Shape, key, names},
};

/// A product of more cells than this is a slip of the pen.
const MOST: usize = 100_000;

const OPERATION: Shape = Shape::Any(&[Shape::Words(&names(&Operation::NAMES)), Shape::Null]);
const DATATYPE: Shape = Shape::Any(&[Shape::Words(collective::DATATYPES), Shape::Null]);
const PIN: Shape = Shape::Any(&[pin::SHAPE, Shape::Null]);
const GPUS: Shape = Shape::Any(&[selection::SHAPE, Shape::Null]);

/// A value of a cell.
const VALUE: Shape = Shape::Any(&[Shape::Text, Shape::Null, Shape::List(&Shape::Integer)]);

const VARIABLES: Shape = Shape::MapOf(&Shape::Distinct(&Shape::Any(&[Shape::Text, Shape::Null])));

/// The keys of a matrix.
pub(super) const KEYS: &[Key] = &[
    key("env", VARIABLES, "environment variables with the values that are crossed; ~ leaves a variable unset"),
    key("op", Shape::Distinct(&OPERATION), "operations, for a collective"),
    key("datatype", Shape::Distinct(&DATATYPE), "data types, for a collective"),
    key("pin", Shape::Distinct(&PIN), "pins"),
    key("gpus", Shape::Distinct(&GPUS), "selections of GPUs"),
    key("exclude", Shape::List(&Shape::MapOf(&VALUE)), "cells to drop: those that have every value given"),
    key("include", Shape::List(&Shape::MapOf(&VALUE)), "cells to add"),
    key("override", Shape::List(&Shape::Map(decode_override::KEYS)), "other expectations for some cells or machines"),
];

/// The axes that are fields of a test.
pub(super) const AXIS_FIELDS: [AxisKey; 4] = [AxisKey::Operation, AxisKey::Datatype, AxisKey::Pin, AxisKey::Gpus];

/// Those of them that only a collective has.
pub(super) const COLLECTIVE_AXES: &[&str] = &["op", "datatype"];

/// Reads a matrix and its overrides. `kind` is the key of the test's kind.
pub(super) fn decode(node: &Node, kind: &str, errors: &mut Errors) -> Option<(Matrix, Vec<Override>)> {
    let before = errors.0.len();
    let reader = MapReader::open(node, "a matrix", KEYS, errors)?;
    if reader.is_empty() {
        errors.at_with_help(node, "the matrix is empty", "it crosses env, op, datatype, pin or gpus");
        return None;
    }
    let mut matrix = Matrix { axes: axes(&reader, kind, errors), ..Matrix::default() };
    let counted = count(node, &matrix, errors);
    if let Some(entries) = reader.get("include") {
        let pattern = |node: &Node, errors: &mut Errors| included(node, kind, errors);
        matrix.include = patterns(entries, errors, pattern);
    }
    if let Some(entries) = reader.get("exclude") {
        let axes = &matrix.axes;
        let pattern = |node: &Node, errors: &mut Errors| excluded(node, axes, errors);
        matrix.exclude = patterns(entries, errors, pattern);
    }
    counted?;
    let complete = errors.0.len() == before;
    let cells = cells::cells(Some(&matrix));
    if complete && cells.is_empty() {
        errors.at(node, "the matrix leaves no cell");
    }
    // Where an axis or a cell is wrong, an override that names it would only repeat that.
    let known = complete.then_some(cells.as_slice());
    let overrides = reader.get("override").map(|node| decode_override::overrides(node, &matrix, known, kind, errors));
    (errors.0.len() == before).then(|| (matrix, overrides.unwrap_or_default()))
}

/// The axes in byte order of their names.
fn axes(reader: &MapReader<'_>, kind: &str, errors: &mut Errors) -> Vec<Axis> {
    let mut axes = Vec::new();
    for key in AXIS_FIELDS {
        let Some(node) = reader.get(key.name()) else { continue };
        if COLLECTIVE_AXES.contains(&key.name()) && kind != "collective" {
            errors.at(node, format!("`{key}` can only be crossed for a collective, and this test is a {kind}"));
        } else {
            axes.extend(axis(node, key, errors));
        }
    }
    if let Some(node) = reader.get("env") {
        variables(node, &mut axes, errors);
    }
    axes.sort_by(|a, b| a.key.name().cmp(b.key.name()));
    axes
}

fn variables(node: &Node, axes: &mut Vec<Axis>, errors: &mut Errors) {
    let NodeValue::Map(entries) = &node.value else {
        errors.at(node, format!("expected a map from variables to lists of values, found {}", node.kind()));
        return;
    };
    for (name, place, values) in entries {
        if AXIS_FIELDS.iter().any(|field| field.name() == name) {
            let message = format!("a variable named `{name}` cannot be told from the field `{name}` in a cell");
            errors.0.push(SpecError::new(place, name.chars().count(), message));
        } else if !environment::is_name(name) {
            errors.0.push(environment::wrong_name(name, place));
        } else if values.value != NodeValue::Null {
            axes.extend(axis(values, AxisKey::Environment(name.clone()), errors));
        }
    }
}

fn axis(node: &Node, key: AxisKey, errors: &mut Errors) -> Option<Axis> {
    let items = node.list(&format!("a list of values for `{key}`"), errors)?;
    if items.is_empty() {
        errors.at(node, format!("`{key}` has no value to cross"));
        return None;
    }
    let mut seen = BTreeSet::new();
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        let Some(value) = cell_value(item, &key, errors) else { continue };
        if !seen.insert(value.clone()) {
            let shown = value.as_deref().unwrap_or("~");
            errors.at(item, format!("`{shown}` is a value of `{key}` twice"));
        }
        values.push(value);
    }
    (values.len() == items.len()).then(|| Axis { key, values, place: node.place.clone() })
}

/// A value of a cell as cells show it; `~` is no text.
pub(super) fn cell_value(node: &Node, key: &AxisKey, errors: &mut Errors) -> Option<Option<String>> {
    if node.value == NodeValue::Null {
        return Some(None);
    }
    let text = match key {
        AxisKey::Environment(_) => environment::value(node, errors)?,
        AxisKey::Operation => collective::operation(node, errors)?.name().to_owned(),
        AxisKey::Datatype => collective::datatype(node, errors)?,
        AxisKey::Pin => Pin::decode(node, errors)?.to_string(),
        AxisKey::Gpus => gpus(node, errors)?,
    };
    Some(Some(text))
}

fn gpus(node: &Node, errors: &mut Errors) -> Option<String> {
    let gpus = GpuSelection::decode(node, errors)?;
    let text = gpus.to_string();
    if text.parse() != Ok(gpus) {
        errors.at(node, "one index cannot be told from a count in a cell");
        return None;
    }
    Some(text)
}

/// Counts the product before it is built.
fn count(node: &Node, matrix: &Matrix, errors: &mut Errors) -> Option<()> {
    let product = matrix.axes.iter().try_fold(1_u128, |product, axis| product.checked_mul(axis.values.len() as u128));
    match product {
        Some(product) if product <= MOST as u128 => return Some(()),
        Some(product) => errors.at(node, format!("the matrix has {product} cells, at most {MOST} can be crossed")),
        None => errors.at(node, format!("the matrix has more than {} cells, at most {MOST} can be crossed", u128::MAX)),
    }
    None
}

fn patterns(
    node: &Node,
    errors: &mut Errors,
    read: impl Fn(&Node, &mut Errors) -> Option<CellPattern>,
) -> Vec<Placed<CellPattern>> {
    let Some(items) = node.list("a list of cells", errors) else { return Vec::new() };
    items.iter().filter_map(|item| read(item, errors).map(|pattern| item.placed(pattern))).collect()
}

/// The entries of a cell; an empty one would be every cell.
fn entries<'a>(node: &'a Node, errors: &mut Errors) -> Option<&'a [(String, Place, Node)]> {
    match &node.value {
        NodeValue::Map(entries) if !entries.is_empty() => Some(entries),
        NodeValue::Map(_) => {
            errors.at(node, "a cell needs a key");
            None
        }
        NodeValue::Null | NodeValue::Scalar { .. } | NodeValue::List(_) => {
            errors.at(node, format!("expected a cell such as {{ NCCL_ALGO: Ring }}, found {}", node.kind()));
            None
        }
    }
}

fn excluded(node: &Node, axes: &[Axis], errors: &mut Errors) -> Option<CellPattern> {
    let before = errors.0.len();
    let mut pattern = CellPattern::new();
    for (name, place, value) in entries(node, errors)? {
        let Some(axis) = axes.iter().find(|axis| axis.key.name() == name) else {
            let names: Vec<&str> = axes.iter().map(|axis| axis.key.name()).collect();
            errors.0.push(unknown_axis(name, place, &names));
            continue;
        };
        let Some(text) = cell_value(value, &axis.key, errors) else { continue };
        if !axis.values.contains(&text) {
            let message = format!("no cell has {name}={}", text.as_deref().unwrap_or("~"));
            errors.at_with_help(value, message, values_of(axis, text.as_deref()));
        }
        pattern.insert(name.clone(), text);
    }
    (errors.0.len() == before).then_some(pattern)
}

/// The value of an axis that was meant, or all that it has.
pub(super) fn values_of(axis: &Axis, meant: Option<&str>) -> String {
    let known = || axis.values.iter().flatten().map(String::as_str);
    match meant.and_then(|meant| nearest(meant, known())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let shown: Vec<&str> = axis.values.iter().map(|value| value.as_deref().unwrap_or("~")).take(8).collect();
            let more = if axis.values.len() > shown.len() { ", ..." } else { "" };
            format!("its values are {}{more}", shown.join(", "))
        }
    }
}

/// The error of a key that no axis has.
pub(super) fn unknown_axis(name: &str, place: &Place, known: &[&str]) -> SpecError {
    let error = SpecError::new(place, name.chars().count(), format!("`{name}` is no axis of this matrix"));
    match nearest(name, known.iter().copied()) {
        Some(near) => error.with_help(format!("did you mean `{near}`?")),
        None if known.is_empty() => error,
        None => error.with_help(format!("there are {}", known.join(", "))),
    }
}

fn included(node: &Node, kind: &str, errors: &mut Errors) -> Option<CellPattern> {
    let before = errors.0.len();
    let mut pattern = CellPattern::new();
    for (name, place, value) in entries(node, errors)? {
        let key = match AXIS_FIELDS.iter().find(|field| field.name() == name) {
            Some(field) if COLLECTIVE_AXES.contains(&field.name()) && kind != "collective" => {
                let message = format!("`{field}` can only be set for a collective, and this test is a {kind}");
                errors.0.push(SpecError::new(place, name.chars().count(), message));
                continue;
            }
            Some(field) => field.clone(),
            None if environment::is_name(name) => AxisKey::Environment(name.clone()),
            None => {
                errors.0.push(environment::wrong_name(name, place));
                continue;
            }
        };
        if let Some(text) = cell_value(value, &key, errors) {
            pattern.insert(name.clone(), text);
        }
    }
    (errors.0.len() == before).then_some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::testing::{bad, flow, good};

    fn collective(node: &Node, errors: &mut Errors) -> Option<(Matrix, Vec<Override>)> {
        decode(node, "collective", errors)
    }

    #[test]
    fn axes_are_in_byte_order() {
        let node =
            flow("{ pin: [gpu-local, node:1], gpus: [2, \"4-5\"], op: [~, broadcast], env: { b: [1], Z: [~, 1.0] } }");
        let (matrix, _) = good(collective, &node);
        let shown: Vec<&str> = matrix.axes.iter().map(|axis| axis.key.name()).collect();
        assert_eq!(shown, ["Z", "b", "gpus", "op", "pin"]);
        assert_eq!(matrix.axes[0].values, [None, Some("1.0".into())]);
        assert_eq!(cells::cells(Some(&matrix)).len(), 16);
    }

    #[test]
    fn cells_are_dropped_and_added() {
        let node = flow("{ env: { A: [1, 2] }, exclude: [{ A: 2 }], include: [{ A: 3, B: x, pin: none }] }");
        let (matrix, _) = good(collective, &node);
        assert_eq!(cells::cells(Some(&matrix)).len(), 2);
    }

    #[test]
    fn the_product_is_counted_before_it_is_built() {
        let values: Vec<String> = (0..1000).map(|value| value.to_string()).collect();
        let axes: Vec<String> = (0..13).map(|axis| format!("A{axis}: [{}]", values.join(", "))).collect();
        let error = bad(collective, &flow(&format!("{{ env: {{ {} }} }}", axes[..3].join(", "))));
        assert_eq!(error, "the matrix has 1000000000 cells, at most 100000 can be crossed");
        let error = bad(collective, &flow(&format!("{{ env: {{ {} }} }}", axes.join(", "))));
        assert!(error.starts_with("the matrix has more than"), "{error}");
    }

    #[test]
    fn wrong_matrices_are_one_error_each() {
        for (text, message) in [
            ("{}", "the matrix is empty | it crosses env, op, datatype, pin or gpus"),
            ("{ env: { A: [1, ~, 1] } }", "`1` is a value of `A` twice"),
            ("{ env: { A: [~, ~] } }", "`~` is a value of `A` twice"),
            ("{ gpus: [\"4-5\", [4, 5]] }", "`4-5` is a value of `gpus` twice"),
            ("{ gpus: [[4]] }", "one index cannot be told from a count in a cell"),
            ("{ env: { A: [] } }", "`A` has no value to cross"),
            ("{ env: { A: 1 } }", "expected a list of values for `A`, found a plain value"),
            ("{ env: { pin: [a] } }", "a variable named `pin` cannot be told from the field `pin` in a cell"),
            ("{ env: { A: [1] }, exclude: [{ A: 1 }] }", "the matrix leaves no cell"),
            ("{ env: { A: [1, 2] }, exclude: [{ A: 3 }] }", "no cell has A=3 | its values are 1, 2"),
            (
                "{ env: { NCCL_ALGO: [Ring, Tree] }, exclude: [{ NCCL_ALG: Ring }] }",
                "`NCCL_ALG` is no axis of this matrix | did you mean `NCCL_ALGO`?",
            ),
            ("{ env: { A: [1] }, include: [{}] }", "a cell needs a key"),
            ("{ env: { A: [1] }, exclude: [A] }", "expected a cell such as { NCCL_ALGO: Ring }, found a plain value"),
        ] {
            assert_eq!(bad(collective, &flow(text)), message, "{text}");
        }
    }

    #[test]
    fn an_operation_is_crossed_for_a_collective_only() {
        let decode = |node: &Node, errors: &mut Errors| decode(node, "host", errors);
        let error = bad(decode, &flow("{ op: [reduce] }"));
        assert_eq!(error, "`op` can only be crossed for a collective, and this test is a host");
        let error = bad(decode, &flow("{ pin: [none], include: [{ datatype: half }] }"));
        assert_eq!(error, "`datatype` can only be set for a collective, and this test is a host");
    }
}
