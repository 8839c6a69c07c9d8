use nvml_wrapper::{
    Device, Nvml,
    bitmasks::device::ThrottleReasons,
    enum_wrappers::device::{EccCounter, MemoryError},
    error::{Bits, NvmlError},
};

use super::{
    answer::{Affinity, Fabric, Identity, Memory, Pcie, Rows, State, Told},
    reason::reason,
};
use crate::sys;

/// The CPUs that a mask has room for, in words of 64: more than Linux is built for.
const CPU_WORDS: usize = 128;
/// The NUMA nodes that a mask has room for, in words of 64: as many as Linux is built for.
const NODE_WORDS: usize = 16;
/// `NVML_AFFINITY_SCOPE_NODE`.
const SCOPE_NODE: u32 = 0;

/// Names the function that gave an error.
fn told<T>(function: &str, result: Result<T, NvmlError>) -> Told<T> {
    result.map_err(|error| reason(function, &error))
}

pub(super) fn identity(nvml: &Nvml, device: &Device<'_>) -> Identity {
    let name = device.name();
    let pci = device.pci_info();
    let lost = matches!(name, Err(NvmlError::GpuLost)) || matches!(pci, Err(NvmlError::GpuLost));
    Identity {
        name: told("nvmlDeviceGetName", name),
        uuid: told("nvmlDeviceGetUUID", device.uuid()),
        serial: told("nvmlDeviceGetSerial", device.serial()),
        vbios: told("nvmlDeviceGetVbiosVersion", device.vbios_version()),
        pci_address: told("nvmlDeviceGetPciInfo_v3", pci.map(|pci| pci.bus_id)),
        memory: told("nvmlDeviceGetMemoryInfo", sys::nvml::memory(nvml, device)),
        lost,
    }
}

pub(super) fn pcie(device: &Device<'_>) -> Pcie {
    Pcie {
        generation: told("nvmlDeviceGetCurrPcieLinkGeneration", device.current_pcie_link_gen()),
        generation_max: told("nvmlDeviceGetMaxPcieLinkGeneration", device.max_pcie_link_gen()),
        width: told("nvmlDeviceGetCurrPcieLinkWidth", device.current_pcie_link_width()),
        width_max: told("nvmlDeviceGetMaxPcieLinkWidth", device.max_pcie_link_width()),
        replays: told("nvmlDeviceGetPcieReplayCounter", device.pcie_replay_counter().map(u64::from)),
    }
}

pub(super) fn memory(nvml: &Nvml, device: &Device<'_>) -> Memory {
    let rows = sys::nvml::remapped_rows(nvml, device);
    let retired_pages = match rows {
        Ok(_) => Err("this GPU remaps rows in place of retiring pages".to_owned()),
        Err(_) => told("nvmlDeviceGetRetiredPages", retired_pages(nvml, device)),
    };
    Memory {
        ecc: told("nvmlDeviceGetEccMode", device.is_ecc_enabled().map(|mode| mode.currently_enabled)),
        volatile: errors(device, &EccCounter::Volatile),
        aggregate: errors(device, &EccCounter::Aggregate),
        rows: told("nvmlDeviceGetRemappedRows", rows.map(Rows::from)),
        retired_pages,
    }
}

/// Corrected and uncorrected errors.
fn errors(device: &Device<'_>, life: &EccCounter) -> (Told<u64>, Told<u64>) {
    let count = |kind: MemoryError| told("nvmlDeviceGetTotalEccErrors", device.total_ecc_errors(kind, *life));
    (count(MemoryError::Corrected), count(MemoryError::Uncorrected))
}

fn retired_pages(nvml: &Nvml, device: &Device<'_>) -> Result<u64, NvmlError> {
    let pages = |cause| sys::nvml::retired_pages(nvml, device, cause).map(u64::from);
    Ok(pages(0)?.saturating_add(pages(1)?))
}

impl From<sys::nvml::Rows> for Rows {
    fn from(rows: sys::nvml::Rows) -> Self {
        Self {
            correctable: rows.correctable.into(),
            uncorrectable: rows.uncorrectable.into(),
            pending: rows.pending != 0,
            failure: rows.failure != 0,
        }
    }
}

pub(super) fn state(device: &Device<'_>) -> State {
    // Bits that the wrapper does not know come with its error.
    let reasons = match device.current_throttle_reasons_strict().map(|reasons: ThrottleReasons| reasons.bits()) {
        Err(NvmlError::IncorrectBits(Bits::U64(bits))) => Ok(bits),
        reasons => reasons,
    };
    State {
        throttle_reasons: told("nvmlDeviceGetCurrentClocksThrottleReasons", reasons),
        persistence: told("nvmlDeviceGetPersistenceMode", device.is_in_persistent_mode()),
        mig: told("nvmlDeviceGetMigMode", device.mig_mode()).and_then(|mode| match mode.current {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(format!("nvmlDeviceGetMigMode: answered {other}, which is not known")),
        }),
    }
}

/// The fabric by the newest structure that the driver knows.
pub(super) fn fabric(nvml: &Nvml, device: &Device<'_>) -> Told<Fabric> {
    const VERSIONED: &str = "nvmlDeviceGetGpuFabricInfoV";
    let newest = sys::nvml::fabric_v3(nvml, device);
    let versioned = match newest {
        Err(error) if is_of_another_version(&error) => sys::nvml::fabric_v2(nvml, device),
        fabric => fabric,
    };
    let (function, found) = match versioned {
        Err(error) if is_of_another_version(&error) || matches!(error, NvmlError::FailedToLoadSymbol(_)) => {
            let oldest = sys::nvml::fabric_v1(nvml, device);
            return match oldest {
                Ok(fabric) => Ok(from(fabric, &reason(VERSIONED, &error))),
                // Where no function is there, the newest is the one to name.
                Err(NvmlError::FailedToLoadSymbol(_)) => Err(reason(VERSIONED, &error)),
                Err(error) => Err(reason("nvmlDeviceGetGpuFabricInfo", &error)),
            };
        }
        versioned => (VERSIONED, versioned),
    };
    told(function, found).map(|fabric| from(fabric, "this driver has no health mask"))
}

/// `NVML_ERROR_ARGUMENT_VERSION_MISMATCH`, or what drivers before it answer to a structure that they do not know.
const fn is_of_another_version(error: &NvmlError) -> bool {
    matches!(error, NvmlError::UnexpectedVariant(25) | NvmlError::InvalidArg)
}

fn from(fabric: sys::nvml::Fabric, without_mask: &str) -> Fabric {
    Fabric {
        state: fabric.state,
        status: fabric.status,
        cluster: fabric.cluster,
        clique: fabric.clique,
        health_mask: fabric.health_mask.ok_or_else(|| without_mask.to_owned()),
        health_summary: fabric.health_summary,
    }
}

/// A mask without the words that are zero at its end.
fn short(mut words: Vec<u64>) -> Vec<u64> {
    words.truncate(words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1));
    words
}

pub(super) fn affinity(device: &Device<'_>) -> Affinity {
    Affinity {
        cpus: told("nvmlDeviceGetCpuAffinity", device.cpu_affinity(CPU_WORDS).map(short)),
        numa_nodes: told("nvmlDeviceGetMemoryAffinity", device.memory_affinity(NODE_WORDS, SCOPE_NODE).map(short)),
        numa_id: match device.numa_node_id() {
            Ok(u32::MAX) | Err(NvmlError::NotSupported) => Ok(None),
            id => told("nvmlDeviceGetNumaNodeId", id.map(Some)),
        },
    }
}
