use std::collections::BTreeSet;

use crate::{
    facts::{Fact, IommuMode},
    probe::tree::Tree,
};

const GROUPS: &str = "sys/kernel/iommu_groups";
const UNITS: &str = "sys/class/iommu";
const DEVICES: &str = "sys/bus/pci/devices";
/// Base classes of PCI: network controllers, display controllers, processing accelerators (AMD's Instinct).
///
/// Source: the PCI Code and ID Assignment Specification.
const CLASSES: [&str; 3] = ["0x02", "0x03", "0x12"];

/// What the IOMMU does to GPUs and NICs: the kind of the groups that hold them.
pub(super) fn mode(tree: &Tree) -> Fact<IommuMode> {
    read(tree).unwrap_or_else(Fact::unknown)
}

fn read(tree: &Tree) -> Result<Fact<IommuMode>, String> {
    if tree.names(GROUPS)?.is_empty() {
        return match tree.names(UNITS)?.as_slice() {
            [] => Ok(Fact::known(IommuMode::Off, "/sys/kernel/iommu_groups, /sys/class/iommu")),
            [first, ..] => Err(format!("there is an IOMMU, {first}, and /{GROUPS} lists no group")),
        };
    }
    let mut translating = false;
    let groups = groups(tree)?;
    if groups.is_empty() {
        return Err(format!("no GPU or NIC is in a group of /{GROUPS}"));
    }
    for group in groups {
        let path = format!("{GROUPS}/{group}/type");
        match tree.read(&path)?.as_str() {
            "DMA" | "DMA-FQ" => translating = true,
            "identity" => {}
            other => return Err(format!("/{path} says {other:?}, which is neither translating nor passthrough")),
        }
    }
    let mode = if translating { IommuMode::Translating } else { IommuMode::Passthrough };
    Ok(Fact::known(mode, "/sys/kernel/iommu_groups"))
}

/// The groups that hold a GPU or a NIC.
fn groups(tree: &Tree) -> Result<BTreeSet<String>, String> {
    let mut groups = BTreeSet::new();
    for device in tree.names(DEVICES)? {
        let class = tree.read(&format!("{DEVICES}/{device}/class"))?;
        if !CLASSES.iter().any(|base| class.starts_with(base)) {
            continue;
        }
        // A device without a group is not behind an IOMMU.
        if let Ok(target) = tree.link(&format!("{DEVICES}/{device}/iommu_group")) {
            groups.extend(target.rsplit('/').next().map(str::to_owned));
        }
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{Rebuilt, rebuilt},
        *,
    };

    /// A GPU, a NIC and a disk, in groups of these kinds.
    fn machine(gpu: &str, nic: &str, disk: &str) -> Rebuilt {
        let machine = rebuilt(&[]);
        let devices = [
            ("0000:17:00.0", "0x030200", 5, gpu),
            ("0000:18:00.0", "0x020700", 40, nic),
            ("0000:19:00.0", "0x010802", 6, disk),
        ];
        for (address, class, group, kind) in devices {
            machine.write(&format!("{DEVICES}/{address}/class"), &format!("{class}\n"));
            machine.link(&format!("{DEVICES}/{address}/iommu_group"), &format!("../../../kernel/iommu_groups/{group}"));
            machine.write(&format!("{GROUPS}/{group}/type"), &format!("{kind}\n"));
        }
        machine
    }

    #[test]
    fn the_groups_of_gpus_and_nics_count() {
        for (gpu, nic, disk, expected) in [
            ("identity", "identity", "DMA", Some(IommuMode::Passthrough)),
            ("DMA", "identity", "identity", Some(IommuMode::Translating)),
            ("identity", "DMA-FQ", "identity", Some(IommuMode::Translating)),
            ("identity", "blocked", "identity", None),
        ] {
            assert_eq!(mode(&machine(gpu, nic, disk).tree).value().copied(), expected, "{gpu} {nic} {disk}");
        }
    }

    #[test]
    fn off_is_where_the_kernel_shows_none() {
        let machine = rebuilt(&[]);
        assert_eq!(mode(&machine.tree).reason(), Some("/sys/kernel/iommu_groups is not there"));
        machine.folder(GROUPS);
        assert_eq!(mode(&machine.tree).reason(), Some("/sys/class/iommu is not there"));
        machine.folder(UNITS);
        assert_eq!(mode(&machine.tree).value(), Some(&IommuMode::Off));
        machine.folder(&format!("{UNITS}/dmar0"));
        assert!(mode(&machine.tree).reason().unwrap().contains("dmar0"));
    }

    #[test]
    fn groups_of_other_devices_prove_nothing() {
        let machine = rebuilt(&[("sys/kernel/iommu_groups/0/type", "identity\n")]);
        machine.write(&format!("{DEVICES}/0000:00:1f.0/class"), "0x060100\n");
        assert!(mode(&machine.tree).reason().unwrap().contains("no GPU or NIC"));
    }
}
