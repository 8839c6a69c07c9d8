use std::collections::BTreeMap;

use crate::{
    facts::{Fact, Facts},
    spec::{GpuDirect, HostExpect, NcclEnvironmentExpect, Placed, Wanted},
    units::Version,
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
    },
};

/// Judges services, versions, GPUDirect and the environment.
pub(super) fn judge(expect: &HostExpect, facts: &Facts, ledger: &mut Ledger<'_>) {
    if let Some(wanted) = &expect.services {
        services(wanted, facts, ledger);
    }
    if let Some(wanted) = &expect.fabric_manager_matches_driver {
        fabric_manager(wanted, facts, ledger);
    }
    if let Some(wanted) = &expect.gpudirect {
        gpudirect(wanted, facts, ledger);
    }
    if let Some(wanted) = &expect.nccl_environment {
        nccl_environment(wanted, facts, ledger);
    }
}

fn services(wanted: &Placed<BTreeMap<String, Placed<String>>>, facts: &Facts, ledger: &mut Ledger<'_>) {
    // A complete listing that lacks a service says that it does not run.
    let missing = facts.host.service_count.clone().map(|_| "inactive".to_owned());
    for (name, state) in &wanted.value {
        let short = |name: &str| name.trim_end_matches(".service").to_owned();
        let found = facts.host.services.iter().find(|(known, _)| short(known) == short(name));
        let check = Check::new(FindingCode::Service, "state of the service", "is {}", &state.place);
        let fact = found.map_or(&missing, |(_, fact)| fact);
        ledger.check(&check, name, &Wanted::Exact(state.value.clone()), fact);
    }
}

fn fabric_manager(wanted: &Placed<bool>, facts: &Facts, ledger: &mut Ledger<'_>) {
    let check = Check::new(FindingCode::FabricManager, "version", "has version {}", &wanted.place);
    let device = "fabric manager";
    let (manager, driver) = match (&facts.host.fabric_manager, &facts.driver) {
        (Fact::Known { value: manager, source }, Fact::Known { value: driver, .. }) => ((manager, source), driver),
        (Fact::Known { .. }, driver) => {
            let reason = format!("the driver's version is unknown: {}", driver.reason().unwrap_or_default());
            return ledger.unknown(&check, device, "the driver's", &reason);
        }
        (manager, _) => return ledger.unknown(&check, device, "the driver's", manager.reason().unwrap_or_default()),
    };
    let same = match (manager.0.parse::<Version>(), driver.parse::<Version>()) {
        (Ok(manager), Ok(driver)) => manager == driver,
        _ => manager.0 == driver,
    };
    let expected = if wanted.value { format!("the driver's {driver}") } else { format!("not the driver's {driver}") };
    if same == wanted.value {
        ledger.met(&check, device, &expected, manager.0, None);
    } else {
        ledger.violated(&check, device, &expected, manager.0, manager.1);
    }
}

fn gpudirect(wanted: &Placed<GpuDirect>, facts: &Facts, ledger: &mut Ledger<'_>) {
    let check = Check::new(FindingCode::GpuDirect, "way to GPUDirect RDMA", "has {}", &wanted.place);
    let expected = match wanted.value {
        GpuDirect::Peermem => "peermem",
        GpuDirect::Dmabuf => "dmabuf",
        GpuDirect::Any => "peermem or dmabuf",
    };
    match &facts.host.gpudirect {
        Fact::Known { value, source } => {
            let there = |way: &str| value.iter().any(|known| known == way);
            let right = match wanted.value {
                GpuDirect::Peermem | GpuDirect::Dmabuf => there(expected),
                GpuDirect::Any => there("peermem") || there("dmabuf"),
            };
            let shown = if value.is_empty() { "none".to_owned() } else { value.join(", ") };
            if right {
                ledger.met(&check, "GPUDirect RDMA", expected, &shown, None);
            } else {
                ledger.violated(&check, "GPUDirect RDMA", expected, &shown, source);
            }
        }
        unknown => ledger.unknown(&check, "GPUDirect RDMA", expected, unknown.reason().unwrap_or_default()),
    }
}

fn nccl_environment(wanted: &Placed<NcclEnvironmentExpect>, facts: &Facts, ledger: &mut Ledger<'_>) {
    let check = Check::new(FindingCode::NcclEnvironment, "NCCL environment", "is set to {}", &wanted.place);
    let (variables, source) = match &facts.host.nccl_environment {
        Fact::Known { value, source } => (value, source),
        unknown => return ledger.unknown(&check, "host", "clean", unknown.reason().unwrap_or_default()),
    };
    let mut clean = true;
    for (name, value) in variables.iter().filter(|(name, _)| !wanted.allow.contains(name)) {
        clean = false;
        ledger.violated(&check, name, "not set", value, source);
    }
    if clean {
        ledger.met(&check, "host", "clean", "clean", None);
    }
}
