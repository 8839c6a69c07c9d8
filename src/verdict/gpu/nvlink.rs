use super::EveryGpu;
use crate::{
    facts::{Fact, Gpu, NvLink},
    spec::{GpuExpect, Wanted},
    units::Bandwidth,
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        want,
    },
};

/// Judges `nvlinks_active` and `nvlink_speed`.
pub(super) fn judge(expect: &GpuExpect, gpus: &EveryGpu<'_>, ledger: &mut Ledger<'_>) {
    if let Some(wanted) = &expect.nvlinks_active {
        let what = "number of active NVLinks";
        let check = Check::new(FindingCode::NvlinkCount, what, "has {} active NVLinks", &wanted.place).unit("links");
        gpus.each(&check, &wanted.to_string(), ledger, |device, gpu, ledger| {
            let active = gpu
                .nvlinks
                .clone()
                .map(|links| u32::try_from(links.iter().filter(|link| link.active).count()).unwrap_or(u32::MAX));
            let violation = ledger.violation(&check, device, wanted, &active);
            if let (Some(finding), Some(links)) = (violation, gpu.nvlinks.value()) {
                finding.message.push_str(&inactive(links));
            }
        });
    }
    if let Some(wanted) = &expect.nvlink_speed {
        let what = "NVLink speed";
        let check = Check::new(FindingCode::NvlinkSpeed, what, "has an NVLink at {}", &wanted.place).unit("GB/s");
        gpus.each(&check, &wanted.to_string(), ledger, |device, gpu, ledger| {
            speeds(&check, device, gpu, wanted, ledger);
        });
    }
}

/// Which links are down: `; link 7 is inactive`.
fn inactive(links: &[NvLink]) -> String {
    let down: Vec<String> = links.iter().filter(|link| !link.active).map(|link| link.index.to_string()).collect();
    match down.as_slice() {
        [] => String::new(),
        [one] => format!("; link {one} is inactive"),
        several => format!("; links {} are inactive", several.join(", ")),
    }
}

/// The speed of every active link. A GPU that is known to have none has none at that speed.
fn speeds(check: &Check<'_>, device: &str, gpu: &Gpu, wanted: &Wanted<Bandwidth>, ledger: &mut Ledger<'_>) {
    let expected = wanted.to_string();
    let (links, source) = match &gpu.nvlinks {
        Fact::Known { value, source } => (value, source),
        unknown => return ledger.unknown(check, device, &expected, unknown.reason().unwrap_or_default()),
    };
    let mut active = links.iter().filter(|link| link.active).peekable();
    if active.peek().is_none() {
        let message = format!("{device} has no active NVLink, expected {expected} on each");
        ledger.failure(check, device, message, &expected, "no active NVLink", source);
    }
    for link in active {
        match &link.speed {
            None => {
                let reason = format!("{source} gives no speed for link {}", link.index);
                ledger.unknown(check, device, &expected, &reason);
            }
            Some(speed) if want::holds(wanted, speed) => {
                ledger.check_value(check, device, wanted, speed, source);
            }
            Some(speed) => {
                let shown = want::show(wanted, speed).unwrap_or_default();
                let message = format!("{device} link {} runs at {shown}, expected {expected}", link.index);
                let margin = want::margin(wanted, speed);
                ledger.failure(check, device, message, &expected, &shown, source).margin = margin;
                ledger.missed(check, device, &expected, &shown, margin);
            }
        }
    }
}
