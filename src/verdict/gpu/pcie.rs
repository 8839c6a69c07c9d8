use super::EveryGpu;
use crate::{
    facts::{Fact, PcieLink, PcieUplink},
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
    if let Some(wanted) = &expect.pcie_uplinks {
        let check = Check::new(FindingCode::PcieUplink, "PCIe links above", "has {}", &wanted.place);
        gpus.each(&check, FULL, ledger, |device, gpu, ledger| uplinks(&check, device, &gpu.pcie_uplinks, ledger));
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

const FULL: &str = "full";

/// A switch's uplink does not rest as a GPU's own link does: what it runs at is what it has.
fn uplinks(check: &Check<'_>, device: &str, links: &Fact<Vec<PcieUplink>>, ledger: &mut Ledger<'_>) {
    let (links, source) = match links {
        Fact::Known { value, source } => (value, source),
        unknown => return ledger.unknown(check, device, FULL, unknown.reason().unwrap_or_default()),
    };
    let mut full = true;
    for link in links {
        let below = |now: Option<u32>, most: Option<u32>| now.zip(most).map(|(now, most)| now < most);
        let generation = below(link.generation, link.generation_max);
        let width = below(link.width, link.width_max);
        full &= generation == Some(false) && width == Some(false);
        if generation == Some(true) || width == Some(true) {
            let actual = shown(link.generation, link.width);
            let expected = shown(link.generation_max, link.width_max);
            let message = format!(
                "{device} is below a PCIe link, {}, that runs at {actual}; its ends reach {expected}",
                link.address
            );
            ledger.failure(check, device, message, &expected, &actual, source);
        } else if generation.is_none() || width.is_none() {
            let reason = format!("{source} does not show the speed and width of {} now and at most", link.address);
            ledger.unknown(check, device, FULL, &reason);
        }
    }
    if full {
        let shown = if links.is_empty() { "none" } else { FULL };
        ledger.met(check, device, FULL, shown, None);
    }
}

fn shown(generation: Option<u32>, width: Option<u32>) -> String {
    let part = |value: Option<u32>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    format!("generation {} x{}", part(generation), part(width))
}
