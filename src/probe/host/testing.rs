use std::fs;

use tempfile::TempDir;

use crate::probe::tree::Tree;

/// A machine that is rebuilt for one test; its folder goes with it.
pub(super) struct Rebuilt {
    pub(super) tree: Tree,
    folder: TempDir,
}

/// A machine with these files, each by its path below the root and its text.
pub(super) fn rebuilt(files: &[(&str, &str)]) -> Rebuilt {
    let folder = tempfile::tempdir().unwrap();
    let machine = Rebuilt { tree: Tree::new(folder.path()), folder };
    files.iter().for_each(|(path, text)| machine.write(path, text));
    machine
}

impl Rebuilt {
    pub(super) fn write(&self, path: &str, text: &str) {
        fs::write(self.made(path), text).unwrap();
    }

    /// A link, with its target as it is written in it.
    pub(super) fn link(&self, path: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.made(path)).unwrap();
    }

    /// An empty folder.
    pub(super) fn folder(&self, path: &str) {
        fs::create_dir_all(self.folder.path().join(path)).unwrap();
    }

    /// A program: a script of the shell.
    pub(super) fn program(&self, path: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        self.write(path, &format!("#!/bin/sh\n{script}"));
        fs::set_permissions(self.folder.path().join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn made(&self, path: &str) -> std::path::PathBuf {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }
}

/// A machine below a root, with nothing named on the command line.
pub(super) fn site(root: &std::path::Path) -> crate::probe::live::Site {
    crate::probe::live::Site {
        root: root.to_owned(),
        home: None,
        environment: std::collections::BTreeMap::new(),
        pins: std::collections::BTreeMap::new(),
        libraries: crate::probe::live::Libraries::default(),
        program: "linkspec".into(),
        deadline: std::time::Duration::from_secs(20),
    }
}
