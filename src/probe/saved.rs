//! A folder or file that stands in for the machine (`--host`).

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    consistent::consistent,
    files::{Files, file_text},
    measured,
    recordings::{RECORDINGS, Recording},
    texts,
    unread::unread,
};
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
    /// A warning of the files beside these that nothing reads.
    pub unread: Option<String>,
}

/// A `--host` path that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// It cannot be read.
    #[error("{path}: {cause}", path = path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// It is neither a folder of tool outputs nor facts nor a run.
    #[error("{path}: not facts or a run of linkspec: {reason}", path = path.display())]
    Format {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No recording of this name is built in.
    #[error("{BUILT_IN}{name}: no recording of this name is built in; there are {known}")]
    BuiltIn {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
}

impl SavedError {
    fn unknown(name: &str) -> Self {
        let known: Vec<String> = RECORDINGS.iter().map(|known| format!("{BUILT_IN}{}", known.name)).collect();
        Self::BuiltIn { name: name.to_owned(), known: known.join(" and ") }
    }
}

/// What the name of a recording that is built in begins with.
const BUILT_IN: &str = "demo:";

/// Opens a folder of tool outputs, a `facts.json`, a `run.json`, or a recording that is built in, `demo:NAME`.
pub fn open(path: &Path) -> Result<Saved, SavedError> {
    if let Some(name) = path.to_str().and_then(|path| path.strip_prefix(BUILT_IN)) {
        let recording = Recording::named(name).ok_or_else(|| SavedError::unknown(name))?;
        // All that are built in are constructed, and a report must not lose that.
        return open_files(Files::BuiltIn(recording), format!("{} (built in, constructed)", recording.folder));
    }
    let metadata = fs::metadata(path).map_err(|cause| SavedError::Read { path: path.to_owned(), cause })?;
    if metadata.is_dir() { open_files(Files::Folder(path), path.display().to_string()) } else { open_file(path) }
}

fn open_file(path: &Path) -> Result<Saved, SavedError> {
    read_saved(&read(path)?, path)
}

/// [`open`] of the text of a file; nothing is read at `path`. This is for those that try many texts.
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
    let mut before = checked(before, path)?;
    let mut after = after.map(|facts| checked(facts, path)).transpose()?;
    let is_fake = [Some(&before), after.as_ref()].into_iter().flatten().any(is_fake);
    let origin = origin(is_fake, before.origin == Origin::Live, path.display().to_string());
    set_origin(&origin, &mut before, after.as_mut());
    Ok(Saved { before, after, commands: BTreeMap::new(), collectives, unread: None })
}

fn open_files(files: Files<'_>, path: String) -> Result<Saved, SavedError> {
    let mut outputs = BTreeMap::new();
    let mut unreadable = Vec::new();
    for name in texts::file_names() {
        match files.text(name) {
            Ok(Some(text)) => {
                outputs.insert(name.to_owned(), text);
            }
            Ok(None) => {}
            Err(error) => unreadable.push(Damage::of_file(name, format!("cannot be read: {error}"))),
        }
    }
    let facts = recorded(files, "facts.json")?;
    let mut after = recorded(files, "facts-after.json")?;
    let run = run_beside(files)?;
    let of_run = run.as_ref().map(|run| &run.header.facts);
    let is_fake = [facts.as_ref(), after.as_ref(), of_run].into_iter().flatten().any(is_fake);
    let origin = origin(is_fake, facts.as_ref().is_some_and(|facts| facts.origin == Origin::Live), path);
    // Of the results of a run its measurements are used, beside other outputs; who has nothing else means its facts too.
    let only_run = run.is_some() && facts.is_none() && outputs.is_empty();
    let unread = only_run.then(|| facts_of_run(files)).or_else(|| unread(files));
    let mut before = texts::read_all(&outputs, facts.unwrap_or_else(|| Facts::new(origin.clone())));
    set_origin(&origin, &mut before, after.as_mut());
    before.damage.extend(unreadable);
    let mut collectives = measured::collectives(files);
    if let Some(record) = run {
        measured::add_recorded(&mut collectives, recorded_collectives(record.cases));
    }
    name_measured(&collectives, &mut before.sources);
    Ok(Saved { before, after, commands: commands(files), collectives, unread })
}

fn facts_of_run(files: Files<'_>) -> String {
    let run = files.place("run.json");
    format!("the facts of the run are not used in a folder: judge them with --host {}", run.display())
}

fn is_fake(facts: &Facts) -> bool {
    facts.origin == Origin::Fake
}

/// What was read of stand-ins is no measurement, however often it is saved and whatever lies beside it.
fn origin(is_fake: bool, is_captured: bool, path: String) -> Origin {
    match (is_fake, is_captured) {
        (true, _) => Origin::Fake,
        (false, true) => Origin::Captured { path },
        (false, false) => Origin::Saved { path },
    }
}

fn set_origin(origin: &Origin, before: &mut Facts, after: Option<&mut Facts>) {
    for facts in [before].into_iter().chain(after) {
        facts.origin = origin.clone();
    }
}

/// Names the folders that the outputs of collectives were read from, and how many files each holds.
fn name_measured(collectives: &BTreeMap<String, CollectiveEvidence>, sources: &mut BTreeMap<String, String>) {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for file in collectives.values().flat_map(CollectiveEvidence::files) {
        if let Some((folder, _)) = file.split_once('/') {
            *folders.entry(folder).or_default() += 1;
        }
    }
    for (folder, count) in folders {
        sources.insert(format!("{folder}/ ({count})"), "read".to_owned());
    }
}

fn recorded(files: Files<'_>, name: &str) -> Result<Option<Facts>, SavedError> {
    let Some(facts) = json(files, name)? else { return Ok(None) };
    checked(facts, &files.place(name)).map(Some)
}

/// A file in linkspec's own form, where it is there.
fn json<T: serde::de::DeserializeOwned>(files: Files<'_>, name: &str) -> Result<Option<T>, SavedError> {
    let text = files.text(name).map_err(|cause| SavedError::Read { path: files.place(name), cause })?;
    let read = text.map(|text| serde_json::from_str(&text)).transpose();
    read.map_err(|error| SavedError::Format { path: files.place(name), reason: error.to_string() })
}

/// What the cases of a run were judged by, by their short names.
fn recorded_collectives(cases: Vec<CaseRecord>) -> impl Iterator<Item = (String, CollectiveEvidence)> {
    cases.into_iter().filter_map(|case| Some((case.short_name().to_owned(), *case.collective?)))
}

/// The record of the run whose folder of results this is. Of it only the measurements are used.
fn run_beside(files: Files<'_>) -> Result<Option<RunRecord>, SavedError> {
    json(files, "run.json")
}

/// Facts of a later version may mean something else by the same name; those that contradict themselves mean nothing.
fn checked(facts: Facts, path: &Path) -> Result<Facts, SavedError> {
    let checked = match facts.version {
        Facts::VERSION => consistent(facts),
        other => Err(format!("its facts have version {other}, this linkspec reads version {}", Facts::VERSION)),
    };
    checked.map_err(|reason| SavedError::Format { path: path.to_owned(), reason })
}

fn read(path: &Path) -> Result<String, SavedError> {
    let wrap = |cause| SavedError::Read { path: path.to_owned(), cause };
    file_text(path).map_err(wrap)?.ok_or_else(|| wrap(io::ErrorKind::NotFound.into()))
}

/// The saved outputs of commands. A folder that cannot be read holds none; the cases say so.
fn commands(files: Files<'_>) -> BTreeMap<String, String> {
    let read = |name: String| {
        let case = name.strip_suffix(".txt")?.to_owned();
        Some((case, files.text(&format!("command/{name}")).ok()??))
    };
    files.list("command").into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, origin: Origin) {
        fs::write(folder.join(name), serde_json::to_string(&Facts::new(origin)).unwrap()).unwrap();
    }

    fn origins(path: &Path) -> (Origin, Option<Origin>) {
        let saved = open(path).unwrap();
        (saved.before.origin, saved.after.map(|facts| facts.origin))
    }

    #[test]
    fn a_folder_of_results_alone_names_the_file_with_its_facts() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let header = serde_json::json!({
            "version": 1, "linkspec": "0", "suite": "one", "title": null, "spec": "one.yaml", "command": [],
            "hostname": "x", "started": "", "facts": Facts::new(Origin::Live), "warnings": [], "planned": [],
        });
        let run = serde_json::json!({
            "header": header, "cases": [], "seconds": 0.0, "interrupted": false, "facts_after": null,
        });
        fs::write(folder.join("run.json"), run.to_string()).unwrap();
        let told = open(folder).unwrap().unread.unwrap();
        assert!(told.ends_with(&format!("--host {}", folder.join("run.json").display())), "{told}");
        write(folder, "facts.json", Origin::Live);
        assert_eq!(open(folder).unwrap().unread, None);
    }

    #[test]
    fn what_is_fake_stays_fake_and_what_was_live_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, file) = (folder.path(), folder.path().join("facts.json"));
        let saved = |path: &Path| Origin::Captured { path: path.display().to_string() };
        write(folder, "facts.json", Origin::Live);
        assert_eq!(origins(folder), (saved(folder), None));
        assert_eq!(origins(&file), (saved(&file), None));
        write(folder, "facts.json", Origin::Fake);
        assert_eq!(origins(folder), (Origin::Fake, None));
        assert_eq!(origins(&file), (Origin::Fake, None));
        write(folder, "facts.json", Origin::Live);
        write(folder, "facts-after.json", Origin::Fake);
        assert_eq!(origins(folder), (Origin::Fake, Some(Origin::Fake)));
    }
}
