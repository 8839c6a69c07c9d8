use std::{
    fs,
    path::{Path, PathBuf},
};

use nix::errno::Errno;

/// Files below a root, which is `/` but for machines rebuilt in a test. What cannot be read is a reason, never a value.
///
/// Paths are given without the leading `/`, and reasons show them with it.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    root: PathBuf,
}

impl Tree {
    pub(super) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Whether this is the machine itself.
    pub(super) fn is_this_machine(&self) -> bool {
        self.root == Path::new("/")
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// A file's text without the white space at its end. Bytes that are no UTF-8 become U+FFFD.
    pub(super) fn read(&self, path: &str) -> Result<String, String> {
        let mut text = self.bytes(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())?;
        text.truncate(text.trim_end().len());
        Ok(text)
    }

    /// A file's bytes.
    pub(super) fn bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        fs::read(self.path(path)).map_err(|error| reason(path, &error))
    }

    /// A file that holds one value of a type that text is parsed to.
    pub(super) fn parse<T: std::str::FromStr>(&self, path: &str) -> Result<T, String> {
        let text = self.read(path)?;
        text.trim().parse().map_err(|_| format!("/{path} says {text:?}, which is not what belongs there"))
    }

    /// The names in a folder, in byte order: all of them, or none.
    pub(super) fn names(&self, path: &str) -> Result<Vec<String>, String> {
        let entries = fs::read_dir(self.path(path)).map_err(|error| reason(path, &error))?;
        let name = |entry: std::io::Result<fs::DirEntry>| {
            let name = entry.map_err(|error| reason(path, &error))?.file_name();
            name.into_string().map_err(|name| format!("/{path} holds {}, which is no UTF-8", name.display()))
        };
        let mut names = entries.map(name).collect::<Result<Vec<String>, String>>()?;
        names.sort_unstable();
        Ok(names)
    }

    /// What a link points to, as it is written in the link.
    pub(super) fn link(&self, path: &str) -> Result<String, String> {
        let target = fs::read_link(self.path(path)).map_err(|error| reason(path, &error))?;
        target.into_os_string().into_string().map_err(|_| format!("/{path} points to a name that is no UTF-8"))
    }

    /// Whether something is certainly not there: one that may not be looked at could be.
    pub(super) fn lacks(&self, path: &str) -> bool {
        matches!(self.path(path).try_exists(), Ok(false))
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.path(path).exists()
    }
}

/// Why a file cannot be read: a fragment that says where more rights would help.
fn reason(path: &str, error: &std::io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ENOENT) => format!("/{path} is not there"),
        Some(Errno::EACCES) => format!("/{path} can be read by root only"),
        // So a driver answers root too, as KFD does of a GPU that a container may not use.
        Some(Errno::EPERM) => format!("/{path} may not be read here"),
        _ => format!("/{path}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_named_from_the_root_of_its_own_machine() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::new(folder.path());
        assert_eq!(tree.read("proc/cmdline"), Err("/proc/cmdline is not there".to_owned()));
        assert!(!tree.is_this_machine());
    }

    #[test]
    fn a_name_that_cannot_be_read_is_not_left_out() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mlx5_0"), "").unwrap();
        let tree = Tree::new(folder.path());
        assert_eq!(tree.names(""), Ok(vec!["mlx5_0".to_owned()]));
        fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"mlx5_\xff")), "").unwrap();
        assert!(tree.names("").unwrap_err().ends_with("which is no UTF-8"));
    }

    #[test]
    fn root_is_named_only_where_it_would_help() {
        let why = |errno: Errno| reason("sys/x", &errno.into());
        assert_eq!(why(Errno::ENOENT), "/sys/x is not there");
        assert_eq!(why(Errno::EACCES), "/sys/x can be read by root only");
        assert_eq!(why(Errno::EPERM), "/sys/x may not be read here");
        assert!(why(Errno::EIO).starts_with("/sys/x: "));
    }

    #[test]
    fn a_value_that_is_none_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("numa_node"), "-1\n").unwrap();
        fs::write(folder.path().join("odd"), "many\n").unwrap();
        let tree = Tree::new(folder.path());
        assert_eq!(tree.parse::<i32>("numa_node"), Ok(-1));
        assert!(tree.parse::<i32>("odd").unwrap_err().contains("\"many\""));
    }
}
