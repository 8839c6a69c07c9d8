//! A folder with specs and recordings of its own, and the binary run in it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A folder that goes away with the test.
pub struct Bench {
    folder: tempfile::TempDir,
}

/// What the binary did.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Bench {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn file(self, name: &str, text: &str) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Copies the shipped pack and its recording into the folder, as `spec.yaml` and `host`.
    pub fn with_h200(self) -> Self {
        fs::copy(repository("specs/h200-x2.yaml"), self.path("spec.yaml")).unwrap();
        copy_folder(&repository("recordings/h200-x2"), &self.path("host"));
        self
    }

    /// Replaces a text in a file; it has to be there.
    pub fn replace(self, name: &str, from: &str, to: &str) -> Self {
        let text = fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(from), "{name} does not hold {from:?}");
        fs::write(self.path(name), text.replace(from, to)).unwrap();
        self
    }

    pub fn remove(self, name: &str) -> Self {
        fs::remove_file(self.path(name)).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The binary in the folder, with no variable that a test did not set.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkspec"));
        command.args(arguments).current_dir(self.folder.path());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("NCCL_") || name.starts_with("RCCL_") || name.starts_with("LINKSPEC_") {
                command.env_remove(name);
            }
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(arguments).output().unwrap())
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Checks the exit code and that each text was printed somewhere, wherever its line was wrapped.
    pub fn expect(self, code: i32, texts: &[&str]) -> Self {
        let all = format!("{}{}", self.stdout, self.stderr);
        assert_eq!(self.code, code, "{all}");
        let unwrapped = all.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in texts {
            assert!(unwrapped.contains(text), "{text:?} is not in:\n{all}");
        }
        self
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, target) = entry.map(|entry| (entry.path(), to.join(entry.file_name()))).unwrap();
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(path, target).unwrap();
        }
    }
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
