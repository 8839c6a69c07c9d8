use super::{
    Html,
    index::{Index, Step},
};
use crate::{
    report::{
        findings::{Statement, blocks, headline},
        quote::quote,
        style::{Role, Style},
    },
    spec::Place,
    verdict::{Finding, Severity},
};

/// Devices of a statement that stand on the page at once; more are behind a fold.
const MOST_AT_ONCE: usize = 12;

/// Findings: what led to them, the deepest cause first; what was found; where it is asked for; what to do.
pub(super) fn findings(findings: &[Finding], index: &Index<'_>, html: &mut Html) {
    let mut quoted: Vec<&Place> = Vec::new();
    let mut before: Option<&Finding> = None;
    for block in blocks(findings) {
        let first = block.first;
        html.element("div", &[("class", &format!("finding {}", class(block.severity())))], |html| {
            if before.is_none_or(|before| before.because != first.because) {
                chain(first, index, html);
            } else if !first.because.is_empty() {
                html.classed("p", "source", "explained by the same");
            }
            for statement in &block.statements {
                said(statement, html);
            }
            if let Some(hint) = first.hint.as_ref().filter(|_| before.is_none_or(|before| before.hint != first.hint)) {
                look_at_next(hint, html);
            }
            frame(first, &mut quoted, html);
        });
        html.line();
        before = Some(first);
    }
}

/// The word for what a finding does to its case.
const fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Failure => "out of spec",
        Severity::Error => "not judged",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

const fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Failure => "fail",
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn chain(finding: &Finding, index: &Index<'_>, html: &mut Html) {
    let steps = index.chain(finding);
    if steps.is_empty() {
        return;
    }
    html.element("ol", &[("class", "chain")], |html| {
        for alike in steps.chunk_by(is_like) {
            let [step, more @ ..] = alike else { continue };
            let cause = step.cause;
            html.element("li", &[("class", if step.root { "root" } else { "step" })], |html| {
                html.classed("span", "tag", if step.root { "may come from" } else { "and through it" });
                html.text(" ");
                html.leaf("strong", &[], &cause.message);
                html.text(" ");
                html.classed("code", "code", cause.code.as_str());
                html.text(" in ");
                case_link(&cause.case, index, html);
                if !more.is_empty() {
                    html.text("; the same of ");
                    let devices = more.iter().map(|step| step.cause.device.as_deref().unwrap_or(&step.cause.message));
                    names(&devices.collect::<Vec<_>>(), html);
                }
            });
        }
    });
}

/// Steps that differ by the device alone.
fn is_like(one: &Step<'_>, other: &Step<'_>) -> bool {
    let of = |step: &Step<'_>| (step.root, step.cause.case.clone(), step.cause.code);
    of(one) == of(other)
}

/// A case's name that leads to the case, where the page has it.
pub(super) fn case_link(name: &str, index: &Index<'_>, html: &mut Html) {
    let short = name.split_once("::").map_or(name, |(_, short)| short);
    match index.anchor(name) {
        Some(anchor) => html.leaf("a", &[("href", &format!("#{anchor}"))], short),
        None => html.leaf("code", &[], name),
    }
}

fn said(statement: &Statement<'_>, html: &mut Html) {
    let first = statement.first;
    html.element("p", &[("class", "said")], |html| {
        html.classed("span", "tag", word(first.severity));
        html.text(" ");
        html.leaf("strong", &[], &headline(first));
        html.text(" ");
        html.classed("code", "code", first.code.as_str());
    });
    let devices: Vec<&str> =
        statement.more.iter().map(|finding| finding.device.as_deref().unwrap_or(&finding.message)).collect();
    if devices.is_empty() {
        return;
    }
    if devices.len() <= MOST_AT_ONCE {
        html.element("p", &[("class", "alike")], |html| {
            html.text("the same of ");
            names(&devices, html);
        });
    } else {
        html.element("details", &[("class", "alike")], |html| {
            html.leaf("summary", &[], &format!("the same of {} others", devices.len()));
            html.element("p", &[], |html| names(&devices, html));
        });
    }
}

fn names(devices: &[&str], html: &mut Html) {
    for (at, device) in devices.iter().enumerate() {
        if at > 0 {
            html.text(", ");
        }
        html.classed("span", "device", device);
    }
}

fn look_at_next(hint: &str, html: &mut Html) {
    html.element("p", &[("class", "hint")], |html| {
        html.classed("span", "tag", "look at next");
        html.text(" ");
        with_code(hint, html);
    });
}

/// Where the statements of a block are from, and where they are asked for.
fn frame<'a>(first: &'a Finding, quoted: &mut Vec<&'a Place>, html: &mut Html) {
    if let Some(source) = &first.source {
        html.element("p", &[("class", "source")], |html| {
            html.text("read from ");
            html.leaf("code", &[], source);
        });
    }
    if let Some(place) = &first.place {
        if quoted.contains(&place) {
            html.element("p", &[("class", "source")], |html| {
                html.text("asked for in ");
                html.leaf("code", &[], &place.to_string());
            });
        } else {
            asked(place, html);
            quoted.push(place);
        }
    }
}

/// A text in which commands stand between backquotes.
fn with_code(text: &str, html: &mut Html) {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        // One that has no partner is no mark.
        return html.text(text);
    }
    for (at, part) in parts.into_iter().enumerate() {
        if at % 2 == 1 {
            html.leaf("code", &[], part);
        } else {
            html.text(part);
        }
    }
}

/// A place of the spec with its line, as compilers quote.
fn asked(place: &Place, html: &mut Html) {
    html.classed("pre", "quote", &quote(place, Style::UNWRAPPED, Role::Frame).join("\n"));
}
