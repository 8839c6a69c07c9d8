use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    evidence::{LibraryLog, LogReader},
    facts::Damage,
    probe::each_line,
};

/// Where the ranks of one session write: a log of the library and standard error for each rank, below the suite's folder.
#[derive(Clone, Debug)]
pub(super) struct Logs {
    folder: PathBuf,
    /// What names of files in reports begin with.
    shown: String,
    ranks: usize,
}

impl Logs {
    /// An empty folder of a name, for so many ranks.
    pub(super) fn create(within: &Path, name: &str, ranks: usize) -> Result<Self, String> {
        let folder = within.join(FOLDER).join(name);
        let made = match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir_all(&folder),
        };
        made.map_err(|error| format!("{}: {error}", folder.display()))?;
        // The ranks run in this folder's place, but name files by themselves.
        let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { folder, shown: format!("{FOLDER}/{name}"), ranks })
    }

    /// The library's log of a rank.
    pub(super) fn log(&self, rank: usize) -> PathBuf {
        self.folder.join(log_name(rank))
    }

    /// Standard error of a rank.
    pub(super) fn errors(&self, rank: usize) -> PathBuf {
        self.folder.join(format!("rank{rank}.stderr.txt"))
    }

    /// What the library's logs say so far; `None` where none is there.
    pub(super) fn read(&self) -> Option<LibraryLog> {
        let logs = (0..self.ranks).filter_map(|rank| self.read_one(rank));
        logs.reduce(LibraryLog::merged)
    }

    fn read_one(&self, rank: usize) -> Option<LibraryLog> {
        let name = format!("{}/{}", self.shown, log_name(rank));
        let file = fs::File::open(self.log(rank)).ok()?;
        let mut reader = LogReader::new(&name);
        let read = each_line(io::BufReader::new(file), &mut |line, ended| {
            if ended { reader.line(line) } else { reader.unended_line(line) }
        });
        let mut log = reader.finish();
        if let (Some(log), Err(error)) = (&mut log, read) {
            log.damage.push(Damage::of_file(&name, format!("cannot be read: {error}")));
        }
        log
    }
}

/// The folder below the suite's.
pub(super) const FOLDER: &str = "logs";

fn log_name(rank: usize) -> String {
    format!("rank{rank}.log.txt")
}
