use super::bounds::{Judged, Placement};
use crate::{
    evidence::{Figure, Measurement, Row, Sample, Wrong},
    report::html::{Html, table::table},
    units::Size,
};

const HEADS: [&str; 8] = [
    "size",
    "out of place: time, us",
    "busbw, GB/s",
    "wrong",
    "in place: time, us",
    "busbw, GB/s",
    "wrong",
    "asked of busbw",
];

/// The figures of a chart as they were printed, foldable.
pub(super) fn figures(measurement: &Measurement, judged: &[Judged<'_>], html: &mut Html) {
    html.element("details", &[("class", "fold")], |html| {
        html.leaf("summary", &[], &format!("Figures of {} sizes", measurement.rows.len()));
        table("figures", &HEADS, html, |html| {
            for row in &measurement.rows {
                html.element("tr", &[], |html| figure_row(row, judged, html));
                html.line();
            }
        });
    });
}

fn figure_row(row: &Row, judged: &[Judged<'_>], html: &mut Html) {
    html.leaf("th", &[("scope", "row"), ("class", "number")], &Size(row.size).to_string());
    let of_size = || judged.iter().filter(|one| one.size == row.size);
    for (sample, placement) in [(&row.out_of_place, Placement::Out), (&row.in_place, Placement::In)] {
        let missed = of_size().any(|one| one.missed && one.placement.is_none_or(|judged| judged == placement));
        sampled(sample.as_ref(), missed, html);
    }
    let mut asked: Vec<&str> = of_size().map(|one| one.measured.expected.as_str()).collect();
    asked.dedup();
    html.leaf("td", &[], &asked.join("; "));
}

fn sampled(sample: Option<&Sample>, missed: bool, html: &mut Html) {
    let Some(sample) = sample else {
        return html.leaf("td", &[("colspan", "3"), ("class", "faint")], "not measured");
    };
    html.classed("td", "number", &printed(sample.time));
    html.element("td", &[("class", if missed { "number bad" } else { "number" })], |html| {
        html.text(&printed(sample.busbw));
        if missed {
            html.leaf("small", &[], "missed");
        }
    });
    let bad = matches!(sample.wrong, Wrong::Elements(1..));
    html.classed("td", if bad { "number bad" } else { "number" }, &wrong(sample.wrong));
}

fn wrong(wrong: Wrong) -> String {
    match wrong {
        Wrong::Elements(count) => count.to_string(),
        Wrong::Deviation(deviation) => format!("deviation {deviation:e}"),
        Wrong::Unchecked => "not checked".to_owned(),
    }
}

/// A number with the decimals with which it was printed.
fn printed(figure: Figure) -> String {
    let places = (-(2.0 * figure.rounding).log10()).round();
    if !places.is_finite() {
        return figure.value.to_string();
    }
    let places = places.clamp(0.0, 9.0) as usize;
    format!("{:.places$}", figure.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_shown_as_it_was_printed() {
        for text in ["251.32", "68359", "0.00", "26.5620", "439.999"] {
            assert_eq!(printed(Figure::printed(text).unwrap()), text);
        }
        assert_eq!(printed(Figure { value: 0.1, rounding: 0.0 }), "0.1");
        assert_eq!(printed(Figure::printed("1e+05").unwrap()), "100000");
    }
}
