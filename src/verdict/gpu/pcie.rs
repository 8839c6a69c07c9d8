use super::EveryGpu;
use crate::{
    facts::{Fact, PcieLink},
    spec::{GpuExpect, Wanted},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        want::{exceeds, holds},
    },
};

/// Judges `pcie_generation` and `pcie_width`.
pub(super) fn judge(expect: &GpuExpect, gpus: &EveryGpu<'_>, ledger: &mut Ledger<'_>) {
    if let Some(wanted) = &expect.pcie_generation {
        let check =
            Check::new(FindingCode::PcieGeneration, "PCIe generation", "runs at PCIe generation {}", &wanted.place);
        gpus.each(&check, &wanted.to_string(), ledger, |device, gpu, ledger| {
            generation(&check, device, wanted, &gpu.pcie, ledger);
        });
    }
    if let Some(wanted) = &expect.pcie_width {
        let check = Check::new(FindingCode::PcieWidth, "PCIe width", "has {} PCIe lanes", &wanted.place).unit("lanes");
        gpus.check(&check, wanted, |gpu| &gpu.pcie.width, ledger);
    }
}

/// A GPU at rest lowers its link, so a low generation is a violation only where it was read under load, or where device
/// and slot cannot reach more. Lanes are never given up at rest.
fn generation(check: &Check<'_>, device: &str, wanted: &Wanted<u32>, pcie: &PcieLink, ledger: &mut Ledger<'_>) {
    let at_work = pcie.under_load.value() == Some(&true);
    if let Fact::Known { value, source } = &pcie.generation
        && (holds(wanted, value) || exceeds(wanted, value) || at_work)
    {
        return ledger.check_value(check, device, wanted, value, source);
    }
    if let Fact::Known { value: most, source } = &pcie.generation_max
        && !holds(wanted, most)
        && !exceeds(wanted, most)
    {
        let message = format!("{device} reaches PCIe generation {most} at most, expected {wanted}");
        ledger.failure(check, device, message, &wanted.to_string(), &most.to_string(), source);
        return;
    }
    let reason = match &pcie.generation {
        Fact::Known { value, source } => {
            format!("{source} shows {value}, read at rest, where a GPU lowers its link")
        }
        unknown => unknown.reason().unwrap_or_default().to_owned(),
    };
    ledger.unknown(check, device, &wanted.to_string(), &reason);
}
