use std::{
    collections::BTreeMap,
    ffi::OsString,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::probe::{child::Manner, tree::Tree};

/// Where vendors' libraries are, where that is not left to the loader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Libraries {
    /// NVML, else `libnvidia-ml.so.1`.
    pub nvml: Option<PathBuf>,
    /// libibverbs, else `libibverbs.so.1`.
    pub verbs: Option<PathBuf>,
    /// The CUDA driver, else `libcuda.so.1`.
    pub cuda: Option<PathBuf>,
    /// HIP, else `libamdhip64.so`.
    pub hip: Option<PathBuf>,
    /// NCCL, else `libnccl.so.2`.
    pub nccl: Option<PathBuf>,
    /// RCCL, else `librccl.so.1`.
    pub rccl: Option<PathBuf>,
}

/// A machine that is read where it stands.
#[derive(Clone, Debug)]
pub struct Site {
    /// `/`, but for machines that are rebuilt in a test.
    pub root: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The variables of the environment that are kept and shown.
    pub environment: BTreeMap<String, String>,
    /// Variables that every process gets, whatever else it gets.
    pub pins: BTreeMap<String, String>,
    /// Where vendors' libraries are.
    pub libraries: Libraries,
    /// linkspec itself, which reads each source in a child process.
    pub program: PathBuf,
    /// How long one step of a source may take.
    pub deadline: Duration,
}

impl Site {
    /// The deadline of a step where nothing else is asked for. A driver that has to wake its GPUs, without
    /// persistence mode, takes a few seconds for each of them in one call; nvidia-smi was seen to take 112 s
    /// (NVIDIA/nccl#557), on a machine at fault.
    pub const DEADLINE: Duration = Duration::from_secs(60);

    pub(in crate::probe) fn tree(&self) -> Tree {
        Tree::new(&self.root)
    }

    /// The library to load: the one that was named, else the loader's by `name`. A rebuilt machine has only those that
    /// were named: this machine's are not its own.
    pub(in crate::probe) fn library<'a>(&self, named: Option<&'a PathBuf>, name: &'a str) -> Result<&'a Path, String> {
        match named {
            Some(path) => Ok(path),
            None if self.tree().is_this_machine() => Ok(Path::new(name)),
            None => Err(format!("{name} is not there")),
        }
    }

    /// The child process that reads a source.
    pub(in crate::probe) fn child(&self, source: &str, manner: &Manner) -> Command {
        let mut command = Command::new(&self.program);
        command.arg0("linkspec").arg("probe-source").arg(source).arg("--parent").arg(std::process::id().to_string());
        command.args(self.arguments()).envs(&self.pins);
        if manner.alone {
            command.arg("--alone");
        }
        manner.without.iter().for_each(|lane| {
            command.arg("--without").arg(lane);
        });
        command
    }

    fn arguments(&self) -> Vec<OsString> {
        // The ranks of a measurement are told of the others.
        let Libraries { nvml, verbs, nccl, rccl, cuda: _, hip: _ } = &self.libraries;
        let mut arguments: Vec<OsString> = vec!["--sysroot".into(), self.root.clone().into()];
        let named =
            [("--nvml-library", nvml), ("--verbs-library", verbs), ("--nccl-library", nccl), ("--rccl-library", rccl)];
        for (name, path) in named {
            if let Some(path) = path {
                arguments.extend([name.into(), path.clone().into()]);
            }
        }
        arguments
    }
}
