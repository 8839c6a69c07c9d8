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
    report::{html, json, junit, markdown},
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
    Journal(JournalError),
    /// A report cannot be put into its form.
    #[error("{}: cannot be rendered: {cause}", path.display())]
    Render {
        /// The report.
        path: PathBuf,
        /// Why.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl From<JournalError> for OutputPlaceError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::File { path, cause } => Self::Write { path, cause },
            other => Self::Journal(other),
        }
    }
}

impl OutputPlace {
    /// The journal's name.
    pub const JOURNAL: &str = "run.jsonl";
    /// The names of the reports, the one for people first.
    pub const REPORTS: [&str; 4] = ["report.html", "junit.xml", "run.json", "summary.md"];

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
    pub fn resume(&self) -> Result<(Journal, Vec<Event>, Option<Damage>), JournalError> {
        Journal::resume(&self.journal())
    }

    /// Replaces every report by one of `record` and removes halves of reports that an earlier run left.
    pub fn replace_reports(&self, record: &RunRecord) -> Result<(), OutputPlaceError> {
        self.remove_unfinished()?;
        self.write_reports(record)
    }

    /// Writes every report, each renamed into place whole.
    pub fn write_reports(&self, record: &RunRecord) -> Result<(), OutputPlaceError> {
        let [html, junit, json, markdown] = Self::REPORTS.map(|name| self.folder.join(name));
        // What a CI gate reads comes first: a folder that fills up in between leaves it whole.
        self.write(&junit, junit::render(record))?;
        self.write(&json, json::render(record))?;
        self.write(&markdown, Ok::<_, io::Error>(markdown::render(record)))?;
        self.write(&html, Ok::<_, io::Error>(html::render(record)))
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

    fn remove_unfinished(&self) -> Result<(), OutputPlaceError> {
        let error = |path: &Path, cause| OutputPlaceError::Write { path: path.to_owned(), cause };
        for entry in fs::read_dir(&self.folder).map_err(|cause| error(&self.folder, cause))? {
            let entry = entry.map_err(|cause| error(&self.folder, cause))?;
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::{
        facts::{Facts, Origin},
        record::{CaseRecord, RunHeader},
        verdict::Verdict,
    };

    fn planned() -> RunRecord {
        RunRecord::planned(RunHeader {
            version: RunRecord::VERSION,
            linkspec: "0.1.0".into(),
            suite: "s".into(),
            title: None,
            spec: "s.yaml".into(),
            command: vec![],
            hostname: "h".into(),
            started: "2026-05-04T10:00:00+00:00".into(),
            facts: Facts::new(Origin::Live),
            warnings: vec![],
            planned: vec!["s::a".into(), "s::b".into()],
        })
    }

    fn in_folder(test: impl FnOnce(&Path, OutputPlace)) {
        let folder = tempfile::tempdir().unwrap();
        test(folder.path(), OutputPlace::new(&folder.path().join("out"), "s").unwrap());
    }

    fn message(place: &OutputPlace) -> String {
        place.begin(&planned()).map(|_| String::new()).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn before_the_first_case_every_planned_case_is_an_error_in_every_report() {
        in_folder(|_, place| {
            let mut done = planned();
            for case in &mut done.cases {
                case.verdict = Verdict::from_findings(vec![], vec![]);
            }
            drop(place.begin(&planned()).unwrap());
            place.write_reports(&done).unwrap();
            fs::write(place.folder().join(format!("{UNFINISHED}abc")), "half").unwrap();

            drop(place.begin(&planned()).unwrap());
            let mut names: Vec<String> = fs::read_dir(place.folder())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            assert_eq!(names, ["junit.xml", "report.html", "run.json", "run.jsonl", "summary.md"]);
            let read = |name: &str| fs::read_to_string(place.folder().join(name)).unwrap();
            assert_eq!(json::read(&read("run.json")).unwrap(), planned());
            assert_eq!(read("junit.xml").matches("<error message=\"not finished").count(), 2);
            assert!(read("summary.md").contains("NOT JUDGED"));
            assert!(read("report.html").contains("<title>NOT JUDGED: "));
            assert_eq!(read("run.jsonl"), "");
        });
    }

    #[test]
    fn a_resumed_run_keeps_its_journal() {
        in_folder(|_, place| {
            let mut journal = place.begin(&planned()).unwrap();
            journal.write(&Event::RunStarted(Box::new(planned().header))).unwrap();
            let passed = CaseRecord {
                verdict: Verdict::from_findings(vec![], vec![]),
                ..CaseRecord::unfinished("s::a", "2026-05-04T10:00:00+00:00")
            };
            journal.write(&Event::CaseFinished(Box::new(passed))).unwrap();
            drop(journal);
            let (_journal, events, damage) = place.resume().unwrap();
            let record = RunRecord::from_events(events).unwrap();
            place.replace_reports(&record).unwrap();
            assert_eq!((record.counts().pass, record.counts().error, damage), (1, 1, None));
        });
    }

    #[test]
    fn what_stands_in_the_way_is_named_with_its_cure() {
        in_folder(|folder, place| {
            fs::create_dir(folder.join("out")).unwrap();
            fs::write(folder.join("out/s"), "").unwrap();
            assert!(
                message(&place)
                    .ends_with("out/s: is a file, not a folder; remove it or choose another folder with --out DIR")
            );
            fs::remove_file(folder.join("out/s")).unwrap();

            symlink("s", folder.join("out/s")).unwrap();
            assert!(message(&place).contains("out/s: cannot be written: "), "{}", message(&place));
            fs::remove_file(folder.join("out/s")).unwrap();

            fs::create_dir_all(folder.join("out/s/junit.xml")).unwrap();
            assert!(message(&place).contains("junit.xml: is a folder where a report has to be"));
        });
        in_folder(|folder, place| {
            fs::write(folder.join("out"), "").unwrap();
            assert!(message(&place).contains("/out: is a file, not a folder"));
        });
    }

    #[test]
    fn what_cannot_be_written_is_told_before_the_first_case() {
        in_folder(|_, place| {
            fs::create_dir_all(place.journal()).unwrap();
            let message = message(&place);
            assert!(message.contains("run.jsonl: cannot be written: "), "{message}");
            assert!(message.ends_with("choose a folder that you can write with --out DIR"), "{message}");
        });
        in_folder(|_, place| {
            assert!(matches!(place.resume(), Err(JournalError::File { .. })));
            assert!(!place.folder().exists());
        });
    }

    #[test]
    fn two_runs_in_one_folder() {
        in_folder(|_, place| {
            let _journal = place.begin(&planned()).unwrap();
            assert!(message(&place).contains("another run is writing here"));
        });
    }

    #[test]
    fn a_suite_cannot_name_another_folder() {
        for name in ["", ".", "..", "a/b", "/a", "a/", "../s"] {
            assert!(matches!(OutputPlace::new(Path::new("out"), name), Err(OutputPlaceError::Name(_))), "{name}");
        }
    }
}
