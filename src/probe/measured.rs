//! What a folder holds of collective tests: `nccl-tests/`, `nccl-log/` and `nccl-ras/`, one file per case.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::lines::each_line;
use crate::{
    evidence::{
        CollectiveEvidence, LibraryLog, LogReader, Measurement, NcclTestsReader, RasAnswer, read_nccl_tests_json,
        read_ras,
    },
    facts::Damage,
};

/// Larger JSON is no output of these tools.
const LARGEST_JSON: u64 = 256 << 20;

/// Outputs of collective tests by the case's short name.
pub(super) fn collectives(folder: &Path) -> BTreeMap<String, CollectiveEvidence> {
    let mut found: BTreeMap<String, CollectiveEvidence> = BTreeMap::new();
    for (case, file, path) in files(folder, "nccl-tests", ".txt") {
        let (measurement, log) = text(&file, &path);
        let entry = found.entry(case).or_default();
        entry.measurement = merged(entry.measurement.take(), measurement, Measurement::merged);
        entry.log = merged(entry.log.take(), log, LibraryLog::merged);
    }
    for (case, file, path) in files(folder, "nccl-tests", ".json") {
        let entry = found.entry(case).or_default();
        entry.measurement = merged(entry.measurement.take(), Some(json(&file, &path)), Measurement::merged);
    }
    for (case, file, path) in files(folder, "nccl-log", ".txt") {
        let entry = found.entry(case).or_default();
        entry.log = merged(entry.log.take(), Some(log(&file, &path)), LibraryLog::merged);
    }
    for (case, file, path) in files(folder, "nccl-ras", ".txt") {
        found.entry(case).or_default().ras = Some(ras(&file, &path));
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
    }
}

fn merged<T>(known: Option<T>, more: Option<T>, merge: impl FnOnce(T, T) -> T) -> Option<T> {
    match (known, more) {
        (Some(known), Some(more)) => Some(merge(known, more)),
        (known, more) => known.or(more),
    }
}

/// The files of a folder with an ending, in the order of their names: case, name within the host's folder, path.
fn files(folder: &Path, within: &str, ending: &str) -> Vec<(String, String, PathBuf)> {
    let entries = fs::read_dir(folder.join(within)).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let case = name.strip_suffix(ending)?.to_owned();
            Some((case, format!("{within}/{name}"), entry.path()))
        })
        .collect();
    files.sort();
    files
}

/// A table, and the log lines that stand between its rows.
fn text(file: &str, path: &Path) -> (Option<Measurement>, Option<LibraryLog>) {
    let (mut table, mut log) = (NcclTestsReader::new(file), LogReader::new(file));
    let read = each_line(path, &mut |line, ended| {
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

fn json(file: &str, path: &Path) -> Measurement {
    let read = fs::metadata(path).and_then(|metadata| {
        if metadata.len() > LARGEST_JSON {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than 256 MiB"));
        }
        fs::read(path)
    });
    match read {
        Ok(bytes) => read_nccl_tests_json(&String::from_utf8_lossy(&bytes), file),
        Err(error) => Measurement {
            sources: vec![file.to_owned()],
            unfinished: Some(format!("{file} cannot be read")),
            damage: vec![unreadable(file, &error)],
            ..Measurement::default()
        },
    }
}

/// A log that is there and holds no line of the library is known to be one: it shows nothing.
fn log(file: &str, path: &Path) -> LibraryLog {
    let mut reader = LogReader::new(file);
    let read = each_line(path, &mut |line, ended| log_line(&mut reader, line, ended));
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

fn ras(file: &str, path: &Path) -> RasAnswer {
    let mut text = String::new();
    let read = each_line(path, &mut |line, ended| {
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
