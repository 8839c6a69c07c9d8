use super::subject;
use crate::{
    facts::{Fact, Gpu, NvLink},
    spec::{GpuExpect, Placed, Wanted},
    units::Bandwidth,
    verdict::{
        FindingCode,
        sheet::{Sheet, Standing, Subject},
        want::meets,
    },
};

/// NVLinks, the fabric, and the PCIe link.
pub(super) fn judge(expect: &GpuExpect, gpu: &Gpu, sheet: &mut Sheet<'_>) {
    if let Some(wanted) = &expect.nvlinks_active {
        let hint = "see which link is down with `nvidia-smi nvlink -s`, its errors with `-e`, and Xid 74 in the kernel log";
        let subject = Subject { unit: Some("links"), ..subject(FindingCode::NvlinkCount, gpu.index, "active NVLinks", hint) };
        let active = |links: Vec<NvLink>| u32::try_from(links.iter().filter(|link| link.active).count()).unwrap_or(u32::MAX);
        sheet.wanted(&subject, wanted, &gpu.nvlinks.clone().map(active));
    }
    if let Some(wanted) = &expect.nvlink_speed {
        nvlink_speed(wanted, gpu, sheet);
    }
    if let Some(wanted) = &expect.fabric_state {
        let hint = "is nvidia-fabricmanager running, and of the driver's version?";
        let subject = subject(FindingCode::FabricState, gpu.index, "fabric state", hint);
        sheet.wanted(&subject, wanted, &gpu.fabric_state);
    }
    if let Some(wanted) = &expect.pcie_width {
        let hint = "a card that is badly seated, a damaged slot, or a slot of fewer lanes";
        let subject = Subject { unit: Some("lanes"), ..subject(FindingCode::PcieWidth, gpu.index, "PCIe width", hint) };
        sheet.wanted(&subject, wanted, &gpu.pcie.width);
    }
    if let Some(wanted) = &expect.pcie_generation {
        pcie_generation(wanted, gpu, sheet);
    }
}

/// Every active link runs at this speed. Whether enough links are active is another question.
fn nvlink_speed(wanted: &Placed<Wanted<Bandwidth>>, gpu: &Gpu, sheet: &mut Sheet<'_>) {
    let hint = "a link that trained at a lower speed: look at its error counters with `nvidia-smi nvlink -e`";
    let base = |device: String| Subject {
        device: Some(device),
        unit: Some("GB/s"),
        ..subject(FindingCode::NvlinkSpeed, gpu.index, "NVLink speed", hint)
    };
    let device = format!("GPU{}", gpu.index);
    let (links, source) = match &gpu.nvlinks {
        Fact::Known { value, source } => (value, source),
        Fact::Unknown { reason } | Fact::Conflict { reason } => {
            return sheet.wanted(&base(device), wanted, &Fact::unknown(reason.clone()));
        }
    };
    let active: Vec<&NvLink> = links.iter().filter(|link| link.active).collect();
    if active.is_empty() {
        let standing = Standing::Wrong { actual: "no active link".to_owned(), margin: None, source: Some(source.clone()) };
        return sheet.settle(&base(device), &wanted.value.to_string(), &wanted.place, standing);
    }
    for link in active {
        let speed = link.speed.map_or_else(
            || Fact::unknown(format!("{source} gives no speed for it")),
            |speed| Fact::known(speed, source.clone()),
        );
        sheet.wanted(&base(format!("{device} link {}", link.index)), wanted, &speed);
    }
}

/// The generation counts under load: a GPU at rest lowers it, and that is no fault. At rest a lower one fails only where
/// even the most that card and slot reach together is too low; otherwise it is unknown.
fn pcie_generation(wanted: &Placed<Wanted<u32>>, gpu: &Gpu, sheet: &mut Sheet<'_>) {
    let hint = "the slot, the riser or the BIOS limits the link: compare `lspci -vvv` (LnkCap, LnkSta) along the path";
    let subject = subject(FindingCode::PcieGeneration, gpu.index, "PCIe generation", hint);
    let pcie = &gpu.pcie;
    let now = pcie.generation.value();
    let at_rest = pcie.under_load.value() != Some(&true);
    let lower = now.is_some_and(|now| !meets(&wanted.value, now) && meets_when_higher(&wanted.value, *now));
    if !(at_rest && lower) {
        return sheet.wanted(&subject, wanted, &pcie.generation);
    }
    match pcie.generation_max.value() {
        Some(most) if !meets(&wanted.value, most) => sheet.wanted(&subject, wanted, &pcie.generation_max),
        _ => {
            let now = now.copied().unwrap_or_default();
            let reason = format!("it was read at rest, when a GPU lowers it to save power; it was {now} then");
            sheet.wanted(&subject, wanted, &Fact::unknown(reason));
        }
    }
}

/// Whether a higher value than this could be right.
fn meets_when_higher(wanted: &Wanted<u32>, value: u32) -> bool {
    match wanted {
        Wanted::Exact(exact) => value < *exact,
        Wanted::OneOf(values) => values.iter().any(|wanted| value < *wanted),
        Wanted::Range { min, .. } => min.is_some_and(|min| value < min),
    }
}
