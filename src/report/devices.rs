//! GPUs by what a vendor's return form asks for.

use std::collections::BTreeSet;

use crate::{
    facts::{Fact, Facts, Gpu},
    verdict::Finding,
};

/// The GPUs that findings name, alone or in pairs, in the order of their index; those of which nothing is known that
/// would identify them are left out.
pub(super) fn named<'a>(findings: impl IntoIterator<Item = &'a Finding>, facts: &Facts) -> Vec<&Gpu> {
    let indices: BTreeSet<u32> = findings
        .into_iter()
        .filter_map(|finding| finding.device.as_deref())
        .flat_map(|device| device.split('-'))
        .filter_map(|part| part.strip_prefix("GPU")?.parse().ok())
        .collect();
    indices.into_iter().filter_map(|index| facts.gpu(index)).filter(|gpu| is_identified(gpu)).collect()
}

fn is_identified(gpu: &Gpu) -> bool {
    [&gpu.pci_address, &gpu.uuid, &gpu.serial].iter().any(|fact| fact.value().is_some())
}

/// PCI address, UUID and serial number, each with its value or why it is unknown.
pub(super) fn identity(gpu: &Gpu) -> [(&'static str, String); 3] {
    let told = |fact: &Fact<String>| match fact.require() {
        Ok(value) => value.clone(),
        Err(reason) => format!("unknown: {reason}"),
    };
    [("pci", told(&gpu.pci_address)), ("uuid", told(&gpu.uuid)), ("serial", told(&gpu.serial))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        facts::Origin,
        verdict::{FindingCode, Severity},
    };

    #[test]
    fn alone_and_in_pairs() {
        let mut facts = Facts::new(Origin::Live);
        facts.gpus = (0..12).map(Gpu::new).collect();
        for gpu in &mut facts.gpus {
            gpu.serial = Fact::known("1650423000100".into(), "NVML");
        }
        facts.gpu_mut(3).serial = Fact::unknown("not read");
        let findings = ["GPU11", "GPU2-GPU0", "GPU3-NIC1", "mlx5_1/1", "GPU77"].map(|device| {
            let mut finding = Finding::new(FindingCode::LinkClass, Severity::Failure, "x");
            finding.device = Some(device.into());
            finding
        });
        let indices: Vec<u32> = named(&findings, &facts).iter().map(|gpu| gpu.index).collect();
        assert_eq!(indices, [0, 2, 11]);
    }
}
