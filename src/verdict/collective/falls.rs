//! Bandwidth that falls as the size grows: judged where the spec says how much, told everywhere.

use super::{Placement, Quantity, View, quantity::short, view::position};
use crate::{
    evidence::Row,
    spec::{Place, Wanted},
    units::Size,
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        want,
    },
};

/// Below this, latency and the library's changes of protocol bend the curve of every machine.
pub(super) const FROM: u64 = 8 << 20;

/// A fall of more than this is told, whatever the spec says.
const TOLD: f64 = 0.2;

/// The bandwidth of one row.
#[derive(Clone, Copy)]
struct Point<'a> {
    size: Size,
    value: f64,
    row: &'a Row,
}

/// A point, and the best smaller one that it falls below.
struct Fall<'a> {
    from: Point<'a>,
    to: Point<'a>,
    /// Which of the points it falls to.
    at: usize,
}

/// Judges the falls among the named sizes, and tells of those among all.
pub(super) fn judge(view: &View<'_>, ledger: &mut Ledger<'_>) {
    for placement in [Placement::OutOfPlace, Placement::InPlace] {
        let mut failed: Vec<Size> = Vec::new();
        if let Some(most) = &view.collective.expect.max_drop {
            for fall in falls(&named(view, placement), most.value) {
                failed.push(Size(fall.to.row.size));
                fall.fail(placement, most.value, &most.place, ledger);
            }
        }
        let mut before: Option<Fall<'_>> = None;
        for fall in falls(&all(view, placement), TOLD) {
            let told = before.as_ref().is_some_and(|before| before.goes_on_as(&fall));
            if !told && !failed.contains(&Size(fall.to.row.size)) {
                let (message, source) = (fall.message(placement), position(fall.to.row));
                ledger.warning(FindingCode::BandwidthDrop, None, message).source = Some(source);
            }
            before = Some(fall);
        }
    }
}

/// The points of the named sizes that are judged in this placement.
fn named<'a>(view: &View<'a>, placement: Placement) -> Vec<Point<'a>> {
    let sizes = view.collective.sizes.all().into_iter().filter(|size| size.0 >= FROM);
    let rows = sizes.flat_map(|size| view.rows_of(size).iter().map(move |row| (size, *row)));
    let judged = rows.filter(|(_, row)| view.judged(row).contains(&placement));
    judged.filter_map(|(size, row)| point(view, size, row, placement)).collect()
}

/// The points of every row.
fn all<'a>(view: &View<'a>, placement: Placement) -> Vec<Point<'a>> {
    let rows = view.rows.iter().filter(|row| row.size >= FROM);
    rows.filter_map(|row| point(view, Size(row.size), row, placement)).collect()
}

fn point<'a>(view: &View<'_>, size: Size, row: &'a Row, placement: Placement) -> Option<Point<'a>> {
    let value = Quantity::BusBandwidth.of(row, placement)?.value;
    let relied_on = value.is_finite() && value >= 0.0 && view.row_doubt(row).is_none();
    relied_on.then_some(Point { size, value, row })
}

/// Every point that is more than a share below the best of the smaller sizes.
fn falls<'a>(points: &[Point<'a>], most: f64) -> Vec<Fall<'a>> {
    let mut falls = Vec::new();
    let mut best: Option<Point<'a>> = None;
    for (first, same) in by_size(points) {
        if let Some(from) = best {
            let low = (first..).zip(same).filter(|(_, to)| !want::holds(&floor(from.value, most), &to.value));
            falls.extend(low.map(|(at, to)| Fall { from, to: *to, at }));
        }
        best = best.into_iter().chain(same.iter().copied()).max_by(|a, b| a.value.total_cmp(&b.value));
    }
    falls
}

/// Runs of points of one size, each with the index of its first.
fn by_size<'p, 'a>(points: &'p [Point<'a>]) -> impl Iterator<Item = (usize, &'p [Point<'a>])> {
    let mut first = 0;
    points.chunk_by(|a, b| a.size == b.size).map(move |same| {
        let at = first;
        first += same.len();
        (at, same)
    })
}

fn floor(best: f64, most: f64) -> Wanted<f64> {
    Wanted::Range { min: Some(best * (1.0 - most)), max: None }
}

impl Fall<'_> {
    /// Whether the next fall is this one seen again at the next size, no deeper.
    fn goes_on_as(&self, next: &Self) -> bool {
        next.at == self.at + 1 && next.to.value >= self.to.value && next.from.size == self.from.size
    }

    fn message(&self, placement: Placement) -> String {
        let (from, to) = (self.from, self.to);
        let shown = want::show(&floor(from.value, 0.0), &to.value).unwrap_or_default();
        let percent = want::percent(to.value / from.value - 1.0);
        format!(
            "busbw {placement} falls to {shown} GB/s at {} from {:.2} GB/s at {}, by {percent}",
            to.size, from.value, from.size
        )
    }

    fn fail(&self, placement: Placement, most: f64, place: &Place, ledger: &mut Ledger<'_>) {
        let floor = floor(self.from.value, most);
        let what = format!("fall of busbw to {} {placement}", self.to.size);
        let check = Check::new(FindingCode::BandwidthDrop, &what, "{}", place).unit(Quantity::BusBandwidth.unit());
        let expected = format!("a fall of {} % at most", short(most * 100.0));
        let actual = format!("{} GB/s", want::show(&floor, &self.to.value).unwrap_or_default());
        let margin = want::margin(&floor, &self.to.value);
        let message = format!("{}, expected {expected}", self.message(placement));
        ledger.failure(&check, "", message, &expected, &actual, &position(self.to.row)).margin = margin;
        ledger.missed(&check, "", &expected, &actual, margin);
    }
}
