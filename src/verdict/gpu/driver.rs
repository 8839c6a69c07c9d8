use crate::{
    facts::{Fact, Facts},
    spec::{GpuExpect, Placed, Wanted},
    units::Version,
    verdict::{
        FindingCode,
        sheet::{Sheet, Subject},
    },
};

/// The driver's version, as a text or in the order of versions.
pub(super) fn judge(expect: &GpuExpect, facts: &Facts, sheet: &mut Sheet<'_>) {
    let subject = Subject {
        code: FindingCode::Driver,
        device: None,
        what: "driver version",
        unit: None,
        hint: "install the version that the spec asks for, or judge by the spec of this version",
    };
    if let Some(wanted) = &expect.driver {
        sheet.text(&subject, wanted, &facts.driver);
    }
    if let Some(range) = &expect.driver_range {
        let (min, max) = range.value.clone();
        let version = match &facts.driver {
            Fact::Known { value, source } => match value.parse::<Version>() {
                Ok(version) => Fact::known(version, source.clone()),
                Err(error) => Fact::unknown(format!("{source}: {error}")),
            },
            Fact::Unknown { reason } | Fact::Conflict { reason } => Fact::unknown(reason.clone()),
        };
        let wanted = Placed { value: Wanted::Range { min, max }, place: range.place.clone() };
        sheet.wanted(&subject, &wanted, &version);
    }
}
