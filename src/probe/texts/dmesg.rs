//! `dmesg`, `journalctl -k`: what the kernel log tells of GPUs, switches, PCIe and the IOMMU.

mod events;
mod iommu;
mod message;

use self::events::{Entry, events};
use super::{Line, lines};
use crate::facts::{Damage, Fact, Facts};

/// Reads a kernel log. `file` is its name in the folder.
///
/// The log proves that something did not happen only where it reaches back to the boot and has no gap: where it holds
/// the boot's first lines, with the last boot's the ones that count. That it was saved late enough cannot be seen in
/// it. Of any other log the events are facts, and that there are no others is unknown.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    read_from(text, file, None, |all| all.iter().rposition(is_boot).unwrap_or(0), facts);
}

/// Reads the kernel's own ring, which is of this boot alone; `lost` is why lines of it are missing, where some are.
pub fn read_ring(text: &str, file: &str, lost: Option<&str>, facts: &mut Facts) {
    read_from(text, file, lost, |_| 0, facts);
}

fn is_boot(entry: &Entry<'_>) -> bool {
    entry.message.starts_with("Linux version ")
}

/// Reads a log from the line that `begin` names.
fn read_from(text: &str, file: &str, lost: Option<&str>, begin: impl Fn(&[Entry<'_>]) -> usize, facts: &mut Facts) {
    let lines = lines(text);
    if let Some(reason) = refusal(&lines, file, &mut facts.damage) {
        return note_unknown(&reason, facts);
    }
    let all: Vec<Entry<'_>> = lines.iter().map(entry).collect();
    let since_boot = &all[begin(&all)..];
    let gap = gap(since_boot, text, file, &mut facts.damage);
    let gap = lost.map(str::to_owned).or(gap);
    let found = events(since_boot);
    let words = since_boot.iter().map(|entry| entry.line.to_owned()).collect();
    let host = &mut facts.host;
    match gap {
        Some(reason) => {
            host.kernel_log_seen.extend(found);
            host.kernel_log_lines_seen.extend(words);
            note_unknown(&reason, facts);
        }
        None => {
            host.iommu.merge(iommu::mode(since_boot, file));
            host.kernel_log.merge_list(Fact::known(found, file));
            host.kernel_log_lines.merge_log(Fact::known(words, file), message::message);
        }
    }
}

fn entry(line: &Line) -> Entry<'_> {
    Entry { number: line.number, line: &line.text, message: message::message(&line.text) }
}

fn note_unknown(reason: &str, facts: &mut Facts) {
    facts.host.kernel_log.merge_list(Fact::unknown(reason));
    facts.host.kernel_log_lines.merge_log(Fact::unknown(reason), message::message);
    facts.host.iommu.merge(Fact::unknown(reason));
}

/// Why the text is no log at all: it is empty, or holds what dmesg or the shell says when it may not read the log.
fn refusal(lines: &[Line], file: &str, damage: &mut Vec<Damage>) -> Option<String> {
    let mut told = lines.iter().filter(|line| !line.text.trim().is_empty()).peekable();
    if told.peek().is_none() {
        damage.push(Damage::of_file(file, "is empty"));
        return Some(format!("{file} is empty"));
    }
    let refused = told.take(REFUSED_WITHIN).find(|line| is_refusal(line.text.trim()))?;
    damage.push(Damage::new(file, refused.number, &refused.text, "no kernel log in this text"));
    Some(format!("{file} holds no kernel log: {}", refused.text.trim()))
}

/// A refusal stands at the top, after a prompt at most.
const REFUSED_WITHIN: usize = 3;

fn is_refusal(line: &str) -> bool {
    line.starts_with("dmesg: ")
        || line.contains("dmesg: command not found")
        || line.contains("dmesg: read kernel buffer failed")
        || line.starts_with("-- No entries --")
        || line.starts_with("No journal files were")
}

/// Why the log cannot prove that something did not happen, if it cannot.
fn gap(log: &[Entry<'_>], text: &str, file: &str, damage: &mut Vec<Damage>) -> Option<String> {
    let command_line = |entry: &Entry<'_>| {
        entry.message.starts_with("Command line:") || entry.message.starts_with("Kernel command line:")
    };
    if !log.iter().any(is_boot) || !log.iter().any(command_line) {
        return Some(format!("{file} does not reach back to the boot"));
    }
    if let Some(lost) = log.iter().find(|entry| is_elision(entry.message)) {
        damage.push(Damage::new(file, lost.number, lost.line, "lines are missing here"));
        return Some(format!("{file} has a gap in line {}: {}", lost.number, lost.line.trim()));
    }
    if !text.ends_with('\n') {
        damage.push(Damage::of_file(file, "the text ends within a line"));
        return Some(format!("{file} ends within a line: what followed is not known"));
    }
    None
}

/// What the kernel writes where it dropped lines, and what people write where they left some out.
fn is_elision(message: &str) -> bool {
    let dropped = message.contains("messages dropped") || message.contains("message dropped");
    let cut = message.trim_matches(['[', ']', '<', '>', '(', ')', '-', ' ']);
    dropped
        || matches!(cut, "..." | "\u{2026}" | "snip" | "cut" | "truncated" | "omitted")
        || (cut.starts_with("...") && cut.ends_with("..."))
}

#[cfg(test)]
mod tests;
