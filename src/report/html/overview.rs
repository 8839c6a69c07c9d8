use super::{Html, sections::Sections};
use crate::{
    facts::Origin,
    record::RunRecord,
    report::{
        headline::{reservation, verdict},
        quantity::{count, margin, seconds},
        style::Role,
    },
};

/// The head of the report: the verdict, what it is on, and how many cases ended how.
pub(super) fn overview(record: &RunRecord, sections: &Sections, html: &mut Html) {
    let (word, role) = verdict(record);
    html.element("header", &[("class", &format!("top {}", class(role)))], |html| {
        html.element("h1", &[], |html| {
            html.classed("span", "verdict", word);
            html.text(" ");
            html.classed("span", "suite", &record.header.suite);
        });
        if let Some(title) = &record.header.title {
            html.classed("p", "title", title);
        }
        reserved(record, html);
        tiles(record, html);
        worst(record, html);
    });
    html.line();
    about(record, html);
    sections.navigation(html);
}

const fn class(role: Role) -> &'static str {
    match role {
        Role::Pass => "pass",
        Role::Fail => "fail",
        _ => "error",
    }
}

/// What is not to be taken for a measurement is said at once, and loudly.
fn reserved(record: &RunRecord, html: &mut Html) {
    let origin = record.origin();
    let Some(text) = reservation(origin) else { return };
    html.element("p", &[("class", "reserved")], |html| {
        html.text(text);
        if let Origin::Captured { path } | Origin::Saved { path } = origin {
            html.text("; judged from ");
            html.leaf("code", &[], path);
        }
    });
}

fn tiles(record: &RunRecord, html: &mut Html) {
    let counts = record.counts();
    let flaky = record.flaky();
    html.element("ul", &[("class", "tiles")], |html| {
        for (number, class, words) in [
            (counts.fail, "fail", "failed"),
            (counts.error, "error", "could not be judged"),
            (counts.pass, "pass", "passed"),
            (counts.skip, "skip", "skipped"),
            (flaky, "flaky", "flaky: passed on a later try"),
        ] {
            if class == "flaky" && number == 0 {
                continue;
            }
            let class = if number == 0 { "none" } else { class };
            html.element("li", &[("class", class)], |html| {
                html.leaf("b", &[], &number.to_string());
                html.text(" ");
                html.leaf("span", &[], words);
            });
        }
    });
}

/// The measured value that is nearest to its bound or farthest beyond it.
fn worst(record: &RunRecord, html: &mut Html) {
    let Some((case, measured)) = record.worst_margin() else { return };
    html.element("p", &[("class", "worst")], |html| {
        html.text("Worst margin ");
        let missed = measured.margin.is_some_and(|margin| margin < 0.0);
        html.classed("b", if missed { "fail" } else { "pass" }, &margin(measured).unwrap_or_default());
        html.text(&format!(": {} {} ({}) in ", measured.subject.trim(), measured.actual, measured.expected));
        html.leaf("code", &[], case.short_name());
    });
}

/// Where, when, with what.
fn about(record: &RunRecord, html: &mut Html) {
    let header = &record.header;
    let unfinished = record.cases.iter().filter(|case| case.is_unfinished()).count();
    let mut cases = count(record.cases.len(), "case");
    if unfinished > 0 {
        cases.push_str(&format!(", {unfinished} of which did not end"));
    }
    let time = record.seconds.map_or_else(|| "the run did not end".to_owned(), seconds);
    let ended = if record.interrupted { format!("{time}, interrupted") } else { time };
    html.element("dl", &[("class", "about")], |html| {
        for (name, value) in [
            ("host", header.hostname.as_str()),
            ("started", &moment(&header.started)),
            ("time", &ended),
            ("cases", &cases),
            ("spec", &header.spec),
            ("linkspec", &header.linkspec),
        ] {
            pair(name, value, html);
        }
        html.element("div", &[("class", "wide")], |html| {
            html.leaf("dt", &[], "command");
            html.element("dd", &[], |html| html.leaf("code", &[], &header.command.join(" ")));
        });
    });
    html.line();
}

/// A time of RFC 3339 as its section 5.6 lets people have it, with a blank between day and time: it breaks there.
pub(super) fn moment(text: &str) -> String {
    text.replacen('T', " ", 1)
}

/// One name and value of a list.
pub(super) fn pair(name: &str, value: &str, html: &mut Html) {
    html.element("div", &[], |html| {
        html.leaf("dt", &[], name);
        html.leaf("dd", &[], value);
    });
}
