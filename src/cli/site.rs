//! The machine that linkspec runs on, and the child processes that read it.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{
    arguments::{MachineArguments, ProbeSourceArguments},
    operator::inherited,
};
use crate::{
    probe::{self, Libraries, Manner, Site},
    record::exit,
};

/// The machine as the command line names it.
pub(super) fn site(arguments: &MachineArguments, pins: BTreeMap<String, String>) -> Result<Site> {
    Ok(Site {
        root: arguments.sysroot.clone(),
        // A service may have no HOME; the user has a home folder all the same, and NCCL reads its file there.
        home: std::env::home_dir(),
        environment: inherited(),
        pins,
        libraries: Libraries {
            nvml: arguments.nvml_library.clone(),
            verbs: arguments.verbs_library.clone(),
            cuda: arguments.cuda_library.clone(),
            hip: arguments.hip_library.clone(),
            nccl: arguments.nccl_library.clone(),
            rccl: arguments.rccl_library.clone(),
        },
        // Not by its path: an update may have put another version there since, or nothing.
        program: "/proc/self/exe".into(),
        deadline: arguments.probe_deadline.unwrap_or(Site::DEADLINE),
    })
}

/// Reads one source as the child of another linkspec.
pub(super) fn probe_source(arguments: &ProbeSourceArguments) -> Result<u8> {
    let site = site(&arguments.machine, BTreeMap::new())?;
    let manner = Manner { alone: arguments.alone, without: arguments.without.clone() };
    probe::read_source(arguments.source, &site, arguments.parent, manner);
    Ok(exit::PASSED)
}
