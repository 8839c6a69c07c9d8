use super::{Html, table::table};
use crate::{facts::Damage, record::RunHeader};

/// What was amiss before the first case, and what was read: warnings about the spec, damaged parts, every source.
pub(super) fn inputs(header: &RunHeader, html: &mut Html) {
    if !header.warnings.is_empty() {
        html.leaf("h3", &[], "Warnings about the spec");
        html.element("ul", &[("class", "plain-list")], |html| {
            for warning in &header.warnings {
                html.classed("li", "finding warning", warning);
            }
        });
    }
    damaged(&header.facts.damage, html);
    let sources = &header.facts.sources;
    if !sources.is_empty() {
        html.element("details", &[("class", "fold")], |html| {
            html.leaf("summary", &[], &format!("Sources that were looked for ({})", sources.len()));
            table("sources", &["source", "what was found"], html, |html| {
                for (source, found) in sources {
                    html.element("tr", &[], |html| {
                        html.leaf("th", &[("scope", "row"), ("class", "mono")], source);
                        html.leaf("td", &[], found);
                    });
                }
            });
        });
    }
}

/// Parts of inputs that gave no facts.
pub(super) fn damaged(damage: &[Damage], html: &mut Html) {
    if damage.is_empty() {
        return;
    }
    html.leaf("h3", &[], "Damaged parts, which gave no facts");
    html.element("ul", &[("class", "plain-list")], |html| {
        for part in damage {
            html.element("li", &[("class", "finding error")], |html| {
                let place = if part.line == 0 { part.file.clone() } else { format!("{}:{}", part.file, part.line) };
                html.leaf("code", &[], &place);
                html.text(&format!(": {}", part.reason));
                if !part.quote.is_empty() {
                    html.classed("pre", "quote", &part.quote);
                }
            });
        }
    });
}

/// Whether there is anything to tell of the inputs.
pub(super) fn has_inputs(header: &RunHeader) -> bool {
    !header.warnings.is_empty() || !header.facts.damage.is_empty() || !header.facts.sources.is_empty()
}
