use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
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
        let name = file_name(name);
        let folder = within.join(FOLDER).join(&name);
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

    /// What the library's logs say so far; `None` where none is there. One that a rank lacks among others is damage: what
    /// it would have shown is not known.
    pub(super) fn read(&self) -> Option<LibraryLog> {
        let logs: Vec<Option<LibraryLog>> = (0..self.ranks).map(|rank| self.read_one(rank)).collect();
        let lacking = logs.iter().enumerate().filter(|(_, log)| log.is_none());
        let lacking: Vec<Damage> =
            lacking.map(|(rank, _)| Damage::of_file(&self.name(rank), "holds no line of the library")).collect();
        let mut log = logs.into_iter().flatten().reduce(LibraryLog::merged)?;
        log.damage.extend(lacking);
        Some(log)
    }

    /// A rank's log as reports name it.
    fn name(&self, rank: usize) -> String {
        format!("{}/{}", self.shown, log_name(rank))
    }

    fn read_one(&self, rank: usize) -> Option<LibraryLog> {
        let name = self.name(rank);
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

/// The most bytes of a name that file systems take, less what a checksum needs.
const MOST: usize = 255 - 17;

/// A case's name as that of one folder: values of variables hold slashes, and may be long.
fn file_name(case: &str) -> String {
    let name = case.replace('%', "%25").replace('/', "%2F");
    if name.len() <= MOST {
        return name;
    }
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let end = (0..=MOST).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    format!("{}~{:016x}", &name[..end], hasher.finish())
}

fn log_name(rank: usize) -> String {
    format!("rank{rank}.log.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_case_is_one_folder() {
        assert_eq!(file_name("a[NCCL_ALGO=Ring]"), "a[NCCL_ALGO=Ring]");
        assert_eq!(file_name("a[NCCL_TOPO_FILE=../../x%]"), "a[NCCL_TOPO_FILE=..%2F..%2Fx%25]");
        let long = |end: &str| file_name(&format!("a[X={}{end}]", "ä".repeat(200)));
        assert!(long("1").len() <= 255 && long("1") != long("2"), "{}", long("1"));
    }

    #[test]
    fn a_log_that_one_rank_lacks_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let logs = Logs::create(folder.path(), "a", 2).unwrap();
        assert_eq!(logs.read(), None);
        let line = "node:1:1 [0] NCCL INFO NCCL version 2.28.3+cuda13.0\n";
        fs::write(logs.log(0), line).unwrap();
        let damage = |logs: &Logs| logs.read().unwrap().damage.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(damage(&logs), ["logs/a/rank1.log.txt: holds no line of the library"]);
        fs::write(logs.log(1), line).unwrap();
        assert_eq!(damage(&logs), Vec::<String>::new());
    }
}
