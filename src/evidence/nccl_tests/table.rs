//! The rows of an output: whole ones, ones put together from parts, ones without a header.

use super::{
    columns::{self, Columns},
    consistency,
    halves::Parts,
    headless::{self, Headless},
    notes::Notes,
    prefix::row_words,
    row, words,
};
use crate::evidence::Row;

/// More rows are not kept.
const MOST_ROWS: usize = 100_000;
/// A text with so many numbers under a header is a damaged row and no talk.
const NUMBERS_OF_A_ROW: usize = 4;

/// What the lines have said of tables so far.
pub(super) struct Table {
    columns: Option<Columns>,
    /// The line and text of the header row, while the next line can be its wrapped end.
    header: Option<(usize, String)>,
    /// Which places the line above the header names: out of place, in place.
    label: Option<(bool, bool)>,
    parts: Option<Parts>,
    rows: Vec<Row>,
    headless: Headless,
    /// Tables begun: headers, and rows without one.
    pub(super) begun: usize,
    /// Whether the last of them may go on.
    pub(super) open: bool,
    /// A single group of figures without a name.
    unnamed_place: bool,
    overflow: bool,
}

impl Table {
    pub(super) fn new() -> Self {
        Self {
            columns: None,
            header: None,
            label: None,
            parts: None,
            rows: Vec::new(),
            headless: Headless::new(),
            begun: 0,
            open: false,
            unnamed_place: false,
            overflow: false,
        }
    }

    /// The line above the header: `out-of-place   in-place`.
    pub(super) fn label(&mut self, comment: &str) {
        self.label = Some((comment.contains("out-of-place"), comment.contains("in-place")));
    }

    /// A header row.
    pub(super) fn header(&mut self, line: usize, text: &str, notes: &mut Notes) {
        self.drop_parts(notes);
        self.begun += 1;
        self.open = true;
        self.name_columns(line, text, notes);
        let whole = self.columns.as_ref().is_some_and(|columns| columns.places() == 2);
        self.header = (!whole).then(|| (line, text.to_owned()));
    }

    fn name_columns(&mut self, line: usize, text: &str, notes: &mut Notes) {
        match columns::parse(text) {
            Ok(mut columns) => {
                if columns.places() == 1 {
                    columns.first_in_place = self.label == Some((false, true));
                    self.unnamed_place |= self.label.is_none();
                }
                self.columns = Some(columns);
            }
            Err(why) => {
                self.columns = None;
                notes.damage(line, text, format!("no header row of a table: {why}"));
            }
        }
    }

    /// Whether a line is the wrapped end of the header row right above it; if so, it is taken.
    pub(super) fn header_goes_on(&mut self, line: usize, text: &str, notes: &mut Notes) -> bool {
        let Some((at, header)) = self.header.take().filter(|(at, _)| *at + 1 == line) else { return false };
        if words::looks_like_a_row(text) {
            return false;
        }
        let named = |text: &String| {
            columns::parse(text).is_ok_and(|all| all.places() == 2 && !all.columns.contains(&columns::Column::Other))
        };
        let mut parts = Parts::new(at, "", vec![header]);
        let texts = if parts.push(line, "", vec![text.to_owned()]) { parts.texts() } else { Vec::new() };
        let mut whole = texts.iter().filter(|text| named(text));
        let (Some(text), None) = (whole.next(), whole.next()) else { return false };
        notes.forget(at);
        self.name_columns(at, text, notes);
        true
    }

    /// A line that is no comment. Returns whether it says something of a table.
    pub(super) fn line(&mut self, line: usize, label: &str, text: &str, notes: &mut Notes) -> bool {
        let fields = row_words(text);
        let fit = self.columns.as_ref().map(|columns| row::fit(columns, &fields));
        if let Some(Ok(row)) = fit {
            // Where a row is cut in its size, what follows may look like a row of a smaller size.
            match self.goes_on_with(line, label, text) {
                Some(whole) if !consistency::holds_together(&row) => {
                    let line = self.parts.take().map_or(line, |parts| parts.line);
                    self.keep(line, whole);
                }
                whole => {
                    self.drop_parts(notes);
                    match whole {
                        Some(_) => notes.damage(line, text, "it is a row, and the end of one that is cut"),
                        None => self.keep(line, row),
                    }
                }
            }
            return true;
        }
        if !words::looks_like_a_row(&fields.join(" ")) {
            let damaged = self.open && words::numbers_in(text) >= NUMBERS_OF_A_ROW;
            if damaged {
                self.drop_parts(notes);
                notes.damage(line, text, "no row of the table above");
            }
            return damaged;
        }
        match fit {
            Some(Err(why)) => self.part_or_damage(line, label, text, why, notes),
            _ => self.without_header(line, text, &fields, notes),
        }
    }

    /// The beginning of a row that a log line has cut off, in every way that it can be read; the rest may follow. Returns
    /// whether it is of a table.
    pub(super) fn beginning(
        &mut self,
        line: usize,
        label: &str,
        text: &str,
        readings: Vec<String>,
        notes: &mut Notes,
    ) -> bool {
        let like_a_row = |text: &String| words::looks_like_a_row(&row_words(text).join(" "));
        if self.columns.is_none() || !readings.iter().any(like_a_row) {
            self.drop_parts(notes);
            let numbers = words::numbers_in(text);
            if numbers > 0 && (self.open || numbers >= NUMBERS_OF_A_ROW) {
                notes.damage(line, text, "a log line cuts it");
            }
            return false;
        }
        if !self.go_on(line, label, &readings, true, notes) {
            let parts = Parts::new(line, label, readings);
            match self.columns.as_ref().and_then(|columns| parts.row(columns)) {
                Some(row) => self.keep(line, row),
                None => self.parts = Some(parts),
            }
        }
        true
    }

    fn part_or_damage(&mut self, line: usize, label: &str, text: &str, why: &'static str, notes: &mut Notes) -> bool {
        // A row that is too long or holds what is no number is damaged; a short one may be a part.
        if self.go_on(line, label, &[text.to_owned()], false, notes) {
            return true;
        }
        let begins = row_words(text).first().is_some_and(|word| words::whole(word).is_some());
        let fields = row_words(text).len();
        let short = self.columns.as_ref().is_some_and(|columns| fields < columns.columns.len());
        if begins && short {
            self.parts = Some(Parts::new(line, label, vec![text.to_owned()]));
        } else {
            notes.damage(line, text, why);
        }
        true
    }

    /// Adds a part to the row that has begun, and keeps the row where it is whole with it. `false` where none has begun
    /// that the part belongs to; what had begun is then damage.
    fn go_on(&mut self, line: usize, label: &str, readings: &[String], cut_again: bool, notes: &mut Notes) -> bool {
        let Some(mut parts) = self.parts.take() else { return false };
        if !parts.push(line, label, readings.to_vec()) {
            self.parts = Some(parts);
            self.drop_parts(notes);
            return false;
        }
        match self.columns.as_ref().and_then(|columns| parts.row(columns)) {
            Some(row) => self.keep(parts.line, row),
            None if cut_again || self.may_go_on(&parts) => self.parts = Some(parts),
            None => {
                self.parts = Some(parts);
                self.drop_parts(notes);
            }
        }
        true
    }

    /// The row that has begun, where it is whole with a further part.
    fn goes_on_with(&self, line: usize, label: &str, text: &str) -> Option<Row> {
        let mut parts = self.parts.clone()?;
        parts.push(line, label, vec![text.to_owned()]).then(|| parts.row(self.columns.as_ref()?)).flatten()
    }

    /// Whether the parts so far are shorter than a row in every way to put them together.
    fn may_go_on(&self, parts: &Parts) -> bool {
        let columns = self.columns.as_ref().map_or(0, |columns| columns.columns.len());
        parts.texts().iter().all(|text| row_words(text).len() < columns)
    }

    fn without_header(&mut self, line: usize, text: &str, fields: &[&str], notes: &mut Notes) -> bool {
        if self.headless.len() < MOST_ROWS && self.headless.take(line, fields) {
            if !self.open {
                self.begun += 1;
                self.open = true;
            }
            return true;
        }
        if self.open || words::numbers_in(text) >= NUMBERS_OF_A_ROW {
            notes.damage(line, text, "without a header row it fits no known form of a row");
        }
        false
    }

    fn keep(&mut self, line: usize, row: Row) {
        if self.rows.len() < MOST_ROWS {
            self.rows.push(Row { line: u32::try_from(line).unwrap_or(u32::MAX), ..row });
        } else {
            self.overflow = true;
        }
    }

    /// What has begun does not go on: each of its parts is damage.
    pub(super) fn drop_parts(&mut self, notes: &mut Notes) {
        for (line, part) in self.parts.take().into_iter().flat_map(Parts::into_parts) {
            notes.damage(line, &part, "a row is cut, and its parts do not make one row");
        }
    }

    /// The footer ends a table: rows after it are not under its header.
    pub(super) fn end(&mut self, notes: &mut Notes) {
        self.drop_parts(notes);
        self.columns = None;
        self.label = None;
        self.open = false;
    }

    /// All rows in the order of the output, and what stands against them.
    pub(super) fn finish(mut self, notes: &mut Notes) -> (Vec<Row>, Vec<String>) {
        self.drop_parts(notes);
        let mut doubts = Vec::new();
        match self.headless.finish() {
            Ok(rows) if rows.is_empty() => {}
            Ok(rows) => {
                let numbered = |(line, row)| Row { line: u32::try_from(line).unwrap_or(u32::MAX), ..row };
                self.rows.extend(rows.into_iter().map(numbered));
                self.rows.sort_by_key(|row| row.line);
                doubts.push(headless::DOUBT.to_owned());
            }
            Err(unfit) => notes.damage(unfit.line, &unfit.text, unfit.why),
        }
        if self.begun > 1 {
            doubts.push(format!("there are {} tables in it", self.begun));
        }
        if self.unnamed_place {
            doubts.push("nothing says whether its figures are in place".to_owned());
        }
        if self.overflow {
            doubts.push(format!("it has more than {MOST_ROWS} rows"));
        }
        (self.rows, doubts)
    }
}
