use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use super::{
    journal::{Journal, JournalError},
    replace::{UNFINISHED, replace_atomically},
};
use crate::{
    facts::Damage,
    record::{Event, RunRecord},
    report::{json, junit, markdown},
};

/// The folder of one suite's results, `DIR/SUITE` under `--out DIR`.
#[derive(Clone, Debug)]
pub struct OutputPlace {
    folder: PathBuf,
}

/// A folder that cannot take the results.
#[derive(Debug, thiserror::Error)]
pub enum OutputPlaceError {
    /// The suite's name is no name of a folder.
    #[error("the suite's name {0:?} cannot be the name of a folder: use letters, digits and hyphens")]
    Name(String),
    /// Something else has the folder's name.
    #[error("{}: is a file, not a folder; remove it or choose another folder with --out DIR", .0.display())]
    File(PathBuf),
    /// A folder has a report's name.
    #[error("{}: is a folder where a report has to be; remove it or choose another folder with --out DIR", .0.display())]
    Folder(PathBuf),
    /// The system refuses.
    #[error("{}: cannot be written: {cause}; choose a folder that you can write with --out DIR", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A report cannot be put into its form.
    #[error("{}: cannot be rendered: {cause}", path.display())]
    Render {
        /// The report.
        path: PathBuf,
        /// Why.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl OutputPlace {
    /// The journal's name.
    pub const JOURNAL: &str = "run.jsonl";
    /// The names of the reports, in the order in which they are written.
    pub const REPORTS: [&str; 3] = ["junit.xml", "run.json", "summary.md"];
    /// Reports of other versions or later steps, which must not stand beside a run that they are not of.
    const STALE: [&str; 1] = ["report.html"];

    /// The folder of a suite, without touching it.
    pub fn new(out: &Path, suite: &str) -> Result<Self, OutputPlaceError> {
        let mut components = Path::new(suite).components();
        match (components.next(), components.next()) {
            (Some(Component::Normal(name)), None) if name == suite => Ok(Self { folder: out.join(suite) }),
            _ => Err(OutputPlaceError::Name(suite.to_owned())),
        }
    }

    /// A folder that is named itself.
    pub const fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Readies the folder before the first case of a new run, and gives its empty journal.
    ///
    /// From here on no report of an earlier run is left: each is of `planned`, in which what has not ended is an error.
    /// That everything can be written is known by having written it.
    pub fn begin(&self, planned: &RunRecord) -> Result<Journal, OutputPlaceError> {
        self.make_folder()?;
        // The lock of the journal comes first, so that the reports of a run under way are left alone.
        let journal = Journal::create(&self.journal())?;
        self.replace_reports(planned)?;
        Ok(journal)
    }

    /// The journal of an earlier run, to go on with; [`OutputPlace::replace_reports`] comes next.
    pub fn resume(&self) -> Result<(Journal, Vec<Event>, Option<Damage>), OutputPlaceError> {
        Ok(Journal::resume(&self.journal())?)
    }

    /// Replaces every report by one of `record` and removes what is of no run that this folder knows.
    pub fn replace_reports(&self, record: &RunRecord) -> Result<(), OutputPlaceError> {
        self.remove_stale()?;
        self.write_reports(record)
    }

    /// Writes every report, each renamed into place whole.
    pub fn write_reports(&self, record: &RunRecord) -> Result<(), OutputPlaceError> {
        let [junit, json, markdown] = Self::REPORTS.map(|name| self.folder.join(name));
        self.write(&junit, junit::render(record))?;
        self.write(&json, json::render(record))?;
        self.write(&markdown, Ok::<_, io::Error>(markdown::render(record)))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The journal's path.
    pub fn journal(&self) -> PathBuf {
        self.folder.join(Self::JOURNAL)
    }

    /// Makes the folder where it is not there.
    pub fn make_folder(&self) -> Result<(), OutputPlaceError> {
        // A file is named itself, not by what the system says of a folder below it.
        if let Some(file) = self.folder.ancestors().find(|path| path.is_file()) {
            return Err(OutputPlaceError::File(file.to_owned()));
        }
        fs::create_dir_all(&self.folder).map_err(|cause| OutputPlaceError::Write { path: self.folder.clone(), cause })
    }

    fn remove_stale(&self) -> Result<(), OutputPlaceError> {
        let error = |path: &Path, cause| OutputPlaceError::Write { path: path.to_owned(), cause };
        for entry in fs::read_dir(&self.folder).map_err(|cause| error(&self.folder, cause))? {
            let entry = entry.map_err(|cause| error(&self.folder, cause))?;
            let name = entry.file_name();
            let stale = Self::STALE.iter().any(|stale| name == *stale);
            if stale || name.to_string_lossy().starts_with(UNFINISHED) {
                fs::remove_file(entry.path()).map_err(|cause| error(&entry.path(), cause))?;
            }
        }
        Ok(())
    }

    fn write<E: std::error::Error + Send + Sync + 'static>(
        &self,
        path: &Path,
        text: Result<String, E>,
    ) -> Result<(), OutputPlaceError> {
        let text = text.map_err(|cause| OutputPlaceError::Render { path: path.to_owned(), cause: Box::new(cause) })?;
        if path.is_dir() {
            return Err(OutputPlaceError::Folder(path.to_owned()));
        }
        replace_atomically(path, &text).map_err(|cause| OutputPlaceError::Write { path: path.to_owned(), cause })
    }
}
