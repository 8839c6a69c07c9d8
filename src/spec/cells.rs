//! The cells of a matrix.

use std::{collections::HashSet, fmt::Write as _, sync::Arc};

use super::{CellPattern, Matrix};

/// The keys and values of a cell, in byte order of the keys.
pub type Cell = Vec<(Arc<str>, Arc<str>)>;

/// Every cell: the product of the axes, the last axis fastest, without what is excluded, then what is included.
pub(crate) fn cells(matrix: Option<&Matrix>) -> Vec<Cell> {
    let Some(matrix) = matrix else { return vec![Vec::new()] };
    let mut cells = product(matrix);
    cells.retain(|cell| !matrix.exclude.iter().any(|pattern| matches(cell, pattern)));
    let mut seen: HashSet<Cell> = HashSet::new();
    if !matrix.include.is_empty() {
        seen.extend(cells.iter().cloned());
    }
    for pattern in &matrix.include {
        let cell = included(pattern);
        if seen.insert(cell.clone()) {
            cells.push(cell);
        }
    }
    cells
}

/// A cell as the name of its case shows it within the brackets: `KEY=VALUE,...`.
pub(crate) fn text(cell: &[(Arc<str>, Arc<str>)]) -> String {
    let mut text = String::new();
    for (at, (key, value)) in cell.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(key);
        text.push('=');
        escape(value, &mut text);
    }
    text
}

/// Writes a value with every byte outside `A-Za-z0-9._:^+-` as `%XX`.
fn escape(value: &str, into: &mut String) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"._:^+-".contains(&byte) {
            into.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(into, "%{byte:02X}");
        }
    }
}

/// Whether a cell has every value of a pattern; `~` in the pattern means that the cell lacks the key.
pub(crate) fn matches(cell: &Cell, pattern: &CellPattern) -> bool {
    pattern.iter().all(|(key, value)| {
        let found = cell.iter().find(|(name, _)| **name == **key).map(|(_, value)| &**value);
        found == value.as_deref()
    })
}

fn product(matrix: &Matrix) -> Vec<Cell> {
    if matrix.axes.is_empty() {
        // A matrix of nothing but `include` has just the cells that it lists.
        return if matrix.include.is_empty() { vec![Vec::new()] } else { Vec::new() };
    }
    let mut cells: Vec<Cell> = vec![Vec::new()];
    for axis in &matrix.axes {
        let key: Arc<str> = axis.key.name().into();
        let values: Vec<Option<Arc<str>>> = axis.values.iter().map(|value| value.as_deref().map(Arc::from)).collect();
        let mut wider = Vec::with_capacity(cells.len() * values.len());
        for cell in &cells {
            for value in &values {
                let mut longer = Vec::with_capacity(cell.len() + 1);
                longer.extend_from_slice(cell);
                longer.extend(value.iter().map(|value| (Arc::clone(&key), Arc::clone(value))));
                wider.push(longer);
            }
        }
        cells = wider;
    }
    cells
}

/// The cell that an `include` entry adds. A [`CellPattern`] is ordered by key, as a cell is.
fn included(pattern: &CellPattern) -> Cell {
    let given = pattern.iter().filter_map(|(key, value)| value.as_deref().map(|value| (key, value)));
    given.map(|(key, value)| (Arc::from(key.as_str()), Arc::from(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Axis, AxisKey, Place, Placed};

    #[test]
    fn other_bytes_are_written_as_hexadecimal() {
        let mut text = String::new();
        escape("^mlx5_0:1,eth0 ü", &mut text);
        assert_eq!(text, "^mlx5_0:1%2Ceth0%20%C3%BC");
    }

    fn place() -> Place {
        Place { file: "t.yaml".into(), line: 1, column: 1, text: "".into() }
    }

    fn axis(name: &str, values: &[Option<&str>]) -> Axis {
        let values = values.iter().map(|value| value.map(str::to_owned)).collect();
        Axis { key: AxisKey::Environment(name.into()), values, place: place() }
    }

    fn pattern(entries: &[(&str, Option<&str>)]) -> Placed<CellPattern> {
        let value = entries.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect();
        Placed { value, place: place() }
    }

    fn shown(matrix: &Matrix) -> Vec<String> {
        let show = |cell: &Cell| cell.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",");
        cells(Some(matrix)).iter().map(show).collect()
    }

    #[test]
    fn a_test_without_a_matrix_is_one_case() {
        assert_eq!(cells(None), vec![Vec::new()]);
    }

    #[test]
    fn a_tilde_is_left_out_of_the_cell() {
        let axes = vec![axis("NCCL_ALGO", &[None, Some("Ring")]), axis("NCCL_PROTO", &[None, Some("LL128")])];
        let matrix = Matrix { axes, ..Matrix::default() };
        assert_eq!(shown(&matrix), ["", "NCCL_PROTO=LL128", "NCCL_ALGO=Ring", "NCCL_ALGO=Ring,NCCL_PROTO=LL128"]);
    }

    #[test]
    fn exclude_drops_and_include_adds_once() {
        let matrix = Matrix {
            axes: vec![axis("A", &[None, Some("1"), Some("2")])],
            exclude: vec![pattern(&[("A", Some("2"))]), pattern(&[("A", None)])],
            include: vec![pattern(&[("A", Some("1"))]), pattern(&[("A", Some("9")), ("B", Some("x"))])],
        };
        assert_eq!(shown(&matrix), ["A=1", "A=9,B=x"]);
    }
}
