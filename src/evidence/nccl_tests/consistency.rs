//! Whether the figures of a row belong together, within print rounding. Asked where a row is put together from parts, or
//! where no header says what its fields are.

use crate::evidence::{Figure, Row, Sample};

/// The least and the most that a value can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    from: f64,
    to: f64,
}

impl Range {
    fn meets(self, other: Self) -> Option<Self> {
        let both = Self { from: self.from.max(other.from), to: self.to.min(other.to) };
        (both.from <= both.to).then_some(both)
    }
}

/// Whether algbw is size over time in both places, and busbw/algbw is the same in both.
pub(super) fn holds_together(row: &Row) -> bool {
    samples(row).all(|sample| algbw_is_size_over_time(row.size, sample)) && ratio(row, None).is_ok()
}

/// What busbw/algbw can be in a row and in the rows before it; `Err` where no value fits all of them.
pub(super) fn ratio(row: &Row, before: Option<Range>) -> Result<Option<Range>, ()> {
    let mut known = before;
    for range in samples(row).filter_map(ratio_of) {
        known = Some(match known {
            Some(known) => known.meets(range).ok_or(())?,
            None => range,
        });
    }
    Ok(known)
}

fn samples(row: &Row) -> impl Iterator<Item = &Sample> {
    row.out_of_place.iter().chain(&row.in_place)
}

/// `None` where algbw is printed as zero: any ratio fits.
fn ratio_of(sample: &Sample) -> Option<Range> {
    let (algbw, busbw) = (wide(sample.algbw), wide(sample.busbw));
    (algbw.from > 0.0).then(|| Range { from: busbw.from / algbw.to, to: busbw.to / algbw.from })
}

fn algbw_is_size_over_time(size: u64, sample: &Sample) -> bool {
    let time = wide(sample.time);
    // Bytes per microsecond are MB/s of 10^6 bytes; algbw is in GB/s.
    let size = size as f64 / 1000.0;
    let most = if time.from > 0.0 { size / time.from } else { f64::INFINITY };
    Range { from: size / time.to, to: most }.meets(wide(sample.algbw)).is_some()
}

/// The range of a figure, a hair wider: the exact half is within it.
fn wide(figure: Figure) -> Range {
    let (from, to) = figure.range();
    let hair = figure.rounding * 1e-6;
    Range { from: from - hair, to: to + hair }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::nccl_tests::{columns::parse, row::fit};

    fn row(text: &str) -> Row {
        let columns = parse("size count type redop root time algbw busbw #wrong time algbw busbw #wrong").unwrap();
        fit(&columns, &text.split_whitespace().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn figures_of_one_row_hold_together() {
        // 1000000 bytes in 100 us are 10 GB/s.
        assert!(holds_together(&row("1000000 250000 float sum -1 100.0 10.00 17.50 0 200.0 5.00 8.75 0")));
        assert!(holds_together(&row("8 2 float sum -1 12.5 0.00 0.00 0 11.5 0.00 0.00 0")));
        assert!(holds_together(&row("0 0 float sum -1 0 0 0 0 N/A N/A N/A N/A")));
    }

    #[test]
    fn figures_of_two_rows_do_not() {
        assert!(!holds_together(&row("1000000 250000 float sum -1 100.0 10.00 17.50 0 200.0 10.00 17.50 0")));
        assert!(!holds_together(&row("1000000 250000 float sum -1 100.0 10.00 17.50 0 200.0 5.00 8.80 0")));
        assert!(!holds_together(&row("2000000 250000 float sum -1 100.0 10.00 17.50 0 200.0 5.00 8.75 0")));
    }

    #[test]
    fn the_ratio_is_narrowed_row_by_row() {
        let known = ratio(&row("8 2 float sum -1 12.5 0.00 0.00 0 11.5 0.00 0.00 0"), None).unwrap();
        assert_eq!(known, None);
        let known = ratio(&row("1000000 250000 float sum -1 100.0 10.00 17.50 0 200.0 5.00 8.75 0"), known).unwrap();
        assert!(known.is_some());
        assert_eq!(ratio(&row("1000000 250000 float sum -1 100.0 10.00 10.00 0 200.0 5.00 5.00 0"), known), Err(()));
    }
}
