//! A rebuilt machine with linkspec in front of it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

pub use crate::ran::Ran;
use crate::{
    library::stand_in,
    machines::{Machine, Rebuilt},
};

pub struct Seat {
    machine: Rebuilt,
    nvml: &'static str,
    /// Where linkspec is run: what it writes is below.
    folder: tempfile::TempDir,
}

impl Seat {
    pub fn new(machine: &Machine) -> Self {
        Self { machine: machine.build(), nvml: "fake_nvml", folder: tempfile::tempdir().unwrap() }
    }

    /// The same with a library of 2018 in place of NVML.
    pub fn with_old_nvml(self) -> Self {
        Self { nvml: "fake_nvml_old", ..self }
    }

    pub fn root(&self) -> &Path {
        self.machine.root()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// linkspec in the folder, with nothing of this machine's environment that it would keep.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_through(&[env!("CARGO_BIN_EXE_linkspec")], arguments)
    }

    /// The same started by another program.
    fn command_through(&self, program: &[&str], arguments: &[&str]) -> Command {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).args(arguments).current_dir(self.folder.path()).env("HOME", self.folder.path());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("NCCL_") || name.starts_with("RCCL_") || name.starts_with("LINKSPEC_") {
                command.env_remove(name);
            }
        }
        command
    }

    /// linkspec on the machine.
    pub fn live(&self, arguments: &[&str]) -> Ran {
        self.live_through(&[env!("CARGO_BIN_EXE_linkspec")], arguments)
    }

    /// The same started by another program.
    pub fn live_through(&self, program: &[&str], arguments: &[&str]) -> Ran {
        let mut command = self.command_through(program, arguments);
        command.arg("--sysroot").arg(self.machine.root());
        command.arg("--nvml-library").arg(stand_in(self.nvml)).env("LINKSPEC_FAKE_NVML", self.machine.nvml());
        command.arg("--verbs-library").arg(stand_in("fake_verbs")).env("LINKSPEC_FAKE_VERBS", self.machine.verbs());
        Ran::of(command)
    }

    /// linkspec on saved outputs.
    pub fn saved(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments))
    }

    /// Writes a spec of one suite called `one` and gives its name.
    pub fn spec(&self, tests: &str) -> &'static str {
        let text = format!("linkspec: 1\nsuite: one\ntests:\n{tests}");
        fs::write(self.path("one.yaml"), text).unwrap();
        "one.yaml"
    }

    /// The facts of a capture of the machine.
    pub fn facts(&self) -> Value {
        self.live(&["capture", "facts", "--keep-identifiers"]).expect(0, &[]);
        serde_json::from_slice(&fs::read(self.path("facts/facts.json")).unwrap()).unwrap()
    }
}

impl Ran {
    /// libtest's line of each case.
    pub fn cases(&self) -> Vec<&str> {
        let lines = self.text.lines().filter(|line| line.starts_with("test "));
        lines.filter(|line| !line.starts_with("test result:")).collect()
    }
}
