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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Fact, Origin};

    /// A source of which each lane has itself for a reason.
    fn silence(source: &str, lanes: &[&str]) -> Silence {
        let mut silence = Silence::all(source);
        lanes.iter().for_each(|lane| silence.because(*lane, *lane));
        silence
    }

    fn silences() -> Silences {
        Silences {
            host: silence("host as a whole", &["host", "kernel log", "services"]),
            nvidia: silence("NVML", &["GPU0", "GPU1", "NVLink errors of GPU0"]),
            amd: silence("amd-smi", &[]),
            rdma: silence("sysfs", &["mlx5_0"]),
            pci: silence("tree", &["PCI"]),
        }
    }

    fn why<T>(fact: &Fact<T>) -> &str {
        fact.reason().unwrap()
    }

    #[test]
    fn every_fact_has_the_reason_of_the_lane_that_would_have_told_it() {
        let mut facts = Facts::new(Origin::Live);
        facts.vendor = Fact::known(Vendor::Nvidia, "NVML");
        facts.pair_mut(0, 1);
        facts.gpu_mut(0);
        facts.rdma_mut("mlx5_0").port_mut(1);
        give_reasons(&silences(), &mut facts);
        let gpu = &facts.gpus[0];
        assert_eq!((why(&facts.gpu_count), why(&facts.nics), why(&facts.rdma_count)), ("NVML", "sysfs", "sysfs"));
        assert_eq!((why(&gpu.name), why(&gpu.nvlinks), why(&gpu.cpus)), ("GPU0", "GPU0", "GPU0"));
        assert_eq!((why(&gpu.nvlink_errors), why(&gpu.pcie_uplinks)), ("NVLink errors of GPU0", "PCI"));
        // A pair is asked in the lane of its lower GPU.
        let pair = &facts.gpu_pairs[0];
        assert_eq!((why(&pair.class), why(&pair.p2p_read), why(&pair.pcie_path)), ("GPU0", "GPU0", "PCI"));
        let port = &facts.rdma_devices[0].ports[0];
        assert_eq!((why(&port.state), why(&port.active_mtu), why(&port.gids)), ("mlx5_0", "mlx5_0", "mlx5_0"));
        let host = &facts.host;
        assert_eq!((why(&host.kernel_log), why(&host.kernel_log_lines)), ("kernel log", "kernel log"));
        assert_eq!((why(&host.service_count), why(&host.gpudirect)), ("services", "host"));
        assert_eq!((why(&host.bridges), why(&host.pci_devices), why(&host.iommu)), ("PCI", "PCI", "host"));
    }

    #[test]
    fn without_gpus_both_vendors_say_why() {
        let mut facts = Facts::new(Origin::Live);
        give_reasons(&silences(), &mut facts);
        assert_eq!(why(&facts.gpu_count), "no GPU was found: NVML; amd-smi");
        facts = Facts::new(Origin::Live);
        facts.vendor = Fact::known(Vendor::Amd, "KFD");
        facts.gpu_mut(0);
        give_reasons(&silences(), &mut facts);
        assert_eq!((why(&facts.driver), why(&facts.gpus[0].mig)), ("amd-smi", "amd-smi"));
    }
}
