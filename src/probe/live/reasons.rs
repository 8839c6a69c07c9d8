use super::Silence;
use crate::{
    facts::{Facts, Vendor},
    probe::{
        nvidia,
        untold::{self, Topic},
    },
};

/// The reasons of every source.
pub(super) struct Silences {
    pub(super) host: Silence,
    pub(super) nvidia: Silence,
    pub(super) amd: Silence,
    pub(super) rdma: Silence,
    pub(super) pci: Silence,
}

/// Gives every fact that no source told the reason of the source that would have told it.
pub(super) fn give_reasons(silences: &Silences, facts: &mut Facts) {
    let gpus = match facts.vendor.value() {
        Some(Vendor::Amd) => &silences.amd,
        Some(Vendor::Nvidia) | None => &silences.nvidia,
    };
    let all = match facts.vendor.value() {
        Some(_) => gpus.why(""),
        None => no_gpu(&silences.nvidia.why(""), &silences.amd.why("")),
    };
    facts.vendor.explain(&all);
    facts.gpu_count.explain(&all);
    facts.driver.explain(&all);
    facts.cuda.explain(&all);
    facts.nics.explain(&silences.rdma.why(""));
    facts.rdma_count.explain(&silences.rdma.why(""));
    for gpu in &mut facts.gpus {
        let (index, lane) = (gpu.index, format!("GPU{}", gpu.index));
        untold::gpu(gpu, &|topic| match topic {
            Topic::Uplinks => silences.pci.why("PCI"),
            Topic::NvLinkErrors => gpus.why(&nvidia::link_errors_lane(index)),
            _ => gpus.why(&lane),
        });
    }
    for pair in &mut facts.gpu_pairs {
        let lane = format!("GPU{}", pair.a);
        untold::pair(pair, &|topic| match topic {
            Topic::PciPath => silences.pci.why("PCI"),
            _ => gpus.why(&lane),
        });
    }
    for device in &mut facts.rdma_devices {
        let lane = device.name.clone();
        untold::rdma(device, &|_| silences.rdma.why(&lane));
    }
    untold::host(&mut facts.host, &|topic| match topic {
        Topic::Pci => silences.pci.why("PCI"),
        Topic::KernelLog => silences.host.why("kernel log"),
        Topic::Services => silences.host.why("services"),
        _ => silences.host.why("host"),
    });
}

/// Why there is no GPU of either vendor.
fn no_gpu(nvidia: &str, amd: &str) -> String {
    if nvidia == amd { format!("no GPU was found: {nvidia}") } else { format!("no GPU was found: {nvidia}; {amd}") }
}
