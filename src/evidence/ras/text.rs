use std::collections::BTreeMap;

use super::{
    incomplete,
    table::{Columns, Group},
};
use crate::{
    evidence::{RasAnswer, RasSpread},
    facts::Damage,
};

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Header,
    Job,
    Communicators,
    Errors,
    Warnings,
}

pub(super) fn read(text: &str, answer: &mut RasAnswer) {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut section = Section::Header;
    let mut seen = Vec::new();
    let mut columns = None;
    let mut groups: Vec<Group> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| lines.get(index)).copied().unwrap_or_default();
        if let Some(next) = titled(line, lines.get(index + 1).copied().unwrap_or_default()) {
            if seen.contains(&next) {
                incomplete(answer, "it holds more than one answer");
            }
            (section, columns) = (next, None);
            seen.push(next);
            continue;
        }
        if line.is_empty() || line.bytes().all(|byte| byte == b'=') {
            continue;
        }
        match section {
            Section::Header => library(line, answer),
            Section::Job => job(before, line, answer),
            Section::Errors => answer.errors.push((*line).to_owned()),
            Section::Warnings => answer.warnings.push((*line).to_owned()),
            Section::Communicators => match &columns {
                None if line.starts_with("Group") => {}
                None if line.starts_with("No communicator data") => {
                    incomplete(answer, "it has no data of communicators");
                }
                None => columns = Columns::of(before, line),
                Some(columns) => match columns.row(line) {
                    Some(group) => groups.push(group),
                    None => {
                        let reason = "it is no row of the list of communicators";
                        answer.damage.push(Damage::new(&answer.source, index + 1, line, reason));
                        incomplete(answer, "a row of its list of communicators is cut");
                    }
                },
            },
        }
    }
    details(&mut groups, answer);
    let blank_end = text.ends_with("\n\n") || text.ends_with("\n\r\n");
    whole(&seen, &groups, blank_end, answer);
    if answer.incomplete.is_none() && !answer.errors.iter().any(|line| line == "DEAD") {
        answer.dead = Some(0);
    }
    answer.communicators = groups.into_iter().map(|group| group.communicator).collect();
}

/// The section that a title opens: the service underlines each.
fn titled(line: &str, below: &str) -> Option<Section> {
    let (section, underline) = match line {
        "Job summary" => (Section::Job, 11),
        "Errors" => (Section::Errors, 6),
        "Warnings" => (Section::Warnings, 8),
        _ if line.starts_with("Communicators...") => (Section::Communicators, 13),
        _ => return None,
    };
    (below.len() == underline && below.bytes().all(|byte| byte == b'=')).then_some(section)
}

/// `NCCL version 2.28.9 compiled with ...`
fn library(line: &str, answer: &mut RasAnswer) {
    let mut words = line.split_whitespace();
    if let (Some(name @ ("NCCL" | "RCCL")), Some("version"), Some(version)) = (words.next(), words.next(), words.next())
    {
        answer.library = Some(format!("{name} {version}"));
    }
}

/// The totals of the job stand in the table whose columns at both ends are totals: nodes first, GPUs last.
fn job(above: &str, line: &str, answer: &mut RasAnswer) {
    let numbers: Option<Vec<u32>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
    if !above.starts_with("(total)") || !above.ends_with("(total)") {
        return;
    }
    if let Some([nodes, .., gpus]) = numbers.as_deref() {
        (answer.nodes, answer.gpus) = (Some(*nodes), Some(*gpus));
    }
}

/// What the lines of errors and warnings say of dead processes, missing ranks and spreads.
fn details(groups: &mut [Group], answer: &mut RasAnswer) {
    let first = |line: &str| line.split_whitespace().next().and_then(|word| word.parse::<u32>().ok());
    answer.dead = answer.errors.iter().find(|line| line.contains("considered dead")).and_then(|line| first(line));
    for group in groups.iter_mut().filter(|group| group.communicator.missing.is_none()) {
        let blocks = blocks(&answer.errors, &group.number, "INCOMPLETE");
        let counts: Option<Vec<u32>> = blocks.iter().map(|block| missing(block.get(1)?)).collect();
        group.communicator.missing = counts
            .filter(|counts| Some(counts.len()) == group.communicator.count.map(|count| count as usize))
            .and_then(|counts| counts.into_iter().try_fold(0u32, u32::checked_add));
    }
    let spreads: Vec<RasSpread> =
        groups.iter().flat_map(|group| blocks(&answer.warnings, &group.number, "MISMATCH")).flat_map(spreads).collect();
    answer.spreads = spreads;
}

/// `Missing communicator data from 2 ranks`
fn missing(line: &str) -> Option<u32> {
    line.strip_prefix("Missing communicator data from ")?.split_whitespace().next()?.parse().ok()
}

/// The blocks of a group's communicators that tell one kind of trouble, each with its title `#0-1 (HASH) KIND`.
fn blocks<'a>(lines: &'a [String], group: &str, kind: &str) -> Vec<&'a [String]> {
    let titles: Vec<usize> = (0..lines.len()).filter(|at| lines.get(*at).is_some_and(|line| is_title(line))).collect();
    let ends = titles.iter().skip(1).copied().chain([lines.len()]);
    let blocks = titles.iter().zip(ends).filter_map(|(start, end)| lines.get(*start..end));
    let own = |title: &str| title.starts_with(&format!("#{group}-")) && title.ends_with(&format!(" {kind}"));
    blocks.filter(|block| block.first().is_some_and(|title| own(title))).collect()
}

fn is_title(line: &str) -> bool {
    line.starts_with('#') || matches!(line, "INCOMPLETE" | "DEAD" | "TIMEOUT")
}

/// The spreads of one communicator's block: of each operation a line that names it, then lines with numbers.
fn spreads(block: &[String]) -> Vec<RasSpread> {
    let Some((title, lines)) = block.split_first() else { return Vec::new() };
    let communicator = title.strip_suffix(" MISMATCH").unwrap_or(title);
    let mut operations: Vec<(String, BTreeMap<u64, Vec<u32>>)> = Vec::new();
    let mut last = None;
    for line in lines {
        if let Some(different) = line.strip_prefix("Communicator ranks have different ") {
            last = None;
            if let Some(named) = different.strip_suffix(" operation counts") {
                operations.push((named.to_owned(), BTreeMap::new()));
            }
            continue;
        }
        let Some((_, counts)) = operations.last_mut() else { continue };
        let rank = line.strip_prefix("Rank ").and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        if let Some(launched) = launched(line) {
            counts.entry(launched).or_default().extend(rank);
            last = Some(launched);
        } else if let (Some(rank), Some(launched)) = (rank, last) {
            counts.entry(launched).or_default().push(rank);
        }
    }
    let spread = |(operation, counts): (String, BTreeMap<u64, Vec<u32>>)| {
        let (least, behind) = counts.first_key_value()?;
        let (most, _) = counts.last_key_value()?;
        let (least, most, behind) = (*least, *most, behind.clone());
        (least < most).then(|| RasSpread { communicator: communicator.to_owned(), operation, least, most, behind })
    };
    operations.into_iter().filter_map(spread).collect()
}

/// `26 ranks have launched up to operation 6650`, `Rank 3 has not launched any operations -- ...`
fn launched(line: &str) -> Option<u64> {
    if line.contains(" not launched any operations") {
        return Some(0);
    }
    let (_, number) = line.split_once(" launched up to operation ")?;
    number.split_whitespace().next()?.parse().ok()
}

/// Says what is missing from the answer.
fn whole(seen: &[Section], groups: &[Group], blank_end: bool, answer: &mut RasAnswer) {
    for (section, name) in [
        (Section::Job, "summary of the job"),
        (Section::Communicators, "list of communicators"),
        (Section::Errors, "errors"),
        (Section::Warnings, "warnings"),
    ] {
        if !seen.contains(&section) {
            incomplete(answer, format!("it has no {name}"));
        }
    }
    if groups.is_empty() {
        incomplete(answer, "its list of communicators is empty");
    }
    if groups.iter().enumerate().any(|(index, group)| group.number != index.to_string()) {
        incomplete(answer, "its list of communicators has a gap");
    }
    for group in groups {
        let told = |kind: &str, lines: &[String]| {
            let expected = group.communicator.errors.split(',').any(|error| error == kind);
            let blocks = blocks(lines, &group.number, kind);
            !expected
                || Some(blocks.len()) == group.communicator.count.map(|count| count as usize)
                    && blocks.iter().all(|block| block.len() > 1)
        };
        let errors = told("INCOMPLETE", &answer.errors) && told("ERROR", &answer.errors);
        if !errors || !told("MISMATCH", &answer.warnings) {
            incomplete(answer, format!("it does not tell the errors of group {}", group.number));
        }
    }
    // Every block ends with an empty line.
    if !answer.warnings.is_empty() && !blank_end {
        incomplete(answer, "its last warning may be cut");
    }
}
