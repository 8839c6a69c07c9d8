//! Wrong data: it fails a case whatever the bandwidth, and what was not checked does not pass.

use super::{Placement, View, engine, view::position};
use crate::{
    evidence::{EngineRun, Row, Wrong},
    units::Size,
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
    },
};

/// What the data of one row and placement is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// Checked and right.
    Right,
    /// So many wrong elements.
    Wrong(u64),
    /// Not checked, or nothing judges it.
    Unchecked,
}

/// What is known of the data. A relative deviation is judged by the footer alone.
pub(super) fn data(view: &View<'_>, wrong: Wrong) -> Data {
    let footer = view.measurement.out_of_bounds;
    match wrong {
        _ if view.measurement.validation == Some(false) => Data::Unchecked,
        Wrong::Elements(0) => Data::Right,
        Wrong::Elements(count) => Data::Wrong(count),
        Wrong::Deviation(deviation) if deviation.is_finite() && footer.is_some() => Data::Right,
        Wrong::Deviation(_) | Wrong::Unchecked => Data::Unchecked,
    }
}

/// Whether the footer tells of wrong data, as a sentence.
pub(super) fn footer(view: &View<'_>) -> Option<String> {
    let footer = view.measurement.out_of_bounds.filter(|footer| !footer.ok || footer.count > 0)?;
    Some(format!("the output counts {} values out of bounds", footer.count))
}

/// Fails the case for wrong data anywhere in the output, sizes that the test does not name included.
pub(super) fn judge(view: &View<'_>, engine: Option<&EngineRun>, ledger: &mut Ledger<'_>) {
    if !view.wants_data() {
        return;
    }
    if let Some(engine) = engine {
        engine::elements(view.collective, engine, ledger);
    }
    let told =
        |row: &Row, placement| engine.is_some_and(|engine| engine::is_told(view.collective, engine, row, placement));
    let place = &view.collective.sizes.place;
    let source = view.measurement.sources.join(", ");
    let check = Check::new(FindingCode::WrongData, "data", "{}", place).unit("elements");
    if let Some(message) =
        footer(view).filter(|_| !engine.is_some_and(|engine| engine::tells_all(engine, view.measurement)))
    {
        let count = view.measurement.out_of_bounds.map_or(0, |footer| footer.count);
        ledger.failure(&check, "", message, "0", &count.to_string(), &source);
    }
    for row in &view.rows {
        for placement in [Placement::OutOfPlace, Placement::InPlace] {
            let Some(Wrong::Elements(count @ 1..)) = placement.of(row).map(|sample| sample.wrong) else { continue };
            if !told(row, placement) {
                elements(view, row, placement, count, ledger);
            }
        }
    }
    if view.measurement.validation == Some(false) {
        let message = "the output says that the data was not checked".to_owned();
        ledger.error(FindingCode::DataUnchecked, Some(place), message);
    }
}

fn elements(view: &View<'_>, row: &Row, placement: Placement, count: u64, ledger: &mut Ledger<'_>) {
    let what = format!("data at {} {placement}", Size(row.size));
    let check = Check::new(FindingCode::WrongData, &what, "{}", &view.collective.sizes.place).unit("elements");
    match view.row_doubt(row) {
        Some(reason) => ledger.unknown(&check, "", "0", &reason),
        None => {
            let message = format!("{what}: {}, expected 0", wrong_elements(count));
            ledger.failure(&check, "", message, "0", &count.to_string(), &position(row));
        }
    }
}

/// So many wrong elements, in words.
pub(super) fn wrong_elements(count: u64) -> String {
    if count == 1 { "1 wrong element".to_owned() } else { format!("{count} wrong elements") }
}
