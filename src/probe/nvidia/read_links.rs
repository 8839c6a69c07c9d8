use std::collections::BTreeMap;

use nvml_wrapper::{Device, Nvml, enum_wrappers::nv_link::ErrorCounter, error::NvmlError};

use super::{
    answer::{Link, LinkErrors, Told},
    reason::reason,
};
use crate::sys;

/// `NVML_NVLINK_MAX_LINKS` since CUDA 13.
const SLOTS: u32 = 36;

/// `NVML_FI_DEV_NVLINK_*`.
const SPEED_COMMON: u32 = 90;
const GET_SPEED: u32 = 164;
const GET_STATE: u32 = 165;

/// The counters by nvidia-smi's names: the field that has a link for its scope, and the older call's name of the same.
const COUNTERS: [(&str, u32, ErrorCounter); 3] = [
    ("Replay Errors", 161, ErrorCounter::DlReplay),
    ("Recovery Errors", 162, ErrorCounter::DlRecovery),
    ("CRC Errors", 163, ErrorCounter::DlCrcFlit),
];

type Values = BTreeMap<(u32, u32), Result<u64, NvmlError>>;

/// Every NVLink that the GPU has. A slot whose state cannot be read, for another reason than that it is none, makes the
/// whole list unknown.
pub(super) fn links(nvml: &Nvml, device: &Device<'_>) -> Told<Vec<Link>> {
    let per_link = (0..SLOTS).flat_map(|slot| [(GET_STATE, slot), (GET_SPEED, slot)]);
    let mut values = field_values(nvml, device, &per_link.collect::<Vec<_>>());
    // Asked for apart: a driver that is too old for the others may refuse them all together.
    values.extend(field_values(nvml, device, &[(SPEED_COMMON, 0)]));
    let mut links = Vec::new();
    for slot in 0..SLOTS {
        if let Some(active) = state(device, slot, &values)? {
            links.push(link(nvml, device, slot, active, &values));
        }
    }
    Ok(links)
}

/// The slots that have a link, up or not.
pub(super) fn slots(nvml: &Nvml, device: &Device<'_>) -> Told<Vec<u32>> {
    let wanted: Vec<(u32, u32)> = (0..SLOTS).map(|slot| (GET_STATE, slot)).collect();
    let values = field_values(nvml, device, &wanted);
    let mut slots = Vec::new();
    for slot in 0..SLOTS {
        if state(device, slot, &values)?.is_some() {
            slots.push(slot);
        }
    }
    Ok(slots)
}

/// Fields in one call. A driver without that call, or one that refuses it, gives none.
fn field_values(nvml: &Nvml, device: &Device<'_>, wanted: &[(u32, u32)]) -> Values {
    match sys::nvml::fields(nvml, device, wanted) {
        Ok(values) => wanted.iter().copied().zip(values).collect(),
        Err(_) => Values::new(),
    }
}

fn value(values: &Values, field: u32, scope: u32) -> Option<u64> {
    values.get(&(field, scope)).and_then(|value| value.as_ref().ok()).copied()
}

/// Whether a link is up; `None` where the slot has no link.
fn state(device: &Device<'_>, slot: u32, values: &Values) -> Told<Option<bool>> {
    match value(values, GET_STATE, slot) {
        Some(0) => return Ok(Some(false)),
        Some(1) => return Ok(Some(true)),
        // Another number is none of the two states: the older call decides.
        _ => {}
    }
    match device.link_wrapper_for(slot).is_active() {
        Ok(active) => Ok(Some(active)),
        Err(NvmlError::InvalidArg | NvmlError::NotSupported) => Ok(None),
        Err(error) => Err(format!("NVLink {slot}: {}", reason("nvmlDeviceGetNvLinkState", &error))),
    }
}

fn link(nvml: &Nvml, device: &Device<'_>, slot: u32, active: bool, values: &Values) -> Link {
    let wrapper = device.link_wrapper_for(slot);
    // A speed of 0 is what some drivers say where they do not know it.
    let speed = || value(values, GET_SPEED, slot).or_else(|| value(values, SPEED_COMMON, 0)).filter(|speed| *speed > 0);
    let remote_type = sys::nvml::nvlink_remote_type(nvml, device, slot);
    let remote_address = wrapper.remote_pci_info().map(|pci| pci.bus_id);
    Link {
        index: slot,
        active,
        speed: if active { speed() } else { None },
        version: wrapper.version().ok(),
        remote_type: remote_type.map_err(|error| reason("nvmlDeviceGetNvLinkRemoteDeviceType", &error)),
        remote_address: remote_address.map_err(|error| reason("nvmlDeviceGetNvLinkRemotePciInfo_v2", &error)),
    }
}

/// The error counters of the links in these slots. A counter that a link does not have is left out, as nvidia-smi's
/// `N/A` is; one that cannot be read for another reason makes the whole list unknown.
pub(super) fn errors(nvml: &Nvml, device: &Device<'_>, slots: &[u32]) -> Told<Vec<LinkErrors>> {
    let per_link = slots.iter().flat_map(|slot| COUNTERS.iter().map(|(_, field, _)| (*field, *slot)));
    let values = field_values(nvml, device, &per_link.collect::<Vec<_>>());
    let mut errors = Vec::new();
    for slot in slots.iter().copied() {
        let mut counters = BTreeMap::new();
        for (name, field, counter) in &COUNTERS {
            if let Some(count) = count(device, slot, counter, values.get(&(*field, slot)))? {
                counters.insert((*name).to_owned(), count);
            }
        }
        if !counters.is_empty() {
            errors.push(LinkErrors { index: slot, counters });
        }
    }
    if errors.is_empty() && !slots.is_empty() {
        return Err("nvmlDeviceGetNvLinkErrorCounter: not supported on any link".to_owned());
    }
    Ok(errors)
}

/// One counter; `None` where the link does not have it. The single call takes the driver a millisecond: it is made only
/// where the field does not serve.
fn count(
    device: &Device<'_>,
    link: u32,
    counter: &ErrorCounter,
    field: Option<&Result<u64, NvmlError>>,
) -> Told<Option<u64>> {
    match field {
        Some(Ok(count)) => return Ok(Some(*count)),
        None | Some(Err(NvmlError::NotSupported | NvmlError::InvalidArg | NvmlError::NoData)) => {}
        Some(Err(error)) => return Err(format!("NVLink {link}: {}", reason("nvmlDeviceGetFieldValues", error))),
    }
    match device.link_wrapper_for(link).error_counter(*counter) {
        Ok(count) => Ok(Some(count)),
        Err(NvmlError::NotSupported | NvmlError::InvalidArg) => Ok(None),
        Err(error) => Err(format!("NVLink {link}: {}", reason("nvmlDeviceGetNvLinkErrorCounter", &error))),
    }
}
