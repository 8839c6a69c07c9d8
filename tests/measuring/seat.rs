//! A rebuilt machine of either vendor, with linkspec in front of it and stand-ins below it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

pub use crate::ran::Ran;
use crate::{
    library::stand_in,
    machines::{Machine, Rebuilt, guest_h200, hgx_h100, mi300x},
};

/// NCCL 2.28.3, and an RCCL of ROCm 6.2.
const NCCL: &str = "22803";
const RCCL: &str = "22105";

pub struct Seat {
    machine: Rebuilt,
    amd: bool,
    gpus: Vec<String>,
    /// Libraries of the collectives, by the options that name them.
    libraries: Vec<(&'static str, PathBuf)>,
    variables: Vec<(&'static str, String)>,
    folder: tempfile::TempDir,
}

impl Seat {
    /// A guest with 2 H200.
    pub fn two_h200() -> Self {
        Self::nvidia(&guest_h200())
    }

    /// 8 H100 on two sockets.
    pub fn eight_h100() -> Self {
        Self::nvidia(&hgx_h100())
    }

    /// A machine of NVIDIA.
    pub fn nvidia(machine: &Machine) -> Self {
        let gpus = machine.nvml["gpus"].as_array().unwrap();
        let addresses = gpus.iter().map(|gpu| gpu["pci"].as_str().unwrap().to_owned()).collect();
        let libraries = vec![("--cuda-library", "fake_cuda"), ("--nccl-library", "fake_nccl")];
        let name = gpus[0]["name"].as_str().unwrap().to_owned();
        Self::new(machine, addresses, libraries, NCCL).with("LINKSPEC_FAKE_GPU_NAME", &name)
    }

    /// 2 MI300X.
    pub fn two_mi300x() -> Self {
        let mut machine = mi300x();
        machine.amd.as_mut().unwrap().gpus.truncate(2);
        Self::amd(&machine)
    }

    /// Two GPUs of each vendor.
    pub fn both() -> [Self; 2] {
        [Self::two_h200(), Self::two_mi300x()]
    }

    /// 8 MI300X.
    pub fn eight_mi300x() -> Self {
        Self::amd(&mi300x())
    }

    /// A machine of AMD.
    pub fn amd(machine: &Machine) -> Self {
        let addresses = machine.amd.as_ref().unwrap().gpus.iter().map(|gpu| gpu.pci.clone()).collect();
        let libraries = vec![("--hip-library", "fake_hip"), ("--rccl-library", "fake_nccl")];
        let seat = Self { amd: true, ..Self::new(machine, addresses, libraries, RCCL) };
        seat.with("LINKSPEC_FAKE_RCCL", "1").with("LINKSPEC_FAKE_GPU_NAME", "AMD Instinct MI300X")
    }

    fn new(machine: &Machine, gpus: Vec<String>, libraries: Vec<(&'static str, &'static str)>, version: &str) -> Self {
        let variables = vec![("LINKSPEC_FAKE_GPUS", gpus.join(",")), ("LINKSPEC_FAKE_NCCL", version.to_owned())];
        let folder = tempfile::tempdir().unwrap();
        let libraries = libraries.into_iter().map(|(option, name)| (option, stand_in(name))).collect();
        Self { machine: machine.build(), amd: false, gpus, libraries, variables, folder }
    }

    /// The same with a variable of the environment.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    /// The same with a fault of the stand-ins.
    pub fn fault(self, fault: &str) -> Self {
        self.with("LINKSPEC_FAKE_FAULT", fault)
    }

    /// The same with another stand-in.
    pub fn library(self, option: &'static str, name: &str) -> Self {
        self.library_at(option, stand_in(name))
    }

    /// The same with another file.
    pub fn library_at(self, option: &'static str, file: impl Into<PathBuf>) -> Self {
        let mut seat = self.without_library(option);
        seat.libraries.push((option, file.into()));
        seat
    }

    /// The same without naming a library.
    pub fn without_library(mut self, option: &str) -> Self {
        self.libraries.retain(|(known, _)| *known != option);
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn gpus(&self) -> &[String] {
        &self.gpus
    }

    /// Runs a suite of these tests on the machine.
    pub fn run(&self, tests: &str, arguments: &[&str]) -> Ran {
        Ran::of(self.command(tests, arguments))
    }

    /// The command that runs a suite of these tests on the machine.
    pub fn command(&self, tests: &str, arguments: &[&str]) -> Command {
        self.write(tests);
        let mut command = self.bare(&["one.yaml"]);
        command.args(arguments).arg("--sysroot").arg(self.root());
        for (option, file) in &self.libraries {
            command.arg(option).arg(file);
        }
        if !self.amd {
            command.arg("--nvml-library").arg(stand_in("fake_nvml")).env("LINKSPEC_FAKE_NVML", self.machine.nvml());
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Judges saved results with the spec of the last run.
    pub fn judge(&self, host: &str) -> Ran {
        Ran::of(self.bare(&["one.yaml", "--host", host, "--out", "again"]))
    }

    fn write(&self, tests: &str) {
        let text = format!("linkspec: 1\nsuite: one\ntests:\n{tests}");
        fs::write(self.path("one.yaml"), text).unwrap();
    }

    /// What the stand-in for NVML plays, while it does.
    pub fn nvml(&self) -> PathBuf {
        self.machine.nvml()
    }

    pub fn root(&self) -> &Path {
        self.machine.root()
    }

    /// linkspec in the folder, with nothing of this machine's environment that it would keep.
    fn bare(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkspec"));
        command.args(arguments).current_dir(self.folder.path()).env("HOME", self.folder.path());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if ["NCCL_", "RCCL_", "LINKSPEC_", "CUDA_", "HIP_"].iter().any(|start| name.starts_with(start)) {
                command.env_remove(name);
            }
        }
        command
    }

    /// The journal of the run, as far as it is written.
    pub fn journal(&self) -> String {
        fs::read_to_string(self.path("linkspec-out/one/run.jsonl")).unwrap_or_default()
    }

    /// `run.json` of the last run.
    pub fn record(&self) -> Value {
        serde_json::from_slice(&fs::read(self.path("linkspec-out/one/run.json")).unwrap()).unwrap()
    }
}
