use std::{
    thread,
    time::{Duration, Instant},
};

use super::cell::Cell;
use crate::{
    evidence::{Trouble, TroubleKind},
    facts::{Facts, Vendor},
    ground::{GpuLocks, LockError, Looked, Placement, look, not_free, placement},
    probe::{GpuUse, Site, occupancy},
    run::Interrupt,
};

/// How long a driver may take to free the memory of a process that has ended, and how often it is asked.
const SETTLE: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(200);

/// The GPUs of a session, held against other runs, and what was on them before.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) vendor: Vendor,
    /// Index and PCI address, in the order of the ranks.
    pub(super) gpus: Vec<(u32, String)>,
    pub(super) placements: Vec<Placement>,
    /// What was on the GPUs; `None` where it cannot be read.
    before: Option<Vec<GpuUse>>,
    /// What is worth a look.
    pub(super) warnings: Vec<String>,
    _locks: GpuLocks,
}

impl Ground {
    /// Finds, locks and looks at the GPUs of a cell.
    pub(super) fn take(
        cell: &Cell,
        facts: &Facts,
        site: &Site,
        interrupt: &Interrupt,
        doing: &mut dyn FnMut(&str),
    ) -> Result<Self, Trouble> {
        let device = |message: String| trouble(TroubleKind::Device, message);
        let vendor =
            facts.vendor.require().map_err(|reason| device(format!("the GPUs' vendor is not known: {reason}")))?;
        let mut gpus = Vec::new();
        let mut placements = Vec::new();
        for index in &cell.gpus {
            let gpu = facts.gpu(*index).ok_or_else(|| device(format!("GPU{index} is not there")))?;
            let address = gpu.pci_address.require();
            let address =
                address.map_err(|reason| device(format!("the PCI address of GPU{index} is not known: {reason}")))?;
            gpus.push((*index, address.clone()));
            let placed = placement(&cell.pin, gpu, &facts.host);
            placements.push(placed.map_err(|reason| trouble(TroubleKind::Pin, format!("pin {}: {reason}", cell.pin)))?);
        }
        let addresses: Vec<String> = gpus.iter().map(|(_, address)| address.clone()).collect();
        let locks = GpuLocks::take(&site.root, &addresses, interrupt, doing).map_err(|error| match error {
            LockError::Interrupted(_) => trouble(TroubleKind::Interrupted, "the run was interrupted".to_owned()),
            // No other process is in the way: a lock that another holds is waited for.
            LockError::File { .. } => trouble(TroubleKind::Internal, error.to_string()),
        })?;
        let looked = look(site, *vendor, &gpus).map_err(|problems| one_of(TroubleKind::Busy, problems))?;
        let Looked { uses, warnings } = looked;
        Ok(Self { vendor: *vendor, gpus, placements, before: uses, warnings, _locks: locks })
    }

    /// What the ranks left behind, once they are gone.
    pub(super) fn left(&self, site: &Site, ranks: &[u32]) -> Option<Trouble> {
        let before = self.before.as_ref()?;
        let began = Instant::now();
        loop {
            let problems = match occupancy(site, self.vendor) {
                Ok(after) => not_free(before, &after, &self.gpus, ranks).problems,
                Err(reason) => vec![format!("whether the GPUs were left free is not known: {reason}")],
            };
            if problems.is_empty() {
                return None;
            }
            if began.elapsed() > SETTLE {
                return Some(one_of(TroubleKind::NotFree, problems));
            }
            thread::sleep(AGAIN);
        }
    }
}

/// Several problems as one trouble: the first, and the others as what else helps.
fn one_of(kind: TroubleKind, problems: Vec<String>) -> Trouble {
    let mut problems = problems.into_iter();
    let first = problems.next().unwrap_or_default();
    Trouble { details: problems.collect(), ..trouble(kind, first) }
}

pub(super) fn trouble(kind: TroubleKind, message: String) -> Trouble {
    Trouble { kind, rank: None, message, details: Vec::new() }
}
