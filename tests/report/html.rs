//! `report.html`: well-formed, whole, harmless, and of a size that a browser takes.

use std::time::Instant;

use linkspec::{
    record::{CaseRecord, EnvironmentEntry, RunRecord},
    report::html,
    verdict::Outcome,
};

use crate::{hostile, measured, records};

/// The page as XML, which it is too.
fn parsed(text: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    roxmltree::Document::parse_with_options(text, options).unwrap_or_else(|error| panic!("{error}"))
}

fn every_record() -> Vec<(&'static str, RunRecord)> {
    let mut records = records::all();
    records.push(("whole", measured::whole()));
    records
}

fn text(node: roxmltree::Node<'_, '_>) -> String {
    node.descendants().filter(roxmltree::Node::is_text).filter_map(|node| node.text()).collect()
}

#[test]
fn every_case_stands_on_the_page_with_its_result() {
    for (name, record) in every_record() {
        let page = html::render(&record);
        let document = parsed(&page);
        for (at, case) in record.cases.iter().enumerate() {
            let id = format!("case-{at}");
            let mut places = document.descendants().filter(|node| node.attribute("id") == Some(&id));
            let place = places.next().unwrap_or_else(|| panic!("{name}: {} is missing", case.name));
            assert!(text(place).contains(case.short_name()), "{name}: {}", case.name);
            assert!(places.next().is_none(), "{name}: {id} stands twice");
            let class = place.attribute("class").unwrap_or_default();
            assert!(case.is_unfinished() || class.ends_with(&case.verdict.outcome.to_string()), "{name}: {class}");
        }
    }
}

#[test]
fn every_link_leads_somewhere_on_the_page_and_nothing_leads_elsewhere() {
    for (name, record) in every_record() {
        let page = html::render(&record);
        let document = parsed(&page);
        let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            assert!(node.attribute("src").is_none(), "{name}");
            if let Some(href) = node.attribute("href") {
                let id = href.strip_prefix('#').unwrap_or_else(|| panic!("{name}: {href}"));
                assert!(ids.contains(&id), "{name}: {href}");
            }
        }
        for word in ["http://", "https://", "url(", "@import", "fetch("] {
            assert!(!page.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn the_result_is_a_word_and_failures_come_first() {
    let page = html::render(&measured::whole());
    let document = parsed(&page);
    let heading = document.descendants().find(|node| node.has_tag_name("h1")).map(text).unwrap_or_default();
    assert_eq!(heading, "FAILED hgx-h100");
    let cards: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("details"))
        .filter_map(|node| node.attribute("class"))
        .filter_map(|class| class.strip_prefix("card "))
        .collect();
    assert_eq!(cards, ["fail", "fail", "fail", "fail", "error"]);
}

#[test]
fn the_deepest_cause_is_told_first() {
    let page = html::render(&measured::whole());
    let document = parsed(&page);
    let chain = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("chain"))
        .max_by_key(|chain| chain.children().count())
        .map(|chain| chain.children().map(text).collect::<Vec<_>>())
        .unwrap_or_default();
    assert_eq!(
        chain,
        [
            "may come from GPU5's fabric state is in-progress, expected completed fabric-state in gpus",
            "and through it GPU5 has 0 active NVLinks, expected 18 nvlink-count in gpus",
            "and through it GPU0-GPU5 is joined by SYS, not by NV18 link-class in nvlink-mesh",
        ]
    );
}

#[test]
fn a_pair_out_of_spec_is_marked_by_a_word_on_both_sides_of_the_matrix() {
    let page = html::render(&measured::whole());
    let document = parsed(&page);
    let matrix = document.descendants().find(|node| node.attribute("class") == Some("matrix")).map(|matrix| {
        let marked = |node: &roxmltree::Node<'_, '_>| node.attribute("class").is_some_and(|c| c.contains("bad"));
        matrix.descendants().filter(marked).map(text).collect::<Vec<_>>()
    });
    assert_eq!(matrix, Some(vec!["SYSwanted NV18".to_owned(); 14]));
}

#[test]
fn a_down_port_shows_no_rate() {
    let page = html::render(&measured::whole());
    let document = parsed(&page);
    let row = document.descendants().find(|node| node.has_tag_name("th") && node.text() == Some("mlx5_2/1"));
    let row = row.and_then(|head| head.parent()).map(text).unwrap_or_default();
    assert!(row.contains("none: the port is down") && !row.contains("400"), "{row}");
}

#[test]
fn a_chart_says_what_it_shows_in_words() {
    let page = html::render(&measured::whole());
    let document = parsed(&page);
    let told: Vec<String> = document.descendants().filter(|node| node.has_tag_name("desc")).map(text).collect();
    assert_eq!(told.len(), 3);
    assert!(
        told[0].ends_with(
            "1 of 3 judged values miss their bounds: busbw at 1G in place is 312.37 GB/s, wanted at least 330 GB/s."
        ),
        "{}",
        told[0]
    );
    let misses = document.descendants().filter(|node| node.attribute("class") == Some("miss")).count();
    // On the curve and among the signs.
    assert_eq!(misses, 2);
    assert!(page.contains(">1G in place: 312.37 GB/s</text>"));
}

#[test]
fn what_is_no_measurement_of_now_is_said_in_the_head() {
    let record = records::all().into_iter().find(|(name, _)| *name == "error").map(|(_, record)| record).unwrap();
    let page = html::render(&record);
    assert!(page.contains("recorded: nothing was measured now; judged from <code>tickets/4711</code>"));
}

#[test]
fn light_dark_paper_and_narrow_screens_are_provided_for() {
    let page = html::render(&records::mixed());
    for rule in [
        "prefers-color-scheme: dark",
        "@media print",
        "@media (max-width",
        "color-scheme: light dark",
        "content-visibility: auto",
    ] {
        assert!(page.contains(rule), "{rule}");
    }
    assert!(page.contains("name=\"viewport\""));
}

#[test]
fn nothing_that_a_tool_printed_is_markup() {
    let text = format!(
        "{} <script>alert(1)</script><img src=x onerror=y> \" onload=\"z \u{202e}evil\u{2066}",
        hostile::HOSTILE
    );
    let mut record = hostile::with(&text);
    for (at, case) in record.cases.iter_mut().enumerate() {
        case.name = format!("s::{at}{text}");
        case.test = text.clone();
    }
    let page = html::render(&record);
    let document = parsed(&page);
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("script")).count(), 1);
    let elements = document.descendants().filter(roxmltree::Node::is_element);
    assert!(elements.clone().all(|node| !node.has_tag_name("img") && !node.has_tag_name("b2")));
    assert!(elements.flat_map(|node| node.attributes()).all(|attribute| !attribute.name().starts_with("on")));
    assert!(page.contains("\u{27e8}U+202E\u{27e9}evil\u{27e8}U+2066\u{27e9}"));
    let hidden =
        |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!page.contains(hidden));
}

fn variable(name: &str) -> EnvironmentEntry {
    EnvironmentEntry { name: name.into(), value: Some("Ring".into()), origin: "cell".into() }
}

/// Ten thousand cases, of which every hundredth fails.
fn many() -> RunRecord {
    let mixed = measured::whole();
    let find = |outcome, charted: bool| {
        let fits = |case: &&CaseRecord| case.verdict.outcome == outcome && case.collective.is_some() == charted;
        mixed.cases.iter().find(fits).cloned().unwrap()
    };
    let (passes, fails) = (find(Outcome::Pass, true), find(Outcome::Fail, false));
    let mut record = mixed;
    record.cases = (0..10_000)
        .map(|at| {
            let mut case = if at % 100 == 0 { fails.clone() } else { passes.clone() };
            case.test = format!("all-gather-{}", at / 500);
            case.environment = ["NCCL_ALGO", "NCCL_PROTO", "NCCL_MAX_NCHANNELS"].map(variable).to_vec();
            case.name = format!("hgx-h100::{}[NCCL_ALGO=Ring,NCCL_MAX_NCHANNELS={at}]", case.test);
            case
        })
        .collect();
    record
}

#[test]
fn ten_thousand_cases_stay_usable() {
    let record = many();
    let begun = Instant::now();
    let page = html::render(&record);
    let time = begun.elapsed();
    println!("{} bytes in {time:?}", page.len());
    assert!(page.len() < 15_000_000, "{} bytes", page.len());
    // Under a second in a debug build; machines that test are busy.
    assert!(time.as_secs() < 60, "{time:?}");
    parsed(&page);
}
