//! Where the files of a recorded host are read from: a folder, or what is built in.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use super::recordings::Recording;

/// A larger file is no output of a tool that reads state.
const LARGEST: u64 = 256 << 20;

/// The files of one host, by their names within its folder, as `nccl-tests/all-reduce.txt`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Files<'a> {
    /// On disk.
    Folder(&'a Path),
    /// In this binary.
    BuiltIn(&'static Recording),
}

impl Files<'_> {
    /// A name as a person can find it.
    pub(super) fn place(&self, name: &str) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(name),
            Self::BuiltIn(recording) => Path::new(recording.folder).join(name),
        }
    }

    /// A file's text, where there is such a file; bytes that are no UTF-8 become U+FFFD, which no reader takes for a
    /// value.
    pub(super) fn text(&self, name: &str) -> io::Result<Option<String>> {
        match self {
            Self::Folder(folder) => file_text(&folder.join(name)),
            Self::BuiltIn(recording) => Ok(recording.file(name).map(str::to_owned)),
        }
    }

    /// A file to be read piece by piece, for those that may be larger than memory.
    pub(super) fn stream(&self, name: &str) -> io::Result<Box<dyn BufRead>> {
        match self {
            Self::Folder(folder) => {
                let file = File::open(folder.join(name))?;
                if !file.metadata()?.is_file() {
                    return Err(not_plain());
                }
                Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
            }
            Self::BuiltIn(recording) => match recording.file(name) {
                Some(text) => Ok(Box::new(text.as_bytes())),
                None => Err(io::ErrorKind::NotFound.into()),
            },
        }
    }

    /// The names of what is in a folder within the host's, in byte order. One that cannot be read holds nothing.
    pub(super) fn list(&self, within: &str) -> Vec<String> {
        let mut names: Vec<String> = match self {
            Self::Folder(folder) => {
                let entries = fs::read_dir(folder.join(within)).into_iter().flatten().flatten();
                entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
            }
            Self::BuiltIn(recording) => recording.list(within).map(str::to_owned).collect(),
        };
        names.sort();
        names
    }
}

/// The text of a file, `None` where it is not there.
pub(super) fn file_text(path: &Path) -> io::Result<Option<String>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !metadata.is_file() {
        return Err(not_plain());
    }
    if metadata.len() > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MiB", LARGEST >> 20)));
    }
    Ok(Some(String::from_utf8_lossy(&fs::read(path)?).into_owned()))
}

fn not_plain() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a plain file")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_is_no_plain_file_is_an_error_and_what_is_not_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("dmesg.txt")).unwrap();
        let files = Files::Folder(folder.path());
        assert!(files.text("dmesg.txt").is_err());
        assert!(files.stream("dmesg.txt").is_err());
        assert_eq!(files.text("absent").unwrap(), None);
        assert!(files.stream("absent").is_err());
        assert!(files.list("absent").is_empty());
    }

    #[test]
    fn a_built_in_recording_reads_like_its_folder() {
        for recording in super::super::recordings::RECORDINGS {
            let built_in = Files::BuiltIn(recording);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(recording.folder);
            let on_disk = Files::Folder(&folder);
            for within in ["nccl-tests", "nccl-log", "nccl-ras", "command"] {
                assert_eq!(built_in.list(within), on_disk.list(within), "{within}");
            }
            for name in ["nvidia-smi-topo-m.txt", "nccl-tests/all-reduce.txt", "facts.json"] {
                assert_eq!(built_in.text(name).unwrap(), on_disk.text(name).unwrap(), "{name}");
            }
            let mut text = String::new();
            built_in.stream("dmesg.txt").unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(Some(text), on_disk.text("dmesg.txt").unwrap());
            assert!(built_in.stream("absent").is_err());
        }
    }
}
