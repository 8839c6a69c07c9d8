use super::EveryGpu;
use crate::{
    facts::{Fact, Gpu},
    spec::{GpuExpect, Place, ThrottleExpect, Wanted},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
    },
};

/// Judges `fabric_state`, `persistence`, `mig` and `throttled`.
pub(super) fn judge(expect: &GpuExpect, gpus: &EveryGpu<'_>, ledger: &mut Ledger<'_>) {
    if let Some(wanted) = &expect.fabric_state {
        let check = Check::new(FindingCode::FabricState, "fabric state", "has fabric state {}", &wanted.place);
        gpus.check(&check, wanted, |gpu| &gpu.fabric_state, ledger);
        gpus.each_known(|device, gpu| fabric_problems(device, gpu, &wanted.place, ledger));
    }
    if let Some(wanted) = &expect.persistence {
        let check = Check::new(FindingCode::Persistence, "persistence mode", "has persistence mode {}", &wanted.place);
        gpus.check(&check, &Wanted::Exact(wanted.value), |gpu| &gpu.persistence, ledger);
    }
    if let Some(wanted) = &expect.mig {
        let check = Check::new(FindingCode::Mig, "MIG mode", "has MIG {}", &wanted.place);
        gpus.check(&check, &Wanted::Exact(wanted.value), |gpu| &gpu.mig, ledger);
    }
    let Some(wanted) = &expect.throttled else { return };
    let check = Check::new(FindingCode::Throttled, "throttle reasons", "is throttled: {}", &wanted.place);
    let expected = match &wanted.value {
        ThrottleExpect::On => "on".to_owned(),
        ThrottleExpect::Off { allow } if allow.is_empty() => "off".to_owned(),
        ThrottleExpect::Off { allow } => format!("off, or {}", allow.join(", ")),
    };
    gpus.each(&check, &expected, ledger, |device, gpu, ledger| {
        let (reasons, source) = match &gpu.throttle_reasons {
            Fact::Known { value, source } => (value, source),
            unknown => return ledger.unknown(&check, device, &expected, unknown.reason().unwrap_or_default()),
        };
        // A GPU at rest lowers its clocks, which is no fault.
        let active: Vec<&str> = reasons.iter().map(String::as_str).filter(|reason| *reason != "idle").collect();
        let right = match &wanted.value {
            ThrottleExpect::On => !active.is_empty(),
            ThrottleExpect::Off { allow } => active.iter().all(|reason| allow.iter().any(|other| other == reason)),
        };
        let shown = if active.is_empty() { "off".to_owned() } else { active.join(", ") };
        if right {
            ledger.met(&check, device, &expected, &shown, None);
        } else {
            ledger.violated(&check, device, &expected, &shown, source);
        }
    });
}

/// A fabric may be completed and have problems all the same: the driver assesses its health apart from its state.
fn fabric_problems(device: &str, gpu: &Gpu, place: &Place, ledger: &mut Ledger<'_>) {
    let Fact::Known { value, source } = &gpu.fabric_problems else { return };
    if value.is_empty() {
        return;
    }
    let problems = value.join(", ");
    let message = format!("{device} has problems with the fabric, says {source}: {problems}");
    let warning = ledger.warning(FindingCode::FabricState, Some(place), message);
    (warning.device, warning.actual) = (Some(device.to_owned()), Some(problems));
    warning.source = Some(source.clone());
}
