use super::{Html, table::table};
use crate::{
    evidence::EngineRun,
    report::engine::{RankLine, checked, largest, library, ranks},
    units::Size,
};

/// With which libraries linkspec itself measured, and where its ranks ran: foldable, as there may be many cases.
pub(super) fn engine(engine: &EngineRun, html: &mut Html) {
    let libraries: Vec<String> = engine.libraries.iter().map(library).collect();
    if !libraries.is_empty() {
        html.classed("p", "source", &format!("measured with {}", libraries.join(", ")));
    }
    let ranks = ranks(engine);
    if ranks.is_empty() {
        return;
    }
    let times = ranks.iter().any(|rank| rank.times != [None, None]);
    html.element("details", &[("class", "fold")], |html| {
        let checked = checked(engine).map(|checked| format!("; data checked: {checked}")).unwrap_or_default();
        html.leaf("summary", &[], &format!("Ranks ({}){checked}", ranks.len()));
        let size = largest(engine).map(|size| Size(size).to_string()).unwrap_or_default();
        let last = [format!("out of place: us at {size}"), format!("in place: us at {size}")];
        let heads = ["rank", "GPU", "PCI address", "placement asked", "read back", &last[0], &last[1]];
        table("ranks", if times { &heads } else { &heads[..5] }, html, |html| {
            for rank in &ranks {
                html.element("tr", &[], |html| row(rank, times, html));
            }
        });
    });
}

fn row(rank: &RankLine, times: bool, html: &mut Html) {
    html.leaf("th", &[("scope", "row"), ("class", "number")], &rank.rank.to_string());
    html.leaf("td", &[], &rank.gpu);
    html.classed("td", "mono", &rank.pci);
    html.leaf("td", &[], &rank.asked);
    html.leaf("td", &[], &rank.found);
    for time in rank.times.iter().filter(|_| times) {
        match time {
            Some(time) => html.classed("td", "number", &format!("{time:.2}")),
            None => html.classed("td", "faint", "not measured"),
        }
    }
}
