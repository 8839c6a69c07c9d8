//! The header row: which field stands where.

/// What stands in a column. The number is the place: 0 for the first group of figures, 1 for the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Size,
    Count,
    Type,
    Redop,
    Root,
    Time(usize),
    Algbw(usize),
    Busbw(usize),
    /// Wrong elements.
    Wrong(usize),
    /// The largest deviation, in old outputs.
    Deviation(usize),
    /// The time of day: two words.
    Timestamp,
    /// Another column that the header names.
    Other,
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// In order.
    pub(super) columns: Vec<Column>,
    /// Whether the first group of figures is the one in place.
    pub(super) first_in_place: bool,
}

impl Columns {
    /// The number of groups of figures.
    pub(super) fn places(&self) -> usize {
        self.columns.iter().filter(|column| matches!(column, Column::Time(_))).count()
    }
}

/// Whether a text is meant as a header row, whole or damaged.
pub(super) fn is_header(text: &str) -> bool {
    let words: Vec<&str> = text.trim_start_matches(['#', ' ', '\t']).split_whitespace().collect();
    let named = |name: &str| words.contains(&name);
    (words.first() == Some(&"size") && named("count"))
        || (named("algbw") && named("busbw"))
        || (named("time") && named("#wrong"))
}

/// The columns that a header row names, or what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Columns, &'static str> {
    let text = text.trim_start_matches(['#', ' ', '\t']);
    // A header that the next line is glued to ends where the units begin.
    let names = text.split_whitespace().take_while(|name| *name != "#" && !name.starts_with('('));
    let (mut columns, mut places) = (Vec::new(), 0);
    for name in names {
        let column = column(name, &mut places).ok_or("a figure stands before its `time`")?;
        if column != Column::Other && columns.contains(&column) {
            return Err("it names a column twice");
        }
        columns.push(column);
    }
    if columns.first() != Some(&Column::Size) {
        return Err("it does not begin with `size`");
    }
    let whole =
        |place| [Column::Time(place), Column::Algbw(place), Column::Busbw(place)].iter().all(|of| columns.contains(of));
    match places {
        1 | 2 if (0..places).all(whole) => Ok(Columns { columns, first_in_place: false }),
        1 | 2 => Err("it lacks one of `time`, `algbw` and `busbw`"),
        0 => Err("it lacks `time`"),
        _ => Err("it names more than two places"),
    }
}

fn column(name: &str, places: &mut usize) -> Option<Column> {
    let place = places.checked_sub(1);
    Some(match name {
        "size" => Column::Size,
        "count" => Column::Count,
        "type" => Column::Type,
        "redop" => Column::Redop,
        "root" => Column::Root,
        "timestamp" => Column::Timestamp,
        "time" | "cputime" => {
            *places += 1;
            Column::Time(*places - 1)
        }
        "algbw" => Column::Algbw(place?),
        "busbw" => Column::Busbw(place?),
        "#wrong" | "wrong" => Column::Wrong(place?),
        "error" => Column::Deviation(place?),
        _ => Column::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Column::{Algbw, Busbw, Count, Deviation, Other, Redop, Root, Size, Time, Timestamp, Type, Wrong};

    fn columns(text: &str) -> Vec<Column> {
        parse(text).unwrap().columns
    }

    #[test]
    fn every_generation_names_its_columns() {
        let two = "time algbw busbw #wrong time algbw busbw #wrong";
        let quads = [Time(0), Algbw(0), Busbw(0), Wrong(0), Time(1), Algbw(1), Busbw(1), Wrong(1)];
        let new = columns(&format!("#   size  count  type  redop  root  {two}"));
        assert_eq!(new, [&[Size, Count, Type, Redop, Root][..], &quads].concat());
        assert_eq!(columns(&format!("  size count type {two}")), [&[Size, Count, Type][..], &quads].concat());
        let old = columns("# size count type root time algbw busbw error");
        assert_eq!(old, [Size, Count, Type, Root, Time(0), Algbw(0), Busbw(0), Deviation(0)]);
        let more = columns("# size count cputime algbw busbw #wrong i_min i_cv% timestamp");
        assert_eq!(more, [Size, Count, Time(0), Algbw(0), Busbw(0), Wrong(0), Other, Other, Timestamp]);
    }

    #[test]
    fn damaged_headers_name_nothing() {
        for text in [
            "# size count type redop root",
            "# size count type redop root time algbw busbw #wrong time alg",
            "# count type time algbw busbw",
            "# size count algbw busbw time",
            "# size time algbw busbw busbw",
            "# size time algbw busbw time algbw busbw time algbw busbw",
        ] {
            assert!(parse(text).is_err(), "{text}");
            assert!(is_header(text) || !text.contains("busbw"), "{text}");
        }
    }

    #[test]
    fn the_units_are_no_columns() {
        assert_eq!(columns("# size time algbw busbw # (B) (us)"), [Size, Time(0), Algbw(0), Busbw(0)]);
        assert!(!is_header("#        (B)    (elements)        (us)  (GB/s)  (GB/s)"));
        assert!(!is_header("# Avg bus bandwidth    : 1"));
    }
}
