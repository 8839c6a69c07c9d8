use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::{
    facts::{Damage, Facts},
    record::{Event, RunHeader, RunRecord},
};

/// The journal of a run under way: one line per event, in the file as soon as it is written.
///
/// The file is locked while this lives, so that two runs never mix their lines.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

/// A journal that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// The journal.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// Another run writes it.
    #[error("{}: another run is writing here; wait for it, or choose another folder with --out", path.display())]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// A line before the last is no event.
    #[error("{}:{line}: not an event of a run: {cause}", path.display())]
    Line {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        cause: serde_json::Error,
    },
    /// A later linkspec wrote it.
    #[error(
        "{}: written by linkspec {linkspec} in version {version} of the format; this linkspec reads up to version {known}",
        path.display()
    )]
    Newer {
        /// The journal.
        path: PathBuf,
        /// The version of its format.
        version: u32,
        /// The version that this linkspec knows.
        known: u32,
        /// The linkspec that wrote it.
        linkspec: String,
    },
}

impl Journal {
    /// An empty journal in the place of any earlier one.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let journal = Self::open(path, true)?;
        journal.cut(0)?;
        Ok(journal)
    }

    /// An earlier journal with its events, to go on with. A last line that was cut is removed, and told.
    pub fn resume(path: &Path) -> Result<(Self, Vec<Event>, Option<Damage>), JournalError> {
        let mut journal = Self::open(path, false)?;
        let bytes = fs::read(path).map_err(|cause| journal.error(cause))?;
        let read = parse(path, &bytes)?;
        journal.cut(read.whole)?;
        journal.file.seek(SeekFrom::End(0)).map_err(|cause| journal.error(cause))?;
        if read.whole > 0 && bytes.get(read.whole - 1) != Some(&b'\n') {
            journal.file.write_all(b"\n").map_err(|cause| journal.error(cause))?;
        }
        Ok((journal, read.events, read.damage))
    }

    /// Adds an event. It is in the file, as one line, when this returns.
    pub fn write(&mut self, event: &Event) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(event).map_err(|cause| self.error(cause.into()))?;
        line.push(b'\n');
        // One write without a buffer: a kill leaves this line whole or, at worst, as the cut last line.
        self.file.write_all(&line).map_err(|cause| self.error(cause))
    }

    fn open(path: &Path, create: bool) -> Result<Self, JournalError> {
        let error = |cause| JournalError::File { path: path.to_owned(), cause };
        let file = OpenOptions::new().write(true).create(create).truncate(false).open(path).map_err(error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse { path: path.to_owned() }),
            // A file system without locks, as some of a cluster's are, is no reason not to run.
            Err(TryLockError::Error(_)) => {}
        }
        Ok(Self { file, path: path.to_owned() })
    }

    fn cut(&self, length: usize) -> Result<(), JournalError> {
        // usize is at most 64 bits wide.
        self.file.set_len(length as u64).map_err(|cause| self.error(cause))
    }

    fn error(&self, cause: io::Error) -> JournalError {
        JournalError::File { path: self.path.clone(), cause }
    }
}

/// The events of a journal. A last line that was cut is left out, and told; damage before it is an error.
pub fn read_journal(path: &Path) -> Result<(Vec<Event>, Option<Damage>), JournalError> {
    let bytes = fs::read(path).map_err(|cause| JournalError::File { path: path.to_owned(), cause })?;
    read_journal_bytes(path, &bytes)
}

/// [`read_journal`] of the bytes of a journal; `path` is for errors only. This is for those that try many bytes.
#[doc(hidden)]
pub fn read_journal_bytes(path: &Path, bytes: &[u8]) -> Result<(Vec<Event>, Option<Damage>), JournalError> {
    let read = parse(path, bytes)?;
    Ok((read.events, read.damage))
}

struct Read {
    events: Vec<Event>,
    damage: Option<Damage>,
    /// The number of bytes before the damage.
    whole: usize,
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Read, JournalError> {
    let mut read = Read { events: Vec::new(), damage: None, whole: 0 };
    for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            read.whole += line.len();
            continue;
        }
        let event = serde_json::from_slice(line);
        // A later format may be read and mean something else, or not be read, and its version says why.
        let start = match &event {
            Ok(Event::RunStarted(header)) => Some(Start::of(header)),
            Ok(_) => None,
            Err(_) => serde_json::from_slice(line).ok(),
        };
        start.map_or(Ok(()), |start| refuse_newer(path, start))?;
        match event {
            Ok(event) => read.events.push(event),
            Err(_) if read.whole + line.len() == bytes.len() => {
                let quote = String::from_utf8_lossy(line);
                let reason = "the last line was cut and is left out";
                read.damage = Some(Damage::new(&path.to_string_lossy(), at + 1, &quote, reason));
                break;
            }
            Err(cause) => return Err(JournalError::Line { path: path.to_owned(), line: at + 1, cause }),
        }
        read.whole += line.len();
    }
    Ok(read)
}

/// Only the versions of a run's start, which every version of the format can read.
#[derive(Deserialize)]
struct Start {
    #[serde(rename = "run-started")]
    header: Versions,
}

#[derive(Deserialize)]
struct Versions {
    version: u32,
    linkspec: String,
    facts: Option<FactsVersion>,
}

#[derive(Deserialize)]
struct FactsVersion {
    version: u32,
}

impl Start {
    fn of(header: &RunHeader) -> Self {
        let facts = Some(FactsVersion { version: header.facts.version });
        Self { header: Versions { version: header.version, linkspec: header.linkspec.clone(), facts } }
    }
}

fn refuse_newer(path: &Path, start: Start) -> Result<(), JournalError> {
    let Versions { version, linkspec, facts } = start.header;
    let facts = facts.map_or(Facts::VERSION, |facts| facts.version);
    match [(version, RunRecord::VERSION), (facts, Facts::VERSION)].into_iter().find(|(version, known)| version > known)
    {
        Some((version, known)) => Err(JournalError::Newer { path: path.to_owned(), version, known, linkspec }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Origin;

    fn begin(name: &str) -> Event {
        Event::CaseStarted { name: name.into() }
    }

    fn over() -> Event {
        Event::RunFinished { seconds: 0.1, interrupted: false, facts_after: None }
    }

    fn in_folder(test: impl FnOnce(&Path)) {
        let folder = tempfile::tempdir().unwrap();
        test(&folder.path().join("run.jsonl"));
    }

    #[test]
    fn what_is_written_is_there_while_the_run_goes_on() {
        in_folder(|path| {
            let mut journal = Journal::create(path).unwrap();
            journal.write(&begin("s::a")).unwrap();
            assert_eq!(read_journal(path).unwrap(), (vec![begin("s::a")], None));
            journal.write(&over()).unwrap();
            assert_eq!(read_journal(path).unwrap().0, [begin("s::a"), over()]);
        });
    }

    #[test]
    fn a_journal_cut_anywhere_gives_every_line_that_is_whole() {
        in_folder(|path| {
            let mut journal = Journal::create(path).unwrap();
            let events = [begin("s::a"), begin("s::b"), over()];
            events.iter().for_each(|event| journal.write(event).unwrap());
            drop(journal);
            let bytes = fs::read(path).unwrap();
            for length in 0..=bytes.len() {
                fs::write(path, &bytes[..length]).unwrap();
                let (read, damage) = read_journal(path).unwrap();
                assert_eq!(read, events[..read.len()]);
                let lines = bytes[..length].iter().filter(|byte| **byte == b'\n').count();
                // A line that lacks nothing but its end is whole too.
                assert!(read.len() == lines || read.len() == lines + 1 && damage.is_none());

                let (mut resumed, before, _) = Journal::resume(path).unwrap();
                assert_eq!(before, read);
                resumed.write(&begin("s::c")).unwrap();
                let (after, damage) = read_journal(path).unwrap();
                assert_eq!((after.len(), damage), (before.len() + 1, None));
                assert_eq!(after.last(), Some(&begin("s::c")));
            }
        });
    }

    #[test]
    fn the_cut_line_is_named() {
        in_folder(|path| {
            fs::write(path, "{\"case-started\":{\"name\":\"s::a\"}}\n{\"case-sta").unwrap();
            let damage = read_journal(path).unwrap().1.unwrap();
            assert_eq!((damage.line, damage.quote.as_str()), (2, "{\"case-sta"));
        });
    }

    #[test]
    fn damage_before_the_end_is_an_error_that_names_the_line() {
        in_folder(|path| {
            let line = "{\"case-started\":{\"name\":\"s::a\"}}\n";
            fs::write(path, format!("{line}\0\0\0\n{line}")).unwrap();
            assert!(matches!(read_journal(path), Err(JournalError::Line { line: 2, .. })));
        });
    }

    #[test]
    fn a_later_format_is_named() {
        in_folder(|path| {
            fs::write(path, "{\"run-started\":{\"version\":2,\"linkspec\":\"9.0.0\",\"new\":1}}\n").unwrap();
            let error = read_journal(path).unwrap_err().to_string();
            assert!(error.ends_with(
                "run.jsonl: written by linkspec 9.0.0 in version 2 of the format; this linkspec reads up to version 1"
            ));
        });
    }

    #[test]
    fn facts_of_a_later_version_are_refused_however_the_line_is_laid_out() {
        in_folder(|path| {
            let mut facts = Facts::new(Origin::Live);
            facts.version = Facts::VERSION + 1;
            let header = RunHeader {
                version: RunRecord::VERSION,
                linkspec: "9.0.0".into(),
                suite: "s".into(),
                title: None,
                spec: "s.yaml".into(),
                command: vec![],
                hostname: "h".into(),
                started: "2026-05-04T10:00:00+00:00".into(),
                facts,
                warnings: vec![],
                planned: vec![],
            };
            let line = serde_json::to_string(&Event::RunStarted(Box::new(header))).unwrap();
            for text in [line.clone(), line.replacen('{', "{ ", 1)] {
                fs::write(path, text).unwrap();
                assert!(matches!(read_journal(path), Err(JournalError::Newer { version: 2, known: 1, .. })));
            }
        });
    }

    #[test]
    fn two_runs_never_write_one_journal() {
        in_folder(|path| {
            let mut first = Journal::create(path).unwrap();
            first.write(&begin("s::a")).unwrap();
            assert!(matches!(Journal::create(path), Err(JournalError::InUse { .. })));
            assert_eq!(read_journal(path).unwrap().0.len(), 1);
            drop(first);
            Journal::create(path).unwrap();
        });
    }
}
