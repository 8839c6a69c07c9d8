//! Which rank sits on which GPU, and what joins the GPUs of two ranks.

use std::collections::BTreeSet;

use super::used::PeerLink;
use crate::{
    evidence::{GpuPath, LibraryLog, LogRank},
    facts::{Facts, LinkClass},
    verdict::subjects::pair_name,
};

/// The ranks of a log on a machine.
pub(super) struct Ranks<'a> {
    log: &'a LibraryLog,
    facts: &'a Facts,
    /// Whether all ranks are known to be on one host, so that the machine's facts speak of each of them.
    one_host: bool,
}

impl<'a> Ranks<'a> {
    pub fn new(log: &'a LibraryLog, facts: &'a Facts) -> Self {
        Self { log, facts, one_host: on_one_host(log) }
    }

    /// Whether all ranks are known to be on one host.
    pub const fn are_on_one_host(&self) -> bool {
        self.one_host
    }

    /// Two ranks as they are named in findings: `GPU0-GPU1` where both are on one host, else `rank 0-rank 9`. A
    /// connection to a network that reduces is of one rank.
    pub fn name(&self, from: u32, to: u32) -> String {
        let gpu = |rank| self.gpu(rank).or_else(|| self.log.ranks.get(&rank).filter(|_| self.one_host)?.device);
        match (gpu(from), gpu(to)) {
            (Some(gpu), Some(_)) if from == to => format!("GPU{gpu}"),
            (Some(first), Some(second)) if first != second => pair_name((first, second)),
            _ if from == to => format!("rank {from}"),
            _ => format!("rank {}-rank {}", from.min(to), from.max(to)),
        }
    }

    /// What joins the GPUs of two ranks: by the library's own matrix and by the machine's facts, which must agree.
    pub fn link(&self, from: u32, to: u32) -> Result<PeerLink, String> {
        let shown = self.shown_link(from, to)?;
        let known = self.known_link(from, to);
        match (shown, known) {
            (Some(shown), Some(known)) if shown != known => {
                let (shown, known) = (shown.name(), known.name());
                Err(format!("the log's matrix of paths says {shown} and the machine's topology says {known}"))
            }
            (Some(link), _) | (None, Some(link)) => Ok(link),
            (None, None) => {
                Err("the log says P2P, which NVLink and PCIe both are, and nothing shows what joins the two".to_owned())
            }
        }
    }

    /// The link by the rows of the library's own matrix.
    fn shown_link(&self, from: u32, to: u32) -> Result<Option<PeerLink>, String> {
        let (Some(first), Some(second)) = (self.log.ranks.get(&from), self.log.ranks.get(&to)) else { return Ok(None) };
        let is_rccl = self.log.libraries.iter().any(|library| library.starts_with("RCCL"));
        let rows = self.log.paths.iter().filter(|path| self.is_of(path, first, second));
        let links: BTreeSet<Option<PeerLink>> = rows.map(|path| by_path(&path.class, is_rccl)).collect();
        if links.len() > 1 {
            return Err("the log's matrices of paths do not agree on the two".to_owned());
        }
        Ok(links.into_iter().next().flatten())
    }

    /// Whether a row of the matrix is of the GPUs of two ranks. A row without a host is of every rank's host only
    /// where there is one.
    fn is_of(&self, path: &GpuPath, first: &LogRank, second: &LogRank) -> bool {
        let host = match &path.host {
            Some(_) => path.host == first.host && path.host == second.host,
            None => self.one_host,
        };
        let (Some(first), Some(second)) = (&first.bus, &second.bus) else { return false };
        let (first, second) = (bus_digits(first), bus_digits(second));
        let (from, to) = (bus_digits(&path.from), bus_digits(&path.to));
        host && first != second && ((first == from && second == to) || (first == to && second == from))
    }

    /// The link by the machine's topology.
    fn known_link(&self, from: u32, to: u32) -> Option<PeerLink> {
        let (first, second) = (self.gpu(from)?, self.gpu(to)?);
        let class = self.facts.pair(first, second)?.class.value()?;
        Some(match class {
            LinkClass::NvLink(_) => PeerLink::NvLink,
            LinkClass::Xgmi => PeerLink::Xgmi,
            LinkClass::Pix | LinkClass::Pxb | LinkClass::Phb | LinkClass::Node | LinkClass::Sys | LinkClass::Pcie => {
                PeerLink::Pcie
            }
        })
    }

    /// The GPU of a rank by the machine's index: by its PCI address where both sides have one, else by the driver's
    /// index, unless the addresses there differ.
    fn gpu(&self, rank: u32) -> Option<u32> {
        if !self.one_host {
            return None;
        }
        let rank = self.log.ranks.get(&rank)?;
        let bus = rank.bus.as_deref().map(bus_digits);
        let address = |gpu: &crate::facts::Gpu| gpu.pci_address.value().map(|address| bus_digits(address));
        let by_bus = self.facts.gpus.iter().find(|gpu| bus.is_some() && address(gpu) == bus);
        let by_index = || {
            let gpu = self.facts.gpu(rank.device?);
            gpu.filter(|gpu| bus.is_none() || address(gpu).is_none())
        };
        by_bus.or_else(by_index).map(|gpu| gpu.index)
    }
}

/// The digits of a PCI address, which the log writes without colons and without leading zeros.
fn bus_digits(address: &str) -> String {
    let digits: String = address.chars().filter(char::is_ascii_hexdigit).collect();
    digits.trim_start_matches('0').to_ascii_lowercase()
}

/// Whether all ranks are on one host: the library says so, or all speak from one host name and no two of one GPU, as
/// ranks of hosts with one name would.
fn on_one_host(log: &LibraryLog) -> bool {
    if !log.nodes.is_empty() {
        return log.nodes.iter().eq([&1]);
    }
    let hosts: BTreeSet<Option<&str>> = log.ranks.values().map(|rank| rank.host.as_deref()).collect();
    let buses: BTreeSet<&str> = log.ranks.values().filter_map(|rank| rank.bus.as_deref()).collect();
    hosts.len() == 1 && !hosts.contains(&None) && buses.len() == log.ranks.len()
}

/// The link of a path's class as NCCL and RCCL write it; `None` for one that does not tell.
fn by_path(class: &str, is_rccl: bool) -> Option<PeerLink> {
    match class {
        "XGMI" => Some(PeerLink::Xgmi),
        // RCCL keeps NCCL's names for paths over its own fabric.
        "NVL" | "NVB" if is_rccl => Some(PeerLink::Xgmi),
        "NVL" | "NVB" => Some(PeerLink::NvLink),
        "PIX" | "PXB" | "PHB" | "NODE" | "SYS" => Some(PeerLink::Pcie),
        _ => None,
    }
}
