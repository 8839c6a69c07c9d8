//! The live machine: each source is read in a child of its own, side by side, and what they tell becomes facts.

mod reasons;
mod silence;
mod site;

use std::{io, thread};

use serde::de::DeserializeOwned;

use self::reasons::{Silences, give_reasons};
use super::{
    amd,
    child::{self, Heard, Manner},
    host, nccl_settings, nvidia, pci, rdma,
};
use crate::facts::{Facts, Origin};

pub(super) use silence::Silence;
pub use site::{Libraries, Site};

/// What the child processes read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceName {
    /// GPUs of NVIDIA, through NVML.
    Nvidia,
    /// GPUs of AMD, through amd-smi and KFD.
    Amd,
    /// RDMA devices, through sysfs and libibverbs.
    Rdma,
    /// The PCI tree.
    Pci,
    /// The host: kernel, memory, services, logs, libraries.
    Host,
    /// Who is on the GPUs of NVIDIA, through NVML. Asked by `probe::occupancy` and no part of `live`.
    NvidiaUse,
    /// Who is on the GPUs of AMD, through KFD; likewise.
    AmdUse,
}

impl SourceName {
    /// Every source.
    pub const ALL: [Self; 7] =
        [Self::Nvidia, Self::Amd, Self::Rdma, Self::Pci, Self::Host, Self::NvidiaUse, Self::AmdUse];

    /// The name on the child's command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nvidia => "nvidia",
            Self::Amd => "amd",
            Self::Rdma => "rdma",
            Self::Pci => "pci",
            Self::Host => "host",
            Self::NvidiaUse => "nvidia-use",
            Self::AmdUse => "amd-use",
        }
    }
}

/// Reads the machine.
pub fn live(site: &Site) -> Facts {
    let heard = hear(site);
    let origin = if site.tree().is_this_machine() { Origin::Live } else { Origin::Fake };
    let mut facts = Facts::new(origin);
    let host = host::fill(heard.host, &mut facts);
    let nvidia = nvidia::fill(heard.nvidia, &mut facts);
    let amd = amd::fill(heard.amd, &mut facts);
    let rdma = rdma::fill(heard.rdma, &mut facts);
    let pci = pci::fill(heard.pci, &mut facts);
    nccl_settings::read(&site.root, site.home.as_deref(), &site.environment, &mut facts.host);
    give_reasons(&Silences { host, nvidia, amd, rdma, pci }, &mut facts);
    facts
}

/// Reads one source, as the child of the process `parent`.
pub fn read_source(source: SourceName, site: &Site, parent: i32, manner: Manner) {
    match source {
        SourceName::Nvidia => child::answer(parent, manner, |lanes| nvidia::read(site, lanes)),
        SourceName::Amd => child::answer(parent, manner, |lanes| amd::read(site, lanes)),
        SourceName::Rdma => child::answer(parent, manner, |lanes| rdma::read(site, lanes)),
        SourceName::Pci => child::answer(parent, manner, |lanes| pci::read(site, lanes)),
        SourceName::Host => child::answer(parent, manner, |lanes| host::read(site, lanes)),
        SourceName::NvidiaUse => child::answer(parent, manner, |lanes| nvidia::read_use(site, lanes)),
        SourceName::AmdUse => child::answer(parent, manner, |lanes| amd::read_use(site, lanes)),
    }
}

struct AllHeard {
    nvidia: Heard<nvidia::Answer>,
    amd: Heard<amd::Answer>,
    rdma: Heard<rdma::Answer>,
    pci: Heard<pci::Answer>,
    host: Heard<host::Answer>,
}

/// Hears every source, side by side. The thread that starts a child hears it to its end: a child dies with the thread
/// that forked it.
fn hear(site: &Site) -> AllHeard {
    thread::scope(|scope| {
        let nvidia = thread::Builder::new().spawn_scoped(scope, || source(site, SourceName::Nvidia));
        let amd = thread::Builder::new().spawn_scoped(scope, || source(site, SourceName::Amd));
        let rdma = thread::Builder::new().spawn_scoped(scope, || source(site, SourceName::Rdma));
        let pci = thread::Builder::new().spawn_scoped(scope, || source(site, SourceName::Pci));
        let host = source(site, SourceName::Host);
        AllHeard { nvidia: joined(nvidia), amd: joined(amd), rdma: joined(rdma), pci: joined(pci), host }
    })
}

fn source<A: DeserializeOwned + Send + 'static>(site: &Site, source: SourceName) -> Heard<A> {
    child::ask(|manner| site.child(source.name(), manner), site.deadline)
}

fn joined<A>(thread: io::Result<thread::ScopedJoinHandle<'_, Heard<A>>>) -> Heard<A> {
    let thread = match thread {
        Ok(thread) => thread,
        Err(error) => return Heard::nothing(format!("no thread could be started to read it: {error}")),
    };
    thread.join().unwrap_or_else(|_| Heard::nothing("linkspec itself failed while it read this: please report it"))
}
