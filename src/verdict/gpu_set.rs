//! Which GPUs a check is about.

use super::{Finding, FindingCode, Severity, sheet::Sheet};
use crate::{facts::Facts, plan::Case, spec::{GpuSelection, Place}};

/// GPUs by index, and why there may be more than these.
pub(super) struct GpuSet {
    /// The GPUs that are to be looked at.
    pub indices: Vec<u32>,
    /// Why the set may not be whole.
    pub gap: Option<String>,
}

impl GpuSet {
    /// Every GPU of the machine.
    pub(super) fn all(facts: &Facts) -> Self {
        match facts.gpu_count.require() {
            Ok(count) => Self { indices: (0..*count).collect(), gap: None },
            Err(reason) => {
                Self { indices: facts.gpus.iter().map(|gpu| gpu.index).collect(), gap: Some(reason.to_owned()) }
            }
        }
    }

    /// The GPUs that a case is for.
    pub(super) fn of(case: &Case, facts: &Facts) -> Self {
        match case.gpus() {
            GpuSelection::All => Self::all(facts),
            GpuSelection::Count(count) => Self { indices: (0..count).collect(), gap: None },
            GpuSelection::List(list) => Self { indices: list.0.into_iter().collect(), gap: None },
        }
    }

    /// Tells that GPUs may have been left out, and which of the set a complete listing does not have.
    pub(super) fn tell_gaps(&self, facts: &Facts, place: &Place, sheet: &mut Sheet<'_>) {
        if let Some(gap) = &self.gap {
            let message = format!("the number of GPUs is unknown: {gap}");
            let finding = Finding::new(FindingCode::Unknown, Severity::Error, message);
            sheet.add(Finding { place: Some(place.clone()), ..finding });
        } else if self.indices.is_empty() {
            let finding = Finding::new(FindingCode::NothingSelected, Severity::Error, "there is no GPU to check");
            sheet.add(Finding { place: Some(place.clone()), ..finding });
        }
        for index in self.indices.iter().filter(|index| is_absent(facts, **index)) {
            absent(*index, facts, place, sheet);
        }
    }
}

/// Whether a complete listing shows that there is no such GPU.
pub(super) fn is_absent(facts: &Facts, index: u32) -> bool {
    facts.gpu_count.value().is_some_and(|count| index >= *count)
}

/// A GPU that the spec names and a complete listing does not have.
pub(super) fn absent(index: u32, facts: &Facts, place: &Place, sheet: &mut Sheet<'_>) {
    let count = facts.gpu_count.value().copied().unwrap_or_default();
    let message = format!("GPU{index} is not there: the machine has {count} GPUs, numbered from 0");
    sheet.add(Finding {
        device: Some(format!("GPU{index}")),
        place: Some(place.clone()),
        source: facts.gpu_count.source().map(str::to_owned),
        ..Finding::new(FindingCode::GpuCount, Severity::Failure, message)
    });
}

/// GPUs that a tool names and cannot reach: each is a failure wherever GPUs are counted.
pub(super) fn lost(facts: &Facts, place: &Place, sheet: &mut Sheet<'_>) {
    for gpu in &facts.lost_gpus {
        let message = format!("the GPU at {} is lost: {:?}", gpu.pci_address, gpu.quote);
        sheet.add(Finding {
            device: Some(gpu.pci_address.clone()),
            place: Some(place.clone()),
            source: Some(gpu.source.clone()),
            hint: Some("look for Xid 79 (fallen off the bus) in the kernel log; the GPU needs a reset or a reseat".to_owned()),
            ..Finding::new(FindingCode::GpuLost, Severity::Failure, message)
        });
    }
}
