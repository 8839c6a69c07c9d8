use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use nix::sys::statvfs::{FsFlags, statvfs};
use tempfile::TempDir;

/// A rebuilt machine's root. Paths are given without the leading `/`.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    /// In memory where that can be: a large machine has a thousand files.
    pub fn new() -> Self {
        let shm = "/dev/shm";
        // Containers often do not let programs be run from there.
        let runs = statvfs(shm).is_ok_and(|shm| !shm.flags().contains(FsFlags::ST_NOEXEC));
        let in_memory = runs.then(|| tempfile::tempdir_in(shm).ok()).flatten();
        Self(in_memory.unwrap_or_else(|| tempfile::tempdir().unwrap()))
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub fn folder(&self, path: &str) {
        fs::create_dir_all(self.path(path)).unwrap();
    }

    pub fn bytes(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn text(&self, path: &str, text: &str) {
        self.bytes(path, text.as_bytes());
    }

    /// A file of one line, as the kernel writes values.
    pub fn value(&self, path: &str, value: impl ToString) {
        self.text(path, &(value.to_string() + "\n"));
    }

    /// A relative link, as the kernel makes them, to a path below the root.
    pub fn link(&self, path: &str, target: &str) {
        let up = "../".repeat(path.matches('/').count());
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(up + target, path).unwrap();
    }

    /// A shell script.
    pub fn program(&self, path: &str, script: &str) {
        self.text(path, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The names in a folder, in byte order.
    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    /// A file's text without the white space at its end.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap().trim_end().to_owned()
    }

    /// Where a link leads, all links followed, from the root on.
    pub fn resolve(&self, path: &str) -> String {
        let whole = fs::canonicalize(self.path(path)).unwrap();
        let root = fs::canonicalize(self.root()).unwrap();
        whole.strip_prefix(root).unwrap().to_str().unwrap().to_owned()
    }
}
