//! Bandwidth by message size as a picture and as a table: both say the same.

mod bounds;
mod draw;
mod figures;
mod scale;
mod series;

use series::Series;

use super::Html;
use crate::record::CaseRecord;

/// Whether a case has a chart.
pub(super) fn has_chart(case: &CaseRecord) -> bool {
    let measurement = case.collective.as_ref().and_then(|evidence| evidence.measurement.as_ref());
    measurement.is_some_and(|measurement| !Series::new(measurement).is_empty())
}

/// The chart of a case, what its signs mean, and its figures; nothing where nothing was measured.
pub(super) fn chart(case: &CaseRecord, html: &mut Html) {
    let Some(measurement) = case.collective.as_ref().and_then(|evidence| evidence.measurement.as_ref()) else { return };
    let series = Series::new(measurement);
    if series.is_empty() {
        return;
    }
    let judged = bounds::judged(&case.verdict);
    html.element("figure", &[], |html| {
        html.element("figcaption", &[], |html| {
            html.leaf("b", &[], "Bus bandwidth");
            if let Some(operation) = &measurement.operation {
                html.text(&format!(" of {operation}"));
            }
            if let Some(tool) = &measurement.tool {
                html.text(&format!(", measured by {tool}"));
            }
        });
        let attributes = [("class", "scroll"), ("tabindex", "0"), ("role", "group"), ("aria-label", "chart")];
        html.element("div", &attributes, |html| draw::draw(case.short_name(), &series, &judged, html));
        signs(&series, &judged, html);
    });
    figures::figures(measurement, &judged, html);
}

/// What stands for what.
fn signs(series: &Series, judged: &[bounds::Judged<'_>], html: &mut Html) {
    let signs = [
        (
            !series.out_of_place.is_empty(),
            "curve out",
            "M0 6H26",
            "dots out",
            "M10.5 6a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0z",
            "out of place",
        ),
        (!series.in_place.is_empty(), "curve in", "M0 6H26", "dots in", "M10.5 3.5h5v5h-5z", "in place"),
        (
            judged.iter().any(|one| one.floor.is_some()),
            "bound",
            "M5 4h16m-14 0v4m4 -4v4m4 -4v4m4 -4v4",
            "bound",
            "",
            "floor",
        ),
        (
            judged.iter().any(|one| one.ceiling.is_some()),
            "bound",
            "M5 9h16m-14 0v-4m4 4v-4m4 4v-4m4 4v-4",
            "bound",
            "",
            "ceiling",
        ),
        (
            judged.iter().any(|one| one.missed),
            "miss",
            "M13 0l6 6l-6 6l-6 -6z",
            "cross",
            "M10.5 3.5l5 5m0 -5l-5 5",
            "missed its bound",
        ),
    ];
    html.element("ul", &[("class", "signs")], |html| {
        for (shown, class, path, inner_class, inner, words) in signs {
            if !shown {
                continue;
            }
            html.element("li", &[], |html| {
                html.element("svg", &[("viewBox", "0 0 26 12"), ("aria-hidden", "true")], |html| {
                    html.empty("path", &[("class", class), ("d", path)]);
                    html.empty("path", &[("class", inner_class), ("d", inner)]);
                });
                html.text(words);
            });
        }
    });
}
