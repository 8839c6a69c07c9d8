use super::{
    bounds::{Judged, Placement},
    scale::{BOTTOM, HEIGHT, LEFT, RIGHT, Scale, WIDTH},
    series::{Point, Series},
};
use crate::{report::html::Html, units::Size};

/// Values that are written at their point; more stand in the table only, where they cannot cover each other.
const MOST_LABELS: usize = 3;

/// The height of a line of text.
const LINE: f64 = 15.0;

/// The chart of one case.
pub(super) fn draw(name: &str, series: &Series, judged: &[Judged<'_>], html: &mut Html) {
    let scale = Scale::new(series.sizes().chain(judged.iter().map(|one| one.size)), most(series, judged));
    let frame = format!("0 0 {WIDTH} {HEIGHT}");
    html.element("svg", &[("viewBox", frame.as_str()), ("role", "img"), ("class", "chart")], |html| {
        html.leaf("title", &[], &format!("Bus bandwidth by message size: {name}"));
        html.leaf("desc", &[], &description(series, judged));
        grid(scale, html);
        curve(scale, &series.in_place, "in", html);
        curve(scale, &series.out_of_place, "out", html);
        for one in judged {
            bound(scale, one, html);
        }
        missed(scale, series, judged, html);
    });
}

fn most(series: &Series, judged: &[Judged<'_>]) -> f64 {
    let points = series.out_of_place.iter().chain(&series.in_place).map(|point| point.busbw);
    let bounds = judged.iter().flat_map(|one| [one.floor, one.ceiling]).flatten();
    points.chain(bounds).fold(0.0, f64::max)
}

/// What the picture shows, for those who cannot see it.
fn description(series: &Series, judged: &[Judged<'_>]) -> String {
    let mut text = String::new();
    for (name, points) in [("Out of place", &series.out_of_place), ("In place", &series.in_place)] {
        if let (Some(first), Some(last)) = (points.first(), points.last()) {
            text.push_str(&format!(
                "{name}: {:.2} GB/s at {} to {:.2} GB/s at {}. ",
                first.busbw,
                Size(first.size),
                last.busbw,
                Size(last.size)
            ));
        }
    }
    let misses: Vec<String> = judged
        .iter()
        .filter(|one| one.missed)
        .map(|one| {
            format!("{} is {}, wanted {}", one.measured.subject.trim(), one.measured.actual, one.measured.expected)
        })
        .collect();
    match (judged.len(), misses.as_slice()) {
        (0, _) => text.push_str("No size is judged."),
        (number, []) => text.push_str(&format!("All {number} judged values meet their bounds.")),
        (number, misses) => {
            text.push_str(&format!(
                "{} of {number} judged values miss their bounds: {}.",
                misses.len(),
                misses.join("; ")
            ));
        }
    }
    text
}

fn grid(scale: Scale, html: &mut Html) {
    for (y, label) in scale.bandwidths() {
        line("grid", (LEFT, y), (RIGHT, y), html);
        text("tick end", (LEFT - 8.0, y + 4.0), &label, html);
    }
    for (x, label) in scale.sizes() {
        line("grid", (x, BOTTOM), (x, BOTTOM + 5.0), html);
        text("tick middle", (x, BOTTOM + 19.0), &label, html);
    }
    text("axis", (6.0, 15.0), "GB/s", html);
    text("axis end", (RIGHT, HEIGHT - 5.0), "message size in bytes", html);
}

/// A floor is a bar with its ticks down, a ceiling one with its ticks up: towards what is out of spec.
fn bound(scale: Scale, judged: &Judged<'_>, html: &mut Html) {
    for (value, down) in [(judged.floor, 4.0), (judged.ceiling, -4.0)] {
        let Some(value) = value else { continue };
        let (x, y) = (scale.x(judged.size), scale.y(value));
        let path =
            format!("M{:.1} {y:.1}h16m-14 0v{down}m4 {up}v{down}m4 {up}v{down}m4 {up}v{down}", x - 8.0, up = -down);
        html.empty("path", &[("class", "bound"), ("d", &path)]);
    }
}

fn curve(scale: Scale, points: &[Point], class: &'static str, html: &mut Html) {
    let mut path = String::new();
    for (at, point) in points.iter().enumerate() {
        let step = if at == 0 { 'M' } else { 'L' };
        path.push_str(&format!("{step}{:.1} {:.1}", scale.x(point.size), scale.y(point.busbw)));
    }
    if points.len() > 1 {
        html.empty("path", &[("class", &format!("curve {class}")), ("d", &path)]);
    }
    let mut dots = String::new();
    for point in points {
        let (x, y) = (scale.x(point.size), scale.y(point.busbw));
        dots.push_str(&if class == "in" {
            format!("M{:.1} {:.1}h5v5h-5z", x - 2.5, y - 2.5)
        } else {
            format!("M{:.1} {y:.1}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0z", x - 2.5)
        });
    }
    html.empty("path", &[("class", &format!("dots {class}")), ("d", &dots)]);
}

/// What missed its bound: a large diamond with a cross in it, and its value where there is room.
fn missed(scale: Scale, series: &Series, judged: &[Judged<'_>], html: &mut Html) {
    let misses: Vec<(&Judged<'_>, Point)> =
        judged.iter().filter(|one| one.missed).filter_map(|one| Some((one, series.point(one)?))).collect();
    for (_, point) in &misses {
        let (x, y) = (scale.x(point.size), scale.y(point.busbw));
        html.empty("path", &[("class", "miss"), ("d", &format!("M{x:.1} {:.1}l7 7l-7 7l-7 -7z", y - 7.0))]);
        let cross = format!("M{:.1} {:.1}l5 5m0 -5l-5 5", x - 2.5, y - 2.5);
        html.empty("path", &[("class", "cross"), ("d", &cross)]);
    }
    let mut taken: Vec<f64> = Vec::new();
    for (one, point) in misses.iter().take(MOST_LABELS) {
        let x = scale.x(point.size);
        // A curve rises to the right: above it, to the left of a point, there is room.
        let mut y = scale.y(point.busbw) - 9.0;
        while let Some(lower) = taken.iter().find(|other| (**other - y).abs() < LINE) {
            y = lower - LINE;
        }
        taken.push(y);
        let (class, x) = if x > WIDTH / 2.0 { ("value end", x - 11.0) } else { ("value", x + 11.0) };
        text(class, (x, y), &label(one), html);
    }
}

fn label(judged: &Judged<'_>) -> String {
    let placement = match judged.placement {
        Some(Placement::In) => " in place",
        Some(Placement::Out) => " out of place",
        None => "",
    };
    format!("{}{placement}: {}", Size(judged.size), judged.measured.actual)
}

fn line(class: &str, from: (f64, f64), to: (f64, f64), html: &mut Html) {
    let path = format!("M{:.1} {:.1}L{:.1} {:.1}", from.0, from.1, to.0, to.1);
    html.empty("path", &[("class", class), ("d", &path)]);
}

fn text(class: &str, at: (f64, f64), content: &str, html: &mut Html) {
    html.leaf("text", &[("class", class), ("x", &format!("{:.1}", at.0)), ("y", &format!("{:.1}", at.1))], content);
}
