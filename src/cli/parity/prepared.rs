use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, bail};

use super::arguments::ParityArguments;
use crate::{
    cli::operator::{assigned, pins},
    facts::{Facts, Vendor},
    ground::Placement,
    parity::{
        Engine, Reference, Wanted, common_placement, default_launcher, find, named_launcher, selected,
        shared_variables, visible,
    },
    probe::Site,
    run::OutputPlace,
    worker::Libraries,
};

/// What can be said before the machine is looked at. An error of it is one of usage.
pub(super) struct Asked {
    pub(super) wanted: Wanted,
    pub(super) program: PathBuf,
    launcher: Option<Vec<String>>,
    set: BTreeMap<String, Option<String>>,
    pub(super) pins: BTreeMap<String, String>,
    out: PathBuf,
}

impl Asked {
    pub(super) fn of(arguments: &ParityArguments) -> Result<Self> {
        let wanted = arguments.wanted()?;
        let program = find(&arguments.nccl_tests, &wanted).map_err(|why| anyhow!("--nccl-tests {why}"))?;
        let launcher = match &arguments.launcher {
            Some(text) => match named_launcher(text) {
                Some(launcher) => Some(launcher),
                None => bail!("--launcher {text:?}: {{ranks}} has to stand where the number of processes is said"),
            },
            None => None,
        };
        let (set, pins) = (assigned(&arguments.env)?, pins(&arguments.pin_env)?);
        for (name, pinned) in &pins {
            if let Some(set) = set.get(name).filter(|set| set.as_ref() != Some(pinned)) {
                let set = set.as_deref().map_or_else(|| "removed".to_owned(), |value| format!("set to {value:?}"));
                bail!("--env: {name} is {set}, but pinned to {pinned:?}");
            }
        }
        let out = ready_folder(&arguments.out)?;
        Ok(Self { wanted, program, launcher, set, pins, out })
    }
}

/// The names of the reports.
pub(super) const REPORTS: [&str; 2] = ["parity.md", "parity.json"];

/// The folder, with nothing in it that an earlier comparison left: its report must not stand in for one that did not end.
fn ready_folder(out: &Path) -> Result<PathBuf> {
    OutputPlace::at(out.to_owned()).make_folder()?;
    // Processes may run elsewhere and have to find it.
    let out = out.canonicalize().with_context(|| out.display().to_string())?;
    for entry in fs::read_dir(&out).with_context(|| out.display().to_string())? {
        let path = entry.with_context(|| out.display().to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_ours = REPORTS.contains(&name.as_str())
            || (name.starts_with("nccl-tests-") && name.ends_with(".json"))
            || (name.starts_with("linkspec-rank") && name.ends_with(".txt"));
        if is_ours {
            remove(&path).with_context(|| path.display().to_string())?;
        }
    }
    Ok(out)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Both sides, ready to run.
pub(super) struct Prepared {
    pub(super) engine: Engine,
    pub(super) reference: Reference,
    /// What a person should know, a line each.
    pub(super) notes: Vec<String>,
}

/// Readies both sides for a machine. The error is a fragment: nothing can be compared.
pub(super) fn prepare(
    arguments: &ParityArguments,
    asked: &Asked,
    site: &Site,
    facts: &Facts,
) -> Result<Prepared, String> {
    let gpus = selected(&arguments.gpus, facts)?;
    let vendor = *facts.vendor.require().map_err(|reason| format!("the GPUs' vendor is not known: {reason}"))?;
    let (placement, note) = common_placement(arguments.pin.as_ref(), &gpus, &facts.host)?;
    let environment = shared_variables(&asked.set, &asked.pins, visible(vendor, &gpus, facts));
    let mut addressed = Vec::new();
    for gpu in &gpus {
        let address = gpu.pci_address.require();
        let address = address.map_err(|why| format!("the PCI address of GPU{} is not known: {why}", gpu.index))?;
        addressed.push((gpu.index, address.clone()));
    }
    let reference = reference(asked, &addressed, placement.clone(), environment.clone());
    let engine = Engine {
        vendor,
        gpus: addressed,
        wanted: asked.wanted,
        ablations: arguments.without.clone(),
        placement,
        environment,
        libraries: libraries(site, vendor),
        program: site.program.clone(),
        out: asked.out.clone(),
    };
    Ok(Prepared { engine, reference, notes: note.into_iter().collect() })
}

fn reference(
    asked: &Asked,
    gpus: &[(u32, String)],
    placement: Placement,
    environment: BTreeMap<String, Option<String>>,
) -> Reference {
    let given = environment.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name.as_str());
    let launcher = asked.launcher.clone().unwrap_or_else(|| default_launcher(is_root(), given));
    Reference {
        program: asked.program.clone(),
        launcher,
        gpus: gpus.iter().map(|(_, address)| address.clone()).collect(),
        wanted: asked.wanted,
        placement,
        environment,
        out: asked.out.clone(),
    }
}

/// Whether this process runs as root: its folder in /proc is its user's.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|folder| folder.uid() == 0)
}

fn libraries(site: &Site, vendor: Vendor) -> Libraries {
    let (driver, collective) = match vendor {
        Vendor::Nvidia => (&site.libraries.cuda, &site.libraries.nccl),
        Vendor::Amd => (&site.libraries.hip, &site.libraries.rccl),
    };
    Libraries { driver: driver.clone(), collective: collective.clone() }
}
