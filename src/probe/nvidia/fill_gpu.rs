use super::{
    answer::{Affinity, Fabric, Identity, Link, LinkErrors, Memory, Part, Pcie, State, Told},
    words,
};
use crate::{
    facts::{EccCounts, Fact, Gpu, NvLink, NvLinkErrors, NvLinkRemote, NvLinkRemoteKind, Switch},
    probe::texts::PciAddress,
    units::{Bandwidth, IndexList, Size},
};

/// The source of every fact here.
pub(super) const SOURCE: &str = "NVML";

pub(super) fn fact<T>(told: Told<T>) -> Fact<T> {
    Fact::told(told, SOURCE)
}

/// Adds one part of what NVML says of a GPU.
pub(super) fn part(gpu: &mut Gpu, part: Part) {
    match part {
        Part::Identity(told) => identity(gpu, told),
        Part::Pcie(told) => pcie(gpu, told),
        Part::Memory(told) => memory(gpu, told),
        Part::State(told) => state(gpu, told),
        Part::Fabric(told) => fabric(gpu, told),
        Part::Affinity(told) => affinity(gpu, told),
        Part::Links(told) => gpu.nvlinks = fact(told.map(|links| links.iter().map(link).collect())),
        Part::LinkErrors(told) => {
            gpu.nvlink_errors = fact(told.map(|links| links.into_iter().map(errors).collect()));
        }
    }
}

fn identity(gpu: &mut Gpu, told: Identity) {
    let Identity { name, uuid, serial, vbios, pci_address, memory, lost: _ } = told;
    gpu.name = fact(word("nvmlDeviceGetName", name));
    gpu.uuid = fact(word("nvmlDeviceGetUUID", uuid));
    gpu.serial = fact(word("nvmlDeviceGetSerial", serial));
    gpu.vbios = fact(word("nvmlDeviceGetVbiosVersion", vbios).and_then(version_of_vbios));
    gpu.pci_address =
        fact(pci_address.and_then(|text| {
            address(&text).ok_or_else(|| format!("nvmlDeviceGetPciInfo_v3: {text:?} is no PCI address"))
        }));
    gpu.memory = fact(memory.map(Size));
}

/// A text that says something.
pub(super) fn word(function: &str, told: Told<String>) -> Told<String> {
    let text = told?.trim().to_owned();
    if text.is_empty() { Err(format!("{function}: answered nothing")) } else { Ok(text) }
}

/// What a virtual GPU answers, which has no VBIOS of its own, is no version.
fn version_of_vbios(text: String) -> Told<String> {
    match text.as_str() {
        "00.00.00.00.00" => Err(format!("{text} in {SOURCE}, which is no version: a virtual GPU shows none")),
        _ => Ok(text.to_ascii_uppercase()),
    }
}

/// `0000:c3:00.0`, from NVML's spelling; `None` where the machine hides it (`FFFFFFFF:FF:FF.0`).
pub(super) fn address(text: &str) -> Option<String> {
    /// NVML's older spelling has seven digits for the domain.
    const HIDDEN: u32 = 0x0fff_ffff;
    let address = PciAddress::read(text.trim())?;
    (address.bus().0 < HIDDEN).then(|| address.to_string())
}

fn pcie(gpu: &mut Gpu, told: Pcie) {
    let Pcie { generation, generation_max, width, width_max, replays } = told;
    gpu.pcie.generation = fact(generation);
    gpu.pcie.generation_max = fact(generation_max);
    gpu.pcie.width = fact(width);
    gpu.pcie.width_max = fact(width_max);
    gpu.pcie.under_load = Fact::known(false, SOURCE);
    gpu.pcie.replays = fact(replays);
}

fn memory(gpu: &mut Gpu, told: Memory) {
    let Memory { ecc, volatile, aggregate, rows, retired_pages } = told;
    gpu.ecc = fact(ecc).map(switch);
    let counts = |(corrected, uncorrected)| EccCounts { corrected: fact(corrected), uncorrected: fact(uncorrected) };
    gpu.ecc_volatile = counts(volatile);
    gpu.ecc_aggregate = counts(aggregate);
    let rows = fact(rows);
    gpu.remapped_rows.correctable = rows.clone().map(|rows| rows.correctable);
    gpu.remapped_rows.uncorrectable = rows.clone().map(|rows| rows.uncorrectable);
    gpu.remapped_rows.pending = rows.clone().map(|rows| rows.pending);
    gpu.remapped_rows.failure = rows.map(|rows| rows.failure);
    gpu.retired_pages = fact(retired_pages);
}

const fn switch(on: bool) -> Switch {
    if on { Switch::On } else { Switch::Off }
}

fn state(gpu: &mut Gpu, told: State) {
    let State { throttle_reasons, persistence, mig } = told;
    gpu.throttle_reasons = fact(throttle_reasons.map(words::throttle_reasons));
    gpu.persistence = fact(persistence).map(switch);
    gpu.mig = fact(mig).map(switch);
}

/// A fabric that is not ready has neither cluster nor health.
fn fabric(gpu: &mut Gpu, told: Told<Fabric>) {
    let state = told.clone().and_then(|fabric| {
        words::fabric_state(fabric.state, fabric.status)
            .ok_or_else(|| format!("nvmlDeviceGetGpuFabricInfoV: state {} is not known", fabric.state))
    });
    let registered = state.clone().and_then(|state| match told {
        Ok(fabric) if fabric.state == COMPLETED => Ok(fabric),
        Ok(_) => Err(format!("the fabric's state is {state}")),
        Err(reason) => Err(reason),
    });
    gpu.fabric_state = fact(state);
    gpu.fabric_cluster = fact(registered.clone().map(|fabric| words::uuid(fabric.cluster)));
    gpu.fabric_clique = fact(registered.clone().map(|fabric| fabric.clique));
    gpu.fabric_problems = fact(registered.and_then(|fabric| {
        words::fabric_problems(fabric.health_mask?, fabric.health_summary)
            .ok_or_else(|| "the driver does not assess the fabric's health".to_owned())
    }));
}

/// `NVML_GPU_FABRIC_STATE_COMPLETED`.
pub(super) const COMPLETED: u32 = 3;

fn affinity(gpu: &mut Gpu, told: Affinity) {
    let Affinity { cpus, numa_nodes, numa_id } = told;
    gpu.cpus = fact(list("nvmlDeviceGetCpuAffinity", "CPU", cpus));
    gpu.numa_nodes = fact(list("nvmlDeviceGetMemoryAffinity", "NUMA node", numa_nodes));
    gpu.numa_id = fact(numa_id);
}

/// A mask as a list. Nothing is near to none of a kind: an empty mask is one that was not filled.
fn list(function: &str, what: &str, words: Told<Vec<u64>>) -> Told<IndexList> {
    let list: IndexList = words::bits(&words?).collect();
    if list.0.is_empty() { Err(format!("{function}: names no {what}")) } else { Ok(list) }
}

fn link(link: &Link) -> NvLink {
    #[expect(clippy::cast_precision_loss, reason = "a link's megabytes a second are far below 2^53")]
    let bandwidth = |speed: u64| Bandwidth(speed as f64 / 1000.0);
    // A driver may tell the address and not the kind.
    let told = link.remote_type.is_ok() || link.remote_address.is_ok();
    let remote = told.then(|| NvLinkRemote {
        kind: link.remote_type.as_ref().map_or(NvLinkRemoteKind::Unknown, |kind| words::remote_kind(*kind)),
        pci_address: link.remote_address.as_deref().ok().and_then(address),
    });
    NvLink { index: link.index, active: link.active, speed: link.speed.map(bandwidth), version: link.version, remote }
}

fn errors(link: LinkErrors) -> NvLinkErrors {
    NvLinkErrors { index: link.index, counters: link.counters }
}
