//! A folder or file that stands in for the machine (`--host`).

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::{measured, texts};
use crate::{
    evidence::CollectiveEvidence,
    facts::{Damage, Facts, Origin},
    record::{CaseRecord, RunRecord},
};

/// What a `--host` path holds.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The facts before the run.
    pub before: Facts,
    /// The facts after the run, where the path holds them.
    pub after: Option<Facts>,
    /// The outputs of `command` tests, by the case's short name.
    pub commands: BTreeMap<String, String>,
    /// What was measured for collective tests, by the case's short name.
    pub collectives: BTreeMap<String, CollectiveEvidence>,
}

/// A `--host` path that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// It cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is neither a folder of tool outputs nor facts nor a run.
    #[error("{path}: not facts or a run of linkspec: {reason}", path = path.display())]
    Format {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// A larger file is no output of a tool that reads state.
const LARGEST: u64 = 256 << 20;

/// Opens a folder of tool outputs, a `facts.json` or a `run.json`.
pub fn open(path: &Path) -> Result<Saved, SavedError> {
    let metadata = fs::metadata(path).map_err(|source| SavedError::Read { path: path.to_owned(), source })?;
    if metadata.is_dir() { open_folder(path) } else { open_file(path) }
}

fn open_file(path: &Path) -> Result<Saved, SavedError> {
    read_saved(&read(path)?, path)
}

/// [`open`] of the text of a file; `path` is for errors only. This is for those that try many texts.
#[doc(hidden)]
pub fn read_saved(text: &str, path: &Path) -> Result<Saved, SavedError> {
    let format = |reason: String| SavedError::Format { path: path.to_owned(), reason };
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| format(error.to_string()))?;
    let mut collectives = BTreeMap::new();
    let (before, after) = if value.get("header").is_some() {
        let record: RunRecord = serde_json::from_value(value).map_err(|error| format(error.to_string()))?;
        measured::add_recorded(&mut collectives, recorded_collectives(record.cases));
        (record.header.facts, record.facts_after)
    } else {
        (serde_json::from_value(value).map_err(|error| format(error.to_string()))?, None)
    };
    let before = checked(before, path)?;
    let after = after.map(|facts| checked(facts, path)).transpose()?;
    Ok(Saved { before, after, commands: BTreeMap::new(), collectives })
}

fn open_folder(path: &Path) -> Result<Saved, SavedError> {
    let mut files = BTreeMap::new();
    let mut unreadable = Vec::new();
    for name in texts::file_names() {
        match read_lossy(&path.join(name)) {
            Ok(Some(text)) => {
                files.insert(name.to_owned(), text);
            }
            Ok(None) => {}
            Err(error) => unreadable.push(Damage::of_file(name, format!("cannot be read: {error}"))),
        }
    }
    let origin = || Origin::Saved { path: path.display().to_string() };
    let recorded = recorded(&path.join("facts.json"))?;
    let mut before = texts::read_all(&files, recorded.unwrap_or_else(|| Facts::new(origin())));
    before.origin = origin();
    before.damage.extend(unreadable);
    let after = recorded_after(&path.join("facts-after.json"), &origin())?;
    let mut collectives = measured::collectives(path);
    if let Some(record) = run_beside(&path.join("run.json"))? {
        measured::add_recorded(&mut collectives, recorded_collectives(record.cases));
    }
    Ok(Saved { before, after, commands: commands(&path.join("command")), collectives })
}

fn recorded(path: &Path) -> Result<Option<Facts>, SavedError> {
    if !path.exists() {
        return Ok(None);
    }
    let text = read(path)?;
    let facts = serde_json::from_str(&text)
        .map_err(|error| SavedError::Format { path: path.to_owned(), reason: error.to_string() })?;
    checked(facts, path).map(Some)
}

/// What the cases of a run were judged by, by their short names.
fn recorded_collectives(cases: Vec<CaseRecord>) -> impl Iterator<Item = (String, CollectiveEvidence)> {
    cases.into_iter().filter_map(|case| Some((case.short_name().to_owned(), *case.collective?)))
}

/// The record of the run whose folder of results this is. Of it only the measurements are used.
fn run_beside(path: &Path) -> Result<Option<RunRecord>, SavedError> {
    if !path.exists() {
        return Ok(None);
    }
    let record = serde_json::from_str(&read(path)?)
        .map_err(|error| SavedError::Format { path: path.to_owned(), reason: error.to_string() })?;
    Ok(Some(record))
}

fn recorded_after(path: &Path, origin: &Origin) -> Result<Option<Facts>, SavedError> {
    Ok(recorded(path)?.map(|facts| Facts { origin: origin.clone(), ..facts }))
}

/// Facts of a later version may mean something else by the same name.
fn checked(facts: Facts, path: &Path) -> Result<Facts, SavedError> {
    if facts.version == Facts::VERSION {
        return Ok(facts);
    }
    let reason = format!("its facts have version {}, this linkspec reads version {}", facts.version, Facts::VERSION);
    Err(SavedError::Format { path: path.to_owned(), reason })
}

fn read(path: &Path) -> Result<String, SavedError> {
    let wrap = |source| SavedError::Read { path: path.to_owned(), source };
    read_lossy(path).map_err(wrap)?.ok_or_else(|| wrap(io::ErrorKind::NotFound.into()))
}

/// A file's text; bytes that are no UTF-8 become U+FFFD, which no reader takes for a value.
fn read_lossy(path: &Path) -> io::Result<Option<String>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file"));
    }
    if metadata.len() > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MiB", LARGEST >> 20)));
    }
    Ok(Some(String::from_utf8_lossy(&fs::read(path)?).into_owned()))
}

/// The saved outputs of commands. A folder that cannot be read holds none; the cases say so.
fn commands(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let read = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let case = name.strip_suffix(".txt")?.to_owned();
        Some((case, read_lossy(&entry.path()).ok()??))
    };
    entries.filter_map(read).collect()
}
