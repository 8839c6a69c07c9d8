use super::EveryGpu;
use crate::{
    facts::Fact,
    spec::{GpuExpect, Wanted},
    units::Version,
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
    },
};

/// Judges `name`, `vbios` and `driver`.
pub(super) fn judge(expect: &GpuExpect, gpus: &EveryGpu<'_>, ledger: &mut Ledger<'_>) {
    if let Some(name) = &expect.name {
        let check = Check::new(FindingCode::GpuName, "product name", "is {}", &name.place);
        gpus.check(&check, name, |gpu| &gpu.name, ledger);
    }
    if let Some(vbios) = &expect.vbios {
        let check = Check::new(FindingCode::Vbios, "VBIOS version", "has VBIOS {}", &vbios.place);
        gpus.check(&check, vbios, |gpu| &gpu.vbios, ledger);
    }
    let fact = &gpus.facts.driver;
    if let Some(driver) = &expect.driver {
        let check = Check::new(FindingCode::Driver, "version", "has version {}", &driver.place);
        ledger.check(&check, "driver", driver, fact);
    }
    if let Some(range) = &expect.driver_range {
        let check = Check::new(FindingCode::Driver, "version", "has version {}", &range.place);
        let (min, max) = range.value.clone();
        let version: Fact<Version> = match fact {
            Fact::Known { value, source } => match value.parse() {
                Ok(version) => Fact::known(version, source),
                Err(_) => Fact::unknown(format!("{source} says {value:?}, which has no order")),
            },
            unknown => Fact::unknown(unknown.reason().unwrap_or_default()),
        };
        ledger.check(&check, "driver", &Wanted::Range { min, max }, &version);
    }
}
