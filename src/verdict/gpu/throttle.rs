use super::subject;
use crate::{
    facts::Gpu,
    spec::{GpuExpect, ThrottleExpect},
    verdict::{FindingCode, sheet::Sheet},
};

/// Reasons that say only that the GPU has nothing to do, or that a person set its clocks.
const NO_FAULT: [&str; 1] = ["idle"];

/// Lowered clocks. An idle GPU lowers its clocks, which is no fault.
pub(super) fn judge(expect: &GpuExpect, gpu: &Gpu, sheet: &mut Sheet<'_>) {
    let Some(wanted) = &expect.throttled else { return };
    let allowed = match &wanted.value {
        ThrottleExpect::On => &[][..],
        ThrottleExpect::Off { allow } => allow,
    };
    let faults = gpu.throttle_reasons.clone().map(|reasons| {
        let counts = |reason: &String| !NO_FAULT.contains(&reason.as_str()) && !allowed.contains(reason);
        let faults: Vec<String> = reasons.into_iter().filter(counts).collect();
        if faults.is_empty() { "off".to_owned() } else { format!("on ({})", faults.join(", ")) }
    });
    let (expected, on) = match &wanted.value {
        ThrottleExpect::On => ("on".to_owned(), true),
        ThrottleExpect::Off { allow } if allow.is_empty() => ("off".to_owned(), false),
        ThrottleExpect::Off { allow } => (format!("off (but for {})", allow.join(", ")), false),
    };
    let hint = "hardware slowdown: look at temperature, power supply and power brake; power cap: at the power limit";
    let subject = subject(FindingCode::Throttled, gpu.index, "throttling", hint);
    sheet.holds(&subject, &expected, &wanted.place, &faults, |found| (found != "off") == on);
}
