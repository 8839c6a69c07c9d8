//! Every GPU: identity, NVLinks, PCIe, memory, state, and what the kernel log says of it.

mod identity;
mod memory;
mod nvlink;
mod pcie;
mod state;
mod xid;

use super::{
    FindingCode,
    ledger::{Check, Ledger},
    machine::gpu_count,
    subjects::{self, Gpus},
    want::Asked,
};
use crate::{
    facts::{Fact, Facts, Gpu},
    spec::{GpuExpect, GpuSelection, Place, Wanted},
};

/// Judges what holds of every GPU of the selection.
pub(super) fn judge(expect: &GpuExpect, facts: &Facts, selection: &GpuSelection, ledger: &mut Ledger<'_>) {
    let subjects = EveryGpu { facts, gpus: subjects::gpus(facts, selection) };
    if let Some(count) = &expect.count {
        gpu_count(count, &count.place, facts, ledger);
    }
    identity::judge(expect, &subjects, ledger);
    nvlink::judge(expect, &subjects, ledger);
    pcie::judge(expect, &subjects, ledger);
    memory::judge(expect, &subjects, ledger);
    state::judge(expect, &subjects, ledger);
    if let Some(xid) = &expect.xid {
        xid::judge(xid, facts, ledger);
    }
}

/// The GPUs of a case.
struct EveryGpu<'a> {
    facts: &'a Facts,
    gpus: Gpus,
}

impl EveryGpu<'_> {
    /// Checks one fact of every GPU.
    fn check<T: Asked<V>, V: 'static>(
        &self,
        check: &Check<'_>,
        wanted: &Wanted<T>,
        fact: impl Fn(&Gpu) -> &Fact<V>,
        ledger: &mut Ledger<'_>,
    ) {
        self.each(check, &wanted.to_string(), ledger, |device, gpu, ledger| {
            ledger.check(check, device, wanted, fact(gpu));
        });
    }

    /// Looks at every GPU of which a source speaks.
    fn each_known(&self, mut look: impl FnMut(&str, &Gpu)) {
        let known = self.gpus.indices.iter().filter_map(|index| self.facts.gpu(*index));
        known.for_each(|gpu| look(&format!("GPU{}", gpu.index), gpu));
    }

    /// Looks at every GPU. One that no source speaks of, one whose sources contradict each other on which it is, and
    /// others that may be there, are unknown.
    fn each<'l>(
        &self,
        check: &Check<'_>,
        expected: &str,
        ledger: &mut Ledger<'l>,
        look: impl Fn(&str, &Gpu, &mut Ledger<'l>),
    ) {
        for index in &self.gpus.indices {
            let device = format!("GPU{index}");
            match self.facts.gpu(*index) {
                Some(gpu) => {
                    look(&device, gpu, ledger);
                    if let Some(reason) = subjects::mixed(gpu) {
                        ledger.unknown(check, &device, expected, &reason);
                    }
                }
                None => ledger.unknown(check, &device, expected, "no source speaks of this GPU"),
            }
        }
        let absent = Check { code: FindingCode::DeviceMissing, says: "is {}", ..*check };
        for index in &self.gpus.missing {
            ledger.violated(&absent, &format!("GPU{index}"), "there", "not there", "");
        }
        match &self.gpus.incomplete {
            Some(reason) => ledger.unknown(check, self.gpus.others(), expected, reason),
            None if self.gpus.indices.is_empty() && self.gpus.missing.is_empty() => no_gpu(check.place, ledger),
            None => {}
        }
    }
}

fn no_gpu(place: &Place, ledger: &mut Ledger<'_>) {
    ledger.error(FindingCode::NothingSelected, Some(place), "there is no GPU to check".to_owned());
}
