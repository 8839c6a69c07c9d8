use super::{ecc, pcie, reader::Reader, throttle};
use crate::{
    facts::{FabricState, Fact, Gpu, Switch},
    probe::texts::pci_address::PciAddress,
    units::Size,
};

/// Adds what a listing says of one GPU. Each value has a path in the text and one in the XML.
pub(super) fn add(gpu: &mut Gpu, address: &str, reader: &mut Reader<'_>) {
    let file = reader.file;
    let word = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    gpu.name.merge(reader.fact(&["product name", "product_name"], word));
    gpu.uuid.merge(reader.fact(&["gpu uuid", "uuid"], word));
    gpu.serial.merge(reader.fact(&["serial number", "serial"], word));
    gpu.vbios.merge(vbios(reader));
    if let Some(address) = PciAddress::read(address) {
        gpu.pci_address.merge(Fact::known(address.to_string(), file));
    }
    gpu.memory.merge_memory(reader.fact(&["fb memory usage/total", "fb_memory_usage/total"], mebibytes));
    gpu.ecc.merge(reader.fact(&["ecc mode/current", "ecc_mode/current_ecc"], switch));
    gpu.persistence.merge(reader.fact(&["persistence mode", "persistence_mode"], switch));
    gpu.mig.merge(reader.fact(&["mig mode/current", "mig_mode/current_mig"], switch));
    gpu.fabric_state.merge(fabric_state(reader));
    gpu.throttle_reasons.merge_moments(throttle::reasons(reader));
    pcie::add(&mut gpu.pcie, reader);
    ecc::add(gpu, reader);
}

/// What a virtual GPU prints, which has no VBIOS of its own.
const NO_VBIOS: &str = "00.00.00.00.00";

/// `96.00.A5.00.1A`, always five bytes: what is left of one that was cut could still match a glob.
fn vbios(reader: &mut Reader<'_>) -> Fact<String> {
    let five_bytes = |text: &str| {
        let byte = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit());
        (text.split('.').count() == 5 && text.split('.').all(byte)).then(|| text.to_ascii_uppercase())
    };
    match reader.fact(&["vbios version", "vbios_version"], five_bytes) {
        Fact::Known { value, source } if value == NO_VBIOS => {
            Fact::unknown(format!("{NO_VBIOS} in {source}, which is no version: a virtual GPU shows none"))
        }
        fact => fact,
    }
}

/// `81559 MiB`. A bare number may have lost its unit.
fn mebibytes(text: &str) -> Option<Size> {
    text.ends_with(" MiB").then(|| text.parse().ok()).flatten()
}

fn switch(text: &str) -> Option<Switch> {
    match text {
        "Enabled" => Some(Switch::On),
        "Disabled" => Some(Switch::Off),
        _ => None,
    }
}

/// The state, where it is completed together with its status: a fabric that completed without success failed.
fn fabric_state(reader: &mut Reader<'_>) -> Fact<FabricState> {
    let state = reader.fact(&["fabric/state"], |text| match text {
        "Not Started" => Some(FabricState::NotStarted),
        "In Progress" => Some(FabricState::InProgress),
        "Completed" => Some(FabricState::Completed),
        _ => None,
    });
    if state.value() != Some(&FabricState::Completed) {
        return state;
    }
    let succeeded = |text: &str| (!text.is_empty()).then(|| text.eq_ignore_ascii_case("Success"));
    let status = reader.fact(&["fabric/status"], succeeded);
    status.map(|success| if success { FabricState::Completed } else { FabricState::Failed })
}
