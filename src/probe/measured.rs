//! What a folder holds of collective tests: `nccl-tests/`, `nccl-log/` and `nccl-ras/`, one file per case.

use std::{collections::BTreeMap, io};

use super::{files::Files, lines::each_line};
use crate::{
    evidence::{
        CollectiveEvidence, LibraryLog, LogReader, Measurement, NcclTestsReader, RasAnswer, read_nccl_tests_json,
        read_ras,
    },
    facts::Damage,
};

/// Outputs of collective tests by the case's short name.
pub(super) fn collectives(files: Files<'_>) -> BTreeMap<String, CollectiveEvidence> {
    let mut found: BTreeMap<String, CollectiveEvidence> = BTreeMap::new();
    for (case, file) in outputs(files, "nccl-tests", ".txt") {
        let (measurement, log) = text(files, &file);
        let entry = found.entry(case).or_default();
        entry.measurement = merged(entry.measurement.take(), measurement, Measurement::merged);
        entry.log = merged(entry.log.take(), log, LibraryLog::merged);
    }
    for (case, file) in outputs(files, "nccl-tests", ".json") {
        let entry = found.entry(case).or_default();
        entry.measurement = merged(entry.measurement.take(), Some(json(files, &file)), Measurement::merged);
    }
    for (case, file) in outputs(files, "nccl-log", ".txt") {
        let entry = found.entry(case).or_default();
        entry.log = merged(entry.log.take(), Some(log(files, &file)), LibraryLog::merged);
    }
    for (case, file) in outputs(files, "nccl-ras", ".txt") {
        found.entry(case).or_default().ras = Some(ras(files, &file));
    }
    found
}

/// Adds what a run itself measured to the outputs beside it: they must agree.
pub(super) fn add_recorded(
    found: &mut BTreeMap<String, CollectiveEvidence>,
    recorded: impl IntoIterator<Item = (String, CollectiveEvidence)>,
) {
    for (case, evidence) in recorded {
        let entry = found.entry(case).or_default();
        entry.measurement = merged(entry.measurement.take(), evidence.measurement, Measurement::merged);
        entry.log = merged(entry.log.take(), evidence.log, LibraryLog::merged);
        entry.ras = entry.ras.take().or(evidence.ras);
        entry.engine = entry.engine.take().or(evidence.engine);
    }
}

fn merged<T>(known: Option<T>, more: Option<T>, merge: impl FnOnce(T, T) -> T) -> Option<T> {
    match (known, more) {
        (Some(known), Some(more)) => Some(merge(known, more)),
        (known, more) => known.or(more),
    }
}

/// The outputs in a folder with an ending, in the order of their names: case, name within the host's folder.
fn outputs(files: Files<'_>, within: &str, ending: &str) -> Vec<(String, String)> {
    let names = files.list(within).into_iter();
    names.filter_map(|name| Some((name.strip_suffix(ending)?.to_owned(), format!("{within}/{name}")))).collect()
}

/// Hands every line of an output to `take`, and whether it has its end.
fn each_line_of(files: Files<'_>, file: &str, take: &mut dyn FnMut(&str, bool)) -> io::Result<()> {
    each_line(files.stream(file)?, take)
}

/// A table, and the log lines that stand between its rows.
fn text(files: Files<'_>, file: &str) -> (Option<Measurement>, Option<LibraryLog>) {
    let (mut table, mut log) = (NcclTestsReader::new(file), LogReader::new(file));
    let read = each_line_of(files, file, &mut |line, ended| {
        table.line(line);
        log_line(&mut log, line, ended);
    });
    let mut measurement = table.finish();
    if let Err(error) = read {
        measurement.unfinished = Some(format!("{file} cannot be read"));
        measurement.damage.push(unreadable(file, &error));
    }
    (Some(measurement), log.finish())
}

/// A line without its end may be cut.
fn log_line(reader: &mut LogReader, line: &str, ended: bool) {
    if ended { reader.line(line) } else { reader.unended_line(line) }
}

fn json(files: Files<'_>, file: &str) -> Measurement {
    match files.text(file).and_then(|text| text.ok_or_else(|| io::ErrorKind::NotFound.into())) {
        Ok(text) => read_nccl_tests_json(&text, file),
        Err(error) => Measurement {
            sources: vec![file.to_owned()],
            unfinished: Some(format!("{file} cannot be read")),
            damage: vec![unreadable(file, &error)],
            ..Measurement::default()
        },
    }
}

/// A log that is there and holds no line of the library is known to be one: it shows nothing.
fn log(files: Files<'_>, file: &str) -> LibraryLog {
    let mut reader = LogReader::new(file);
    let read = each_line_of(files, file, &mut |line, ended| log_line(&mut reader, line, ended));
    let mut log = reader.finish().unwrap_or_else(|| LibraryLog {
        sources: vec![file.to_owned()],
        damage: vec![Damage::of_file(file, "holds no line of NCCL or RCCL")],
        ..LibraryLog::default()
    });
    if let Err(error) = read {
        log.damage.push(unreadable(file, &error));
    }
    log
}

fn ras(files: Files<'_>, file: &str) -> RasAnswer {
    let mut text = String::new();
    let read = each_line_of(files, file, &mut |line, ended| {
        text.push_str(line);
        text.extend(ended.then_some('\n'));
    });
    let mut answer = read_ras(&text, file);
    if let Err(error) = read {
        answer.incomplete = Some(format!("{file} cannot be read"));
        answer.damage.push(unreadable(file, &error));
    }
    answer
}

fn unreadable(file: &str, error: &io::Error) -> Damage {
    Damage::of_file(file, format!("cannot be read: {error}"))
}
