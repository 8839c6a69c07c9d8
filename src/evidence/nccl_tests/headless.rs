//! Rows whose header was cut away. They are read where all of them fit the same one of the known forms, and busbw/algbw is
//! constant over them.

use super::{
    columns::{self, Columns},
    consistency, row,
};
use crate::evidence::Row;

/// What stands before the figures, and what the last of the figures is, of each form that nccl-tests has printed. Where
/// rows fit both last columns, their numbers are counts: a deviation is always printed with an exponent.
const FORMS: [(&str, &str); 8] = [
    ("size count type redop root", "#wrong"),
    ("size count type redop root", "error"),
    ("size count type redop", "#wrong"),
    ("size count type redop", "error"),
    ("size count type root", "#wrong"),
    ("size count type root", "error"),
    ("size count type", "#wrong"),
    ("size count type", "error"),
];
/// Why such rows never pass a case.
pub(super) const DOUBT: &str = "the header row of the table is missing";

/// Why rows without a header cannot be read, and the line that shows it.
pub(super) struct Unfit {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) why: &'static str,
}

/// Rows without a header.
pub(super) struct Headless {
    forms: Vec<Columns>,
    /// Lines and their fields, each of some form.
    lines: Vec<(usize, String)>,
}

impl Headless {
    pub(super) fn new() -> Self {
        let form = |(before, last): &(&str, &str)| {
            let place = format!("time algbw busbw {last}");
            columns::parse(&format!("{before} {place} {place}")).ok()
        };
        Self { forms: FORMS.iter().filter_map(form).collect(), lines: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Takes the fields of a row; `false` where they fit no form.
    pub(super) fn take(&mut self, line: usize, fields: &[&str]) -> bool {
        let fits = self.forms.iter().any(|form| row::fit_exactly(form, fields).is_ok());
        if fits {
            self.lines.push((line, fields.join(" ")));
        }
        fits
    }

    /// The rows and their lines.
    pub(super) fn finish(self) -> Result<Vec<(usize, Row)>, Unfit> {
        let Some(first) = self.lines.first().cloned() else { return Ok(Vec::new()) };
        let read = |form: &Columns| -> Option<Vec<(usize, Row)>> {
            let row = |(line, text): &(usize, String)| {
                let fields: Vec<&str> = text.split(' ').collect();
                Some((*line, row::fit_exactly(form, &fields).ok()?))
            };
            self.lines.iter().map(row).collect()
        };
        let Some(rows) = self.forms.iter().find_map(read) else {
            return Err(Unfit { line: first.0, text: first.1, why: "rows without a header are of different forms" });
        };
        let mut ratio = None;
        for ((line, row), (_, text)) in rows.iter().zip(&self.lines) {
            match consistency::ratio(row, ratio) {
                Ok(known) if consistency::holds_together(row) => ratio = known,
                _ => {
                    let why = "the figures of rows without a header do not fit each other";
                    return Err(Unfit { line: *line, text: text.clone(), why });
                }
            }
        }
        if ratio.is_none() {
            return Err(Unfit {
                line: first.0,
                text: first.1,
                why: "nothing shows what the figures of rows without a header are",
            });
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Wrong;

    /// Takes every line and says which rows come of them.
    fn rows(lines: &[&str]) -> Result<Vec<Row>, &'static str> {
        let mut headless = Headless::new();
        for (at, line) in lines.iter().enumerate() {
            let fields: Vec<&str> = line.split_whitespace().collect();
            assert!(headless.take(at + 1, &fields), "{line}");
        }
        let rows = headless.finish().map_err(|unfit| unfit.why)?;
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    // 1000000 bytes in 100 us are 10 GB/s, and busbw is 1.75 of algbw for 8 ranks.
    const SUM: &str = "1000000 250000 float sum -1 100.0 10.00 17.50 0 200.0 5.00 8.75 0";

    #[test]
    fn every_known_form_is_read() {
        for (before, redop, root) in
            [("sum -1", Some("sum"), Some(-1)), ("sum", Some("sum"), None), ("0", None, Some(0)), ("", None, None)]
        {
            for (last, wrong) in
                [("0", Wrong::Elements(0)), ("7e-07", Wrong::Deviation(7e-7)), ("N/A", Wrong::Unchecked)]
            {
                let line = format!("1000000 250000 float {before} 100.0 10.00 17.50 {last} 200.0 5.00 8.75 {last}");
                let row = rows(&[&line]).unwrap().remove(0);
                assert_eq!((row.size, row.redop.as_deref(), row.root), (1_000_000, redop, root), "{line}");
                assert_eq!(row.in_place.map(|place| (place.busbw.value, place.wrong)), Some((8.75, wrong)), "{line}");
            }
        }
    }

    #[test]
    fn rows_must_be_of_one_form_and_one_ratio() {
        let other_form = "2000000 500000 float sum 200.0 10.00 17.50 0 400.0 5.00 8.75 0";
        assert_eq!(rows(&[SUM, other_form]), Err("rows without a header are of different forms"));
        let other_ratio = "2000000 500000 float sum -1 200.0 10.00 10.00 0 400.0 5.00 5.00 0";
        assert_eq!(rows(&[SUM, other_ratio]), Err("the figures of rows without a header do not fit each other"));
        let zero = "8 2 float sum -1 10.0 0.00 0.00 0 10.0 0.00 0.00 0";
        assert!(rows(&[zero]).is_err());
        assert_eq!(rows(&[zero, SUM]).map(|rows| rows.len()), Ok(2));
        assert_eq!(rows(&[]), Ok(Vec::new()));
    }

    #[test]
    fn the_tail_of_a_row_fits_no_form() {
        let mut headless = Headless::new();
        let fields: Vec<&str> = SUM.split(' ').collect();
        for cut in 1..fields.len() {
            assert!(!headless.take(1, &fields[cut..]), "{cut}");
            assert!(!headless.take(1, &fields[..cut]), "{cut}");
        }
    }
}
