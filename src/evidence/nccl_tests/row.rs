//! The fields of a row under the columns of its header. A row fits or gives nothing: no value moves to another column.

use super::{
    columns::{Column, Columns},
    words::{self, NOT_AVAILABLE},
};
use crate::evidence::{Figure, Row, Sample, Wrong};

const FIELDS: &str = "its fields do not fit the header";
const NO_NUMBER: &str = "a figure is no number";

/// Reads a row. Old outputs leave the reduction and the root empty where the operation has none, so both may be missing,
/// but one reading alone must fit.
pub(super) fn fit(columns: &Columns, fields: &[&str]) -> Result<Row, &'static str> {
    let width = |column: &Column| if *column == Column::Timestamp { 2 } else { 1 };
    let without = [&[][..], &[Column::Redop], &[Column::Root], &[Column::Redop, Column::Root]];
    let (mut found, mut reason) = (None, FIELDS);
    for empty in without {
        if !empty.iter().all(|column| columns.columns.contains(column)) {
            continue;
        }
        let kept: Vec<Column> = columns.columns.iter().copied().filter(|column| !empty.contains(column)).collect();
        if kept.iter().map(width).sum::<usize>() != fields.len() {
            continue;
        }
        match read(&kept, columns.first_in_place, fields) {
            Ok(row) if found.is_none() => found = Some(row),
            Ok(_) => return Err("its fields fit the header in two ways"),
            Err(why) => reason = why,
        }
    }
    found.ok_or(reason)
}

/// Reads a row that has every column.
pub(super) fn fit_exactly(columns: &Columns, fields: &[&str]) -> Result<Row, &'static str> {
    if columns.columns.len() != fields.len() {
        return Err(FIELDS);
    }
    read(&columns.columns, columns.first_in_place, fields)
}

fn read(columns: &[Column], first_in_place: bool, fields: &[&str]) -> Result<Row, &'static str> {
    let mut row = empty();
    let mut places = [Place::default(), Place::default()];
    let mut rest = fields.iter();
    for column in columns {
        let field = rest.next().ok_or(FIELDS)?;
        match *column {
            Column::Size => row.size = words::whole(field).ok_or(FIELDS)?,
            Column::Count => row.count = Some(words::whole(field).ok_or(FIELDS)?),
            Column::Type if words::is_type(field) => row.datatype = Some((*field).to_owned()),
            Column::Redop if words::is_reduction(field) => row.redop = Some((*field).to_owned()),
            Column::Type | Column::Redop => return Err(FIELDS),
            Column::Root => row.root = Some(words::root(field).ok_or(FIELDS)?),
            Column::Timestamp => {
                rest.next();
            }
            Column::Other => {}
            Column::Time(at) | Column::Algbw(at) | Column::Busbw(at) | Column::Wrong(at) | Column::Deviation(at) => {
                places.get_mut(at).ok_or(FIELDS)?.take(*column, field)?;
            }
        }
    }
    if !row.count.is_none_or(|count| count == 0 || (row.size > 0 && row.size.is_multiple_of(count))) {
        return Err("its size is no multiple of its count");
    }
    let [first, second] = places;
    let (first, second) = (first.sample()?, second.sample()?);
    (row.out_of_place, row.in_place) = if first_in_place { (second, first) } else { (first, second) };
    Ok(row)
}

fn empty() -> Row {
    Row {
        size: 0,
        count: None,
        datatype: None,
        redop: None,
        root: None,
        out_of_place: None,
        in_place: None,
        doubt: None,
        source: String::new(),
        line: 0,
    }
}

/// The figures of one place, as far as they are read; the inner `None` is N/A.
#[derive(Default)]
struct Place {
    time: Option<Option<Figure>>,
    algbw: Option<Option<Figure>>,
    busbw: Option<Option<Figure>>,
    wrong: Option<Wrong>,
}

impl Place {
    fn take(&mut self, column: Column, field: &str) -> Result<(), &'static str> {
        match column {
            Column::Time(_) => self.time = Some(figure(field)?),
            Column::Algbw(_) => self.algbw = Some(figure(field)?),
            Column::Busbw(_) => self.busbw = Some(figure(field)?),
            Column::Wrong(_) => self.wrong = Some(elements(field)?),
            _ => self.wrong = Some(deviation(field)?),
        }
        Ok(())
    }

    /// `None` where the place is not in the table, or N/A in all of its figures.
    fn sample(self) -> Result<Option<Sample>, &'static str> {
        let wrong = self.wrong.unwrap_or(Wrong::Unchecked);
        match (self.time.flatten(), self.algbw.flatten(), self.busbw.flatten()) {
            (Some(time), Some(algbw), Some(busbw)) => Ok(Some(Sample { time, algbw, busbw, wrong })),
            (None, None, None) if wrong == Wrong::Unchecked => Ok(None),
            _ => Err("some of its figures are N/A and some are not"),
        }
    }
}

fn figure(field: &str) -> Result<Option<Figure>, &'static str> {
    if field == NOT_AVAILABLE {
        return Ok(None);
    }
    Figure::printed(field).filter(|figure| figure.value >= 0.0 && !field.starts_with('-')).map(Some).ok_or(NO_NUMBER)
}

/// A count of wrong elements: an integer, or from a million up one like `1.5e+06`.
fn elements(field: &str) -> Result<Wrong, &'static str> {
    // rccl-tests marks what exceeds its threshold.
    let field = field.strip_suffix('*').unwrap_or(field);
    if field == NOT_AVAILABLE {
        return Ok(Wrong::Unchecked);
    }
    if let Some(count) = words::whole(field) {
        return Ok(Wrong::Elements(count));
    }
    let value = Figure::printed(field).map(|figure| figure.value).filter(|_| field.contains("e+"));
    let value =
        value.filter(|value| *value >= 0.0 && value.fract() == 0.0).ok_or("its count of wrong elements is no count")?;
    Ok(Wrong::Elements(value as u64))
}

fn deviation(field: &str) -> Result<Wrong, &'static str> {
    let field = field.strip_suffix('*').unwrap_or(field);
    match figure(field)? {
        None => Ok(Wrong::Unchecked),
        Some(figure) => Ok(Wrong::Deviation(figure.value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::nccl_tests::columns::parse;

    const NEW: &str = "size count type redop root time algbw busbw #wrong time algbw busbw #wrong";

    fn read_row(header: &str, row: &str) -> Result<Row, &'static str> {
        fit(&parse(header).unwrap(), &row.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn a_whole_row() {
        let row = read_row(NEW, "2048 512 float sum -1 12.50 0.16 0.31 0 1e+05 0.17 0.33 2").unwrap();
        assert_eq!((row.size, row.count, row.root), (2048, Some(512), Some(-1)));
        assert_eq!((row.datatype.as_deref(), row.redop.as_deref()), (Some("float"), Some("sum")));
        let (out, place) = (row.out_of_place.unwrap(), row.in_place.unwrap());
        assert_eq!((out.time.value, out.algbw.value, out.busbw.value), (12.5, 0.16, 0.31));
        assert_eq!((place.time.value, place.time.rounding), (100_000.0, 50_000.0));
        assert_eq!((out.wrong, place.wrong), (Wrong::Elements(0), Wrong::Elements(2)));
    }

    #[test]
    fn empty_columns_are_told_by_what_a_field_can_be() {
        let quads = "10 1 2 0 11 3 4 0";
        for (fields, redop, root) in [
            ("float none 0", Some("none"), Some(0)),
            ("float 3", None, Some(3)),
            ("float sum", Some("sum"), None),
            ("float", None, None),
        ] {
            let row = read_row(NEW, &format!("64 16 {fields} {quads}")).unwrap();
            assert_eq!((row.redop.as_deref(), row.root), (redop, root), "{fields}");
            assert_eq!(row.in_place.unwrap().busbw.value, 4.0, "{fields}");
        }
    }

    #[test]
    fn rows_that_miss_or_have_a_field_too_many_give_nothing() {
        for row in [
            "64 16 float sum -1 10 1 2 0 11 3 4",
            "64 16 float sum -1 10 1 2 0 11 3 4 0 0",
            "64 float sum -1 10 1 2 0 11 3 4 0",
            "64 16 sum -1 10 1 2 0 11 3 4 0",
            "64 16 float -1 10.5 1.5 2.5 0 11.5 3.5 4.5",
            "64 16 float 0 34.61 0.02 0.03 0 34.33 0.05 0.06",
            "64 16 float sum -1 nan 1 2 0 11 3 4 0",
            "64 16 float sum -1 10 inf 2 0 11 3 4 0",
            "64 16 float sum -1 10 N/A 2 0 11 3 4 0",
            "64 16 float sum -1 10 1 2 0.5 11 3 4 0",
            "4 16 float sum -1 10 1 2 0 11 3 4 0",
            "-64 16 float sum -1 10 1 2 0 11 3 4 0",
            "64 16 float sum -1 -10 1 2 0 11 3 4 0",
        ] {
            assert!(read_row(NEW, row).is_err(), "{row}");
        }
    }

    #[test]
    fn wrong_data_in_every_notation() {
        let wrong = |field: &str| {
            let row = read_row(NEW, &format!("64 16 float sum -1 10 1 2 {field} 11 3 4 0"));
            row.map(|row| row.out_of_place.unwrap().wrong)
        };
        assert_eq!(wrong("1.5e+06"), Ok(Wrong::Elements(1_500_000)));
        assert_eq!(wrong("17*"), Ok(Wrong::Elements(17)));
        assert_eq!(wrong("N/A"), Ok(Wrong::Unchecked));
        assert!(wrong("7e-07").is_err());
        let old = "size count type time algbw busbw error";
        let deviation = |field: &str| {
            read_row(old, &format!("64 16 float 10 1 2 {field}")).map(|row| row.out_of_place.unwrap().wrong)
        };
        assert_eq!(deviation("7e-07"), Ok(Wrong::Deviation(7e-7)));
        assert_eq!(deviation("3e-01*"), Ok(Wrong::Deviation(0.3)));
        assert_eq!(deviation("N/A"), Ok(Wrong::Unchecked));
        assert!(deviation("nan").is_err());
    }

    #[test]
    fn places_that_are_not_measured() {
        let row = read_row(NEW, "64 16 float sum -1 10 1 2 0 N/A N/A N/A N/A").unwrap();
        assert_eq!((row.out_of_place.is_some(), row.in_place), (true, None));
        let row = read_row(NEW, "64 16 float sum -1 10 1 2 0 11 3 4 N/A").unwrap();
        assert_eq!(row.in_place.unwrap().wrong, Wrong::Unchecked);
        let one =
            read_row("size count type redop root time algbw busbw #wrong", "64 16 float sum -1 10 1 2 0").unwrap();
        assert_eq!((one.out_of_place.is_some(), one.in_place), (true, None));
    }

    #[test]
    fn more_columns_are_passed_over_by_their_names() {
        let header = "size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% time algbw busbw #wrong i_min i_max i_p99 i_cv% timestamp";
        let row = read_row(header, "64 16 float sum -1 10 1 2 0 9 12 12 5.5 11 3 4 0 10 13 13 6.5 2026-01-02 03:04:05")
            .unwrap();
        assert_eq!((row.out_of_place.unwrap().busbw.value, row.in_place.unwrap().busbw.value), (2.0, 4.0));
    }
}
