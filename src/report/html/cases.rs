use std::collections::HashMap;

use super::{
    Html,
    case::{Shown, badge, case},
    index::Index,
};
use crate::{
    record::{CaseRecord, Counts},
    report::quantity::count,
    verdict::Outcome,
};

/// Cards beyond these are folded: what one looks at first is on one page.
const MOST_OPEN: usize = 20;

/// Where there are more cases than these, those of a test are folded.
const MOST_UNFOLDED: usize = 40;

/// The cases that need a look: failures first, and what explains others before what it explains.
pub(super) fn needing_a_look<'a>(cases: &'a [CaseRecord], index: &Index<'a>) -> Vec<&'a CaseRecord> {
    let mut bad: Vec<&CaseRecord> = cases.iter().filter(|case| is_bad(case)).collect();
    bad.sort_by_cached_key(|case| {
        let failed = case.verdict.outcome == Outcome::Fail;
        (case.is_unfinished(), !failed, !index.explains(case), index.depth(case))
    });
    bad
}

fn is_bad(case: &CaseRecord) -> bool {
    matches!(case.verdict.outcome, Outcome::Fail | Outcome::Error)
}

/// Cards of the cases that need a look. Those that did not end have nothing to tell but their names.
pub(super) fn cards(bad: &[&CaseRecord], index: &Index<'_>, html: &mut Html) {
    let (unfinished, ended): (Vec<&CaseRecord>, Vec<&CaseRecord>) =
        bad.iter().copied().partition(|case| case.is_unfinished());
    for (at, one) in ended.into_iter().enumerate() {
        case(one, Shown::Card { open: at < MOST_OPEN }, index, html);
    }
    let Some(first) = unfinished.first() else { return };
    let finding = first.verdict.findings.first();
    let attributes = [("class", "card error"), ("open", "open")];
    let open = unfinished.len() <= MOST_UNFOLDED;
    html.element("details", if open { &attributes } else { &attributes[..1] }, |html| {
        html.element("summary", &[], |html| {
            badge(Outcome::Error, html);
            html.text(" ");
            html.classed("span", "name", &format!("{} did not end", count(unfinished.len(), "case")));
        });
        html.element("div", &[("class", "body")], |html| {
            html.leaf("p", &[], finding.map_or("", |finding| &finding.message));
            if let Some(hint) = finding.and_then(|finding| finding.hint.as_deref()) {
                html.classed("p", "hint", hint);
            }
            html.element("ul", &[("class", "names")], |html| {
                for case in &unfinished {
                    let anchor = index.anchor(&case.name).unwrap_or_default();
                    html.leaf("li", &[("id", anchor.as_str())], case.short_name());
                    html.line();
                }
            });
        });
    });
    html.line();
}

/// Every case by its test; those that need a look lead to their card.
pub(super) fn by_test(cases: &[CaseRecord], index: &Index<'_>, html: &mut Html) {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut tests: Vec<Vec<&CaseRecord>> = Vec::new();
    for case in cases {
        let at = *places.entry(case.test.as_str()).or_insert(tests.len());
        match tests.get_mut(at) {
            Some(test) => test.push(case),
            None => tests.push(vec![case]),
        }
    }
    for test in tests {
        match test.as_slice() {
            [one] => line(one, index, html),
            several => group(several, cases.len() <= MOST_UNFOLDED, index, html),
        }
    }
}

fn group(cases: &[&CaseRecord], open: bool, index: &Index<'_>, html: &mut Html) {
    let Some(first) = cases.first() else { return };
    let counts: Counts = cases.iter().map(|case| case.verdict.outcome).collect();
    let attributes = [("class", "group"), ("open", "open")];
    html.element("details", if open { &attributes } else { &attributes[..1] }, |html| {
        html.element("summary", &[], |html| {
            html.classed("span", "name", &first.test);
            html.text(" ");
            html.classed("span", "detail", first.title.as_deref().unwrap_or_default());
            for (number, outcome) in [
                (counts.fail, Outcome::Fail),
                (counts.error, Outcome::Error),
                (counts.pass, Outcome::Pass),
                (counts.skip, Outcome::Skip),
            ] {
                if number > 0 {
                    html.text(" ");
                    html.classed("span", &format!("badge {outcome}"), &format!("{number} {outcome}"));
                }
            }
        });
        for case in cases {
            line(case, index, html);
        }
    });
    html.line();
}

fn line(one: &CaseRecord, index: &Index<'_>, html: &mut Html) {
    if !is_bad(one) {
        return case(one, Shown::Folded, index, html);
    }
    let target = format!("#{}", index.anchor(&one.name).unwrap_or_default());
    html.element("p", &[("class", "case told")], |html| {
        badge(one.verdict.outcome, html);
        html.text(" ");
        html.leaf("a", &[("href", &target), ("class", "name")], one.short_name());
        html.text(" ");
        html.classed("span", "detail", "told above");
    });
    html.line();
}
