use std::collections::BTreeMap;

use super::field;
use crate::{
    facts::{Damage, Fact, Facts, Origin},
    record::RunHeader,
    report::{
        headline::reservation,
        plain::{plain, plain_line},
        style::{Role, Style},
        wrap::wrap,
    },
};

/// What is judged and what is known of it before the first case, with every warning about the spec and the sources.
pub fn start(header: &RunHeader, style: Style) -> String {
    let mut text = headline(header, style);
    text.push_str(&field("judged", &judged(&header.facts.origin), style));
    text.push_str(&field("host", &plain_line(&header.hostname), style));
    text.push_str(&field("gpus", &gpus(&header.facts), style));
    text.push_str(&sources(&header.facts, style));
    text.push_str(&field("cases", &header.planned.len().to_string(), style));
    for warning in &header.warnings {
        text.push_str(&warn(warning, style));
    }
    for damage in &header.facts.damage {
        text.push_str(&damaged(damage, style));
    }
    text.push('\n');
    text
}

fn headline(header: &RunHeader, style: Style) -> String {
    let title = header.title.as_deref().map(|title| format!(": {}", plain_line(title))).unwrap_or_default();
    let lines = wrap(&format!("{}{title}", plain_line(&header.suite)), style.width, 2);
    let lines: Vec<String> = lines.into_iter().map(|line| style.paint(Role::Strong, line)).collect();
    let from = field("spec", &plain_line(&format!("{}, linkspec {}", header.spec, header.linkspec)), style);
    format!("{}\n{from}", lines.join("\n"))
}

/// Where the facts are from. What is not of this machine, now, says so.
pub(super) fn judged(origin: &Origin) -> String {
    match origin {
        Origin::Live => "this machine, live".to_owned(),
        Origin::Captured { path } | Origin::Saved { path } => {
            format!("{}, recorded: nothing is measured now", plain_line(path))
        }
        fake @ Origin::Fake => reservation(fake).unwrap_or_default().to_owned(),
    }
}

/// `8 x NVIDIA H200, driver 580.95.05`.
pub(super) fn gpus(facts: &Facts) -> String {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for gpu in &facts.gpus {
        *names.entry(gpu.name.value().map_or("GPU of unknown name", String::as_str)).or_default() += 1;
    }
    let mut parts: Vec<String> =
        names.iter().map(|(name, number)| format!("{number} x {}", plain_line(name))).collect();
    if let Fact::Unknown { reason } | Fact::Conflict { reason } = &facts.gpu_count {
        parts.push(format!("number unknown: {}", plain_line(reason)));
    } else if facts.gpus.is_empty() {
        parts.push("none".to_owned());
    }
    if !facts.lost_gpus.is_empty() {
        let lost: Vec<_> = facts.lost_gpus.iter().map(|gpu| plain_line(&gpu.pci_address)).collect();
        parts.push(format!("lost {}", lost.join(", ")));
    }
    if let Some(driver) = facts.driver.value() {
        parts.push(format!("driver {}", plain_line(driver)));
    }
    parts.join(", ")
}

/// What became of every source that was looked for; sources of which the same is said share their lines.
fn sources(facts: &Facts, style: Style) -> String {
    let mut said: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (source, what) in &facts.sources {
        said.entry(what).or_default().push(source);
    }
    let mut label = "sources";
    let mut text = String::new();
    for (what, sources) in said {
        text.push_str(&field(label, &plain_line(&format!("{}: {what}", sources.join(", "))), style));
        label = "";
    }
    text
}

fn warn(warning: &str, style: Style) -> String {
    let warning = plain(warning);
    let warning = warning.trim().strip_prefix("warning: ").unwrap_or(warning.trim());
    let mut lines = warning.split('\n');
    let first = wrap(&format!("warning: {}", lines.next().unwrap_or_default()), style.width, 2).join("\n");
    let rest = first.strip_prefix("warning:").unwrap_or_default();
    let mut text = format!("{}{rest}\n", style.paint(Role::Warning, "warning:"));
    // A warning of several lines quotes the spec: its layout is its own.
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn damaged(damage: &Damage, style: Style) -> String {
    let Damage { file, line, quote, reason } = damage;
    if *line == 0 {
        return warn(&format!("{file}: {reason}"), style);
    }
    let mut text = warn(&format!("{file}:{line}: {reason}"), style);
    let bar = style.paint(Role::Frame, "|");
    let quote: String = plain_line(quote).chars().take(style.width.saturating_sub(4)).collect();
    text.push_str(&format!("  {bar} {quote}\n"));
    text
}
