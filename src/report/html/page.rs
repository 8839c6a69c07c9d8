use super::{
    Html, cases,
    chart::chart,
    findings::case_link,
    index::Index,
    inputs::inputs,
    links::links,
    machine::machine,
    marks::Marks,
    overview::overview,
    ports::ports,
    sections::{Section, Sections},
};
use crate::{
    record::{CaseRecord, RunRecord},
    report::headline::verdict,
    verdict::Outcome,
};

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// About so large is a page without cases, and so much longer does a case make it.
const BASE_BYTES: usize = 64 << 10;
const CASE_BYTES: usize = 1500;

/// The record as `report.html`.
pub fn render(record: &RunRecord) -> String {
    let index = Index::new(record);
    let marks = Marks::new(record);
    let bad = cases::needing_a_look(&record.cases, &index);
    let charted = charted(record, &index);
    let sections = Sections::new(record, &bad, &charted);
    let mut html = Html::document(BASE_BYTES + CASE_BYTES * record.cases.len());
    html.element("html", &[("lang", "en")], |html| {
        head(record, html);
        html.element("body", &[], |html| {
            overview(record, &sections, html);
            html.element("main", &[], |html| {
                let facts = &record.header.facts;
                sections.section(Section::Look, html, |html| cases::cards(&bad, &index, html));
                sections.section(Section::Links, html, |html| links(facts, &marks, html));
                sections.section(Section::Ports, html, |html| ports(facts, &marks, html));
                sections.section(Section::Bandwidth, html, |html| charts(&charted, &index, html));
                sections.section(Section::Machine, html, |html| machine(facts, &marks, html));
                sections.section(Section::Inputs, html, |html| inputs(&record.header, html));
                sections.section(Section::Cases, html, |html| {
                    filter(html);
                    cases::by_test(&record.cases, &index, html);
                });
            });
            foot(record, html);
            html.asset("script", SCRIPT);
        });
    });
    html.line();
    html.into_markup()
}

fn head(record: &RunRecord, html: &mut Html) {
    html.element("head", &[], |html| {
        html.empty("meta", &[("charset", "utf-8")]);
        html.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
        html.empty("meta", &[("name", "color-scheme"), ("content", "light dark")]);
        let header = &record.header;
        html.leaf("title", &[], &format!("{}: {} on {}", verdict(record).0, header.suite, header.hostname));
        html.asset("style", STYLE);
    });
    html.line();
}

/// The passing cases whose chart stands on the page; those that need a look have theirs in their card.
fn charted<'a>(record: &'a RunRecord, index: &Index<'_>) -> Vec<&'a CaseRecord> {
    record.cases.iter().filter(|case| case.verdict.outcome == Outcome::Pass && index.is_charted(case)).collect()
}

fn charts(charted: &[&CaseRecord], index: &Index<'_>, html: &mut Html) {
    html.element("div", &[("class", "charts")], |html| {
        for case in charted {
            let anchor = format!("chart-{}", index.anchor(&case.name).unwrap_or_default());
            html.element("article", &[("id", anchor.as_str())], |html| {
                html.element("h3", &[], |html| case_link(&case.name, index, html));
                chart(case, html);
            });
            html.line();
        }
    });
}

/// A box that narrows the list; it shows where a script runs.
fn filter(html: &mut Html) {
    html.element("p", &[("class", "filter"), ("hidden", "hidden"), ("id", "filter")], |html| {
        html.element("label", &[], |html| {
            html.text("Filter by name or result ");
            html.empty("input", &[("type", "search"), ("placeholder", "all_reduce Ring fail")]);
        });
        html.text(" ");
        html.leaf("output", &[("aria-live", "polite")], "");
    });
}

fn foot(record: &RunRecord, html: &mut Html) {
    html.element("footer", &[], |html| {
        html.text(&format!(
            "Written by linkspec {}. The same run for programs: run.json, junit.xml.",
            record.header.linkspec
        ));
    });
}
