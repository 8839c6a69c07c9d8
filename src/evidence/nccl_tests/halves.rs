//! Rows that a log line or the edge of a terminal has cut into parts.

use super::{columns::Columns, consistency, prefix::row_words, row};
use crate::evidence::Row;

/// More parts than this are not put together.
const MOST_PARTS: usize = 4;
/// More ways to put them together are not tried.
const MOST_WAYS: usize = 1000;
/// No row is longer, in bytes.
const LONGEST: usize = 1000;

/// The parts of a row that are there so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parts {
    /// The line of the first part.
    pub(super) line: usize,
    /// The launcher's label, which all parts carry.
    label: String,
    /// The lines, and what each can hold of the row: one text, or several where a log line's host is glued to it.
    parts: Vec<(usize, Vec<String>)>,
}

impl Parts {
    pub(super) fn new(line: usize, label: &str, readings: Vec<String>) -> Self {
        Self { line, label: label.to_owned(), parts: vec![(line, readings)] }
    }

    /// Takes a further part; `false` where it does not belong to the row.
    pub(super) fn push(&mut self, line: usize, label: &str, readings: Vec<String>) -> bool {
        let length = |readings: &[String]| readings.iter().map(String::len).max().unwrap_or(0);
        let whole: usize = self.parts.iter().map(|(_, readings)| length(readings)).sum();
        let belongs = self.label == label && self.parts.len() < MOST_PARTS && whole + length(&readings) <= LONGEST;
        if belongs {
            self.parts.push((line, readings));
        }
        belongs
    }

    /// The row, where there is one way alone to put the parts together that fits the header, and its figures belong
    /// together: parts of two rows do not make one.
    pub(super) fn row(&self, columns: &Columns) -> Option<Row> {
        let mut rows = self.texts().into_iter().filter_map(|text| row::fit(columns, &row_words(&text)).ok());
        let row = rows.next()?;
        (rows.all(|other| other == row) && consistency::holds_together(&row)).then_some(row)
    }

    /// The parts put together, each in two ways where no blank stands at their edges: a number may be cut, or two
    /// numbers parted with the blanks gone. None where there are too many ways.
    pub(super) fn texts(&self) -> Vec<String> {
        let mut texts = vec![String::new()];
        for (_, readings) in &self.parts {
            let with = |text: &String| -> Vec<String> { readings.iter().flat_map(|part| joined(text, part)).collect() };
            texts = texts.iter().flat_map(with).collect();
            if texts.len() > MOST_WAYS {
                return Vec::new();
            }
        }
        texts
    }

    /// The parts as they stand, each with its line.
    pub(super) fn into_parts(self) -> impl Iterator<Item = (usize, String)> {
        self.parts.into_iter().filter_map(|(line, mut readings)| readings.pop().map(|text| (line, text)))
    }
}

fn joined(text: &str, part: &str) -> Vec<String> {
    let parted = text.is_empty() || text.ends_with([' ', '\t']) || part.is_empty() || part.starts_with([' ', '\t']);
    let glued = format!("{text}{part}");
    if parted { vec![glued] } else { vec![glued, format!("{text} {part}")] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::nccl_tests::columns::parse;

    const ROW: &str = "  1000000   250000   float  sum  -1  100.0  10.00  17.50  0  200.0  5.00  8.75  0";

    fn joined(parts: &[&str]) -> Option<Row> {
        let columns = parse("size count type redop root time algbw busbw #wrong time algbw busbw #wrong").unwrap();
        let mut all = Parts::new(1, "", vec![parts[0].to_owned()]);
        for part in &parts[1..] {
            assert!(all.push(2, "", vec![(*part).to_owned()]));
        }
        all.row(&columns)
    }

    #[test]
    fn a_row_cut_anywhere_is_put_together() {
        let whole = joined(&[ROW]).unwrap();
        assert_eq!(whole.out_of_place.map(|place| place.busbw.value), Some(17.5));
        for at in 1..ROW.len() {
            let (first, second) = ROW.split_at(at);
            assert_eq!(joined(&[first, second]), Some(whole.clone()), "{first:?} {second:?}");
            assert_eq!(joined(&[first.trim_end(), second.trim_start()]), Some(whole.clone()), "{first:?} {second:?}");
        }
        assert_eq!(joined(&[&ROW[..10], &ROW[10..30], &ROW[30..]]), Some(whole));
    }

    #[test]
    fn halves_of_two_rows_are_not() {
        let other = "  2000000   500000   float  sum  -1  200.0  10.00  17.50  0  500.0  4.00  7.00  0";
        for at in 1..ROW.len() {
            let (first, second) = (&ROW[..at], &other[at..]);
            if let Some(row) = joined(&[first, second]) {
                let figures = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                let text = format!("{first}{second}");
                assert!(
                    figures(&text) == figures(ROW) || figures(&text) == figures(other) || row.size == 2_000_000,
                    "{text}"
                );
            }
        }
        assert_eq!(
            joined(&["  1000000   250000   float  sum  -1  100.0", "  20.00  35.00  0  200.0  5.00  8.75  0"]),
            None
        );
        assert_eq!(joined(&["  1000000   250000", "  float  sum  -1  100.0  10.00  17.50  0"]), None);
    }

    #[test]
    fn parts_carry_one_label() {
        let text = |text: &str| vec![text.to_owned()];
        let mut parts = Parts::new(3, "0:", text("  8  2  float"));
        assert!(!parts.push(4, "1:", text("  sum  -1")));
        assert!(parts.push(5, "0:", text("  sum  -1")));
        assert_eq!(parts.line, 3);
        assert_eq!(parts.into_parts().map(|(line, _)| line).collect::<Vec<_>>(), [3, 5]);
    }
}
