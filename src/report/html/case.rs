use super::{
    Html,
    chart::{chart, has_chart},
    engine::engine,
    findings::findings,
    index::Index,
    inputs::damaged,
    overview::moment,
    table::table,
};
use crate::{
    record::{CaseRecord, EnvironmentEntry},
    report::{
        findings::headline,
        plain::plain,
        quantity::{count, margin, seconds},
    },
    verdict::{Measured, Outcome},
};

/// How a case stands on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// It needs a look: with its chart, unfolded or not.
    Card {
        /// Whether it is unfolded.
        open: bool,
    },
    /// Folded among others of its test; its chart stands elsewhere.
    Folded,
}

/// One case, foldable, with everything that is known of it.
pub(super) fn case(case: &CaseRecord, shown: Shown, index: &Index<'_>, html: &mut Html) {
    let (class, open) = match shown {
        Shown::Card { open } => ("card", open),
        Shown::Folded => ("case", false),
    };
    let class = format!("{class} {}", case.verdict.outcome);
    let anchor = index.anchor(&case.name).unwrap_or_default();
    let attributes = [("class", class.as_str()), ("id", &anchor), ("open", "open")];
    html.element("details", if open { &attributes } else { &attributes[..2] }, |html| {
        summary(case, html);
        html.element("div", &[("class", "body")], |html| body(case, shown, index, html));
    });
    html.line();
}

/// The word for an outcome; what needs a look is in capitals.
pub(super) fn badge(outcome: Outcome, html: &mut Html) {
    let class = format!("badge {outcome}");
    let word = match outcome {
        Outcome::Fail => "FAIL",
        Outcome::Error => "ERROR",
        Outcome::Pass => "pass",
        Outcome::Skip => "skip",
    };
    html.classed("span", &class, word);
}

fn summary(case: &CaseRecord, html: &mut Html) {
    html.element("summary", &[], |html| {
        badge(case.verdict.outcome, html);
        html.text(" ");
        html.classed("span", "name", case.short_name());
        if case.flaky.is_some_and(|flaky| flaky.passed) {
            html.text(" ");
            html.classed("span", "badge flaky", "flaky");
        }
        html.text(" ");
        html.classed("span", "detail", &detail(case));
        html.text(" ");
        html.classed("span", "time", &seconds(case.seconds));
    });
}

/// What a case's line tells beside its name.
fn detail(case: &CaseRecord) -> String {
    let verdict = &case.verdict;
    match (verdict.outcome, verdict.findings.first(), verdict.worst(), verdict.measured.as_slice()) {
        (Outcome::Skip, ..) => verdict.skip_reason.clone().unwrap_or_default(),
        (Outcome::Fail | Outcome::Error, Some(first), ..) => match verdict.findings.len() - 1 {
            0 => headline(first),
            more => format!("{} (and {})", headline(first), count(more, "other finding")),
        },
        (_, _, Some(worst), _) => {
            format!("{} ({}, {})", worst.actual, worst.expected, margin(worst).unwrap_or_default())
        }
        (_, _, None, []) => String::new(),
        (_, _, None, [one]) => format!("{} {}", one.subject.trim(), one.actual),
        (_, _, None, several) => count(several.len(), "value"),
    }
}

fn body(case: &CaseRecord, shown: Shown, index: &Index<'_>, html: &mut Html) {
    if let Some(title) = &case.title {
        html.classed("p", "title", title);
    }
    findings(&case.verdict.findings, index, html);
    if let Some(measurement) = case.collective.as_ref().and_then(|evidence| evidence.measurement.as_ref()) {
        damaged(&measurement.damage, html);
    }
    bandwidth(case, shown, index, html);
    measured(&case.verdict.measured, html);
    if let Some(run) = case.engine() {
        engine(run, html);
    }
    environment(&case.environment, html);
    about(case, html);
    if let Some(output) = case.output.as_deref().map(plain).filter(|output| !output.trim().is_empty()) {
        html.element("details", &[("class", "fold")], |html| {
            html.leaf("summary", &[], "Output");
            html.classed("pre", "output", &output);
        });
    }
    if !case.repeat.is_empty() {
        html.element("p", &[("class", "repeat")], |html| {
            html.classed("span", "tag", "repeat");
            html.text(" ");
            html.classed("code", "copy", &case.repeat);
        });
    }
}

fn bandwidth(case: &CaseRecord, shown: Shown, index: &Index<'_>, html: &mut Html) {
    match shown {
        Shown::Card { .. } if index.is_charted(case) => chart(case, html),
        Shown::Folded if index.is_charted(case) => {
            let chart = format!("#chart-{}", index.anchor(&case.name).unwrap_or_default());
            html.element("p", &[], |html| html.leaf("a", &[("href", &chart)], "bandwidth by message size"));
        }
        _ if has_chart(case) => html.classed("p", "source", "the figures of its sizes are in run.json"),
        _ => {}
    }
}

fn measured(values: &[Measured], html: &mut Html) {
    if values.is_empty() {
        return;
    }
    let bounded = values.iter().any(|value| value.margin.is_some());
    let heads = ["value of", "found", "asked", "margin"];
    table("measured values", if bounded { &heads } else { &heads[..3] }, html, |html| {
        for value in values {
            html.element("tr", &[], |html| measured_row(value, bounded, html));
        }
    });
}

fn measured_row(value: &Measured, bounded: bool, html: &mut Html) {
    let class = match value.margin {
        Some(margin) if margin < 0.0 => "number bad",
        Some(_) => "number",
        None => "",
    };
    html.leaf("th", &[], value.subject.trim());
    cell(class, &value.actual, html);
    cell(if value.margin.is_some() { "number" } else { "" }, &value.expected, html);
    if bounded {
        cell(class, &margin(value).unwrap_or_default(), html);
    }
}

fn cell(class: &str, text: &str, html: &mut Html) {
    let attributes = [("class", class)];
    html.leaf("td", if class.is_empty() { &[] } else { &attributes[..] }, text);
}

/// `collective; GPUs 0-7; pin gpu-local; ...`, on one line, as for the environment.
fn about(case: &CaseRecord, html: &mut Html) {
    let told = [
        ("", case.kind.clone()),
        ("GPUs ", case.gpus.clone()),
        ("pin ", case.pin.clone()),
        ("tries ", case.flaky.map(|flaky| flaky.tries.to_string()).unwrap_or_default()),
        ("started ", moment(&case.started)),
        ("asked for at ", case.place.as_ref().map(ToString::to_string).unwrap_or_default()),
    ];
    let told: Vec<String> =
        told.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name}{value}")).collect();
    html.classed("p", "source", &told.join("; "));
}

/// `NCCL_ALGO=Ring (cell)`: a line each, as there are many cases and a table would be most of the page.
fn environment(entries: &[EnvironmentEntry], html: &mut Html) {
    if entries.is_empty() {
        return;
    }
    html.classed("h3", "small", "environment");
    html.element("ul", &[], |html| {
        for EnvironmentEntry { name, value, origin } in entries {
            html.element("li", &[], |html| {
                match value {
                    Some(value) => html.leaf("code", &[], &format!("{name}={value}")),
                    None => html.leaf("code", &[], &format!("{name} removed")),
                }
                html.text(&format!(" ({origin})"));
            });
        }
    });
}
