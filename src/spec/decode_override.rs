//! Reads `override`: for which cells and machines it holds, and what is merged over the test's `expect`.

use super::{
    Axis, AxisKey, CellPattern, MachineCondition, Matrix, Node, NodeValue, Override, SpecError,
    cells::{Cell, matches},
    decode_matrix::{AXIS_FIELDS, cell_value, unknown_axis, values_of},
    decode_test::EXPECTING,
    decoder::{Errors, MapReader},
    shape::{Key, Shape, required},
    values,
};
use crate::units::Version;

const FACTS: [&str; 3] = ["gpus", "nvls", "library"];

const VALUE: Shape = Shape::Any(&[Shape::Text, Shape::Null, Shape::Wanted(&Shape::Integer)]);

/// The keys of an override.
pub(super) const KEYS: &[Key] = &[
    required("when", Shape::MapOf(&VALUE), "values of the cell, and the facts gpus, nvls (on, off), library (>=2.27)"),
    required("expect", Shape::Anything, "what is merged over the test's `expect`; ~ removes a key"),
];

/// Reads every override. `cells` are the test's, where they are known.
pub(super) fn overrides(
    node: &Node,
    matrix: &Matrix,
    cells: Option<&[Cell]>,
    kind: &str,
    errors: &mut Errors,
) -> Vec<Override> {
    let Some(items) = node.list("a list of overrides", errors) else { return Vec::new() };
    items.iter().filter_map(|item| decode(item, matrix, cells, kind, errors)).collect()
}

fn decode(node: &Node, matrix: &Matrix, cells: Option<&[Cell]>, kind: &str, errors: &mut Errors) -> Option<Override> {
    let before = errors.0.len();
    let reader = MapReader::open(node, "an override", KEYS, errors)?;
    let when = reader.get("when").and_then(|when| conditions(when, matrix, cells.is_some(), errors));
    let expect = reader.get("expect")?;
    if !EXPECTING.contains(&kind) {
        errors.at(expect, format!("only a collective or a copy has `expect`, and this test is a {kind}"));
    } else if !matches!(expect.value, NodeValue::Map(_)) {
        errors.at(expect, format!("expected expectations, which are a map, found {}", expect.kind()));
    }
    let (cell, machine) = when?;
    if let Some(cells) = cells
        && errors.0.len() == before
        && !cells.iter().any(|known| matches(known, &cell))
    {
        errors.at_with_help(
            reader.get("when")?,
            "no cell of the matrix is meant by this override",
            shown(&cell, matrix),
        );
    }
    (errors.0.len() == before).then(|| Override { cell, machine, expect: expect.clone(), place: node.place.clone() })
}

fn shown(cell: &CellPattern, matrix: &Matrix) -> String {
    let show = |(key, value): (&String, &Option<String>)| format!("{key}={}", value.as_deref().unwrap_or("~"));
    let none = format!("no cell has {}", cell.iter().map(show).collect::<Vec<_>>().join(" and "));
    let wrong = |axis: &&Axis| cell.get(axis.key.name()).is_some_and(|value| !axis.values.contains(value));
    match matrix.axes.iter().find(wrong).filter(|_| matrix.include.is_empty()) {
        Some(axis) => {
            let meant = cell.get(axis.key.name()).and_then(Option::as_deref);
            format!("{none}; of {}, {}", axis.key.name(), values_of(axis, meant))
        }
        None => none,
    }
}

/// The keys of the cells: the axes, and what is added by `include`.
fn cell_keys(matrix: &Matrix) -> Vec<&str> {
    let axes = matrix.axes.iter().map(|axis| axis.key.name());
    let included = matrix.include.iter().flat_map(|cell| cell.keys().map(String::as_str));
    axes.chain(included).collect()
}

fn axis_key(name: &str) -> AxisKey {
    let field = AXIS_FIELDS.iter().find(|field| field.name() == name);
    field.cloned().unwrap_or_else(|| AxisKey::Environment(name.to_owned()))
}

/// `complete` says that the axes are all known, so that another key is an error.
fn conditions(
    node: &Node,
    matrix: &Matrix,
    complete: bool,
    errors: &mut Errors,
) -> Option<(CellPattern, MachineCondition)> {
    let before = errors.0.len();
    let NodeValue::Map(entries) = &node.value else {
        errors.at(node, format!("expected conditions such as {{ NCCL_ALGO: Ring }}, found {}", node.kind()));
        return None;
    };
    if entries.is_empty() {
        errors.at_with_help(node, "`when` is empty", "what holds for every cell belongs into the test's `expect`");
    }
    let known = cell_keys(matrix);
    let (mut cell, mut machine) = (CellPattern::new(), MachineCondition::default());
    for (name, place, value) in entries {
        if known.contains(&name.as_str()) {
            cell_value(value, &axis_key(name), errors).map(|value| cell.insert(name.clone(), value));
        } else if FACTS.contains(&name.as_str()) {
            fact(name, value, &mut machine, errors);
        } else if complete {
            errors.0.push(unknown_condition(name, place, &known));
        }
    }
    (errors.0.len() == before).then_some((cell, machine))
}

fn unknown_condition(name: &str, place: &super::Place, known: &[&str]) -> SpecError {
    let words: Vec<&str> = known.iter().chain(&FACTS).copied().collect();
    let error = unknown_axis(name, place, &words);
    SpecError { message: format!("`{name}` is neither an axis of this matrix nor a fact"), ..error }
}

fn fact(name: &str, node: &Node, machine: &mut MachineCondition, errors: &mut Errors) {
    match name {
        "gpus" => machine.gpus = values::wanted(node, errors, values::integer::<u32>),
        "nvls" => machine.nvls = values::word(node, "value", &[("on", true), ("off", false)], errors),
        _ => machine.library = library(node, errors),
    }
}

/// `>=2.27`, `<=2.27`, `==2.27`.
fn library(node: &Node, errors: &mut Errors) -> Option<(Option<Version>, Option<Version>)> {
    let expected = "a condition on the library's version such as >=2.27";
    let text = node.scalar(expected, errors)?;
    let range = text.split_at_checked(2).and_then(|(operator, version)| {
        let version: Version = version.parse().ok()?;
        match operator {
            ">=" => Some((Some(version), None)),
            "<=" => Some((None, Some(version))),
            "==" => Some((Some(version.clone()), Some(version))),
            _ => None,
        }
    });
    if range.is_none() {
        errors.at_with_help(node, format!("expected {expected}, found `{text}`"), "the operators are >=, <= and ==");
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{
        Wanted, decode_matrix,
        testing::{bad, flow, good},
    };

    const AXES: &str = "env: { A: [~, x, y], B: [~, z] }, exclude: [{ A: y, B: z }]";

    fn read(over: &str, kind: &'static str) -> (Node, impl Fn(&Node, &mut Errors) -> Option<Vec<Override>>) {
        let node = flow(&format!("{{ {AXES}, override: [{over}] }}"));
        (node, move |node: &Node, errors: &mut Errors| {
            decode_matrix::decode(node, kind, errors).map(|(_, overrides)| overrides)
        })
    }

    #[test]
    fn cells_and_facts_are_told_apart() {
        let over = "{ when: { A: x, B: ~, gpus: { min: 8 }, nvls: on, library: \">=2.27\" }, expect: { wrong: 0 } }";
        let (node, decode) = read(over, "collective");
        let overrides = good(decode, &node);
        let [entry] = &overrides[..] else { panic!("one entry") };
        assert_eq!(entry.cell, CellPattern::from([("A".into(), Some("x".into())), ("B".into(), None)]));
        assert_eq!(entry.machine.gpus, Some(Wanted::Range { min: Some(8), max: None }));
        assert_eq!((entry.machine.nvls, entry.machine.is_empty()), (Some(true), false));
        assert_eq!(entry.machine.library, Some((Some(Version("2.27".into())), None)));
    }

    #[test]
    fn gpus_is_the_cell_where_it_is_an_axis() {
        let node = flow("{ gpus: [4, 8], override: [{ when: { gpus: 4 }, expect: {} }] }");
        let (_, overrides) = good(|node, errors| decode_matrix::decode(node, "collective", errors), &node);
        assert_eq!(overrides[0].cell, CellPattern::from([("gpus".into(), Some("4".into()))]));
        assert!(overrides[0].machine.is_empty());
    }

    #[test]
    fn wrong_overrides_are_one_error_each() {
        for (over, message) in [
            (
                "{ when: { A: q }, expect: {} }",
                "no cell of the matrix is meant by this override | no cell has A=q; of A, its values are ~, x, y",
            ),
            (
                "{ when: { A: y, B: z }, expect: {} }",
                "no cell of the matrix is meant by this override | no cell has A=y and B=z",
            ),
            (
                "{ when: { librari: x }, expect: {} }",
                "`librari` is neither an axis of this matrix nor a fact | did you mean `library`?",
            ),
            (
                "{ when: { library: 2.27 }, expect: {} }",
                "expected a condition on the library's version such as >=2.27, found `2.27` | the operators are >=, <= and ==",
            ),
            ("{ when: { A: x }, expect: 3 }", "expected expectations, which are a map, found a plain value"),
            (
                "{ when: {}, expect: {} }",
                "`when` is empty | what holds for every cell belongs into the test's `expect`",
            ),
        ] {
            let (node, decode) = read(over, "collective");
            assert_eq!(bad(decode, &node), message, "{over}");
        }
        let (node, decode) = read("{ when: { A: x }, expect: {} }", "host");
        assert_eq!(bad(decode, &node), "only a collective or a copy has `expect`, and this test is a host");
    }
}
