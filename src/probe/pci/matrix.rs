use super::{
    Device,
    fill::{SOURCE, find},
    path,
};
use crate::facts::{Damage, Fact, Facts, GpuNic, LinkClass, Nic, NicPair};

/// Fills in the matrix by the paths of the devices: GPUs among each other, with NICs, NICs among each other.
///
/// `silence` is why a device may not be in the tree.
pub(super) fn fill(devices: &[Device], silence: &str, facts: &mut Facts) {
    let distances = Distances { devices, silence, single_node: has_single_node(facts) };
    gpu_pairs(&distances, facts);
    let Fact::Known { source, .. } = &facts.rdma_count else { return };
    let mut names: Vec<String> = facts.rdma_devices.iter().map(|device| device.name.clone()).collect();
    names.sort_by(|a, b| natural(a).cmp(&natural(b)));
    let nics =
        (0..).zip(names).map(|(number, name): (u32, String)| Nic { label: format!("NIC{number}"), device: Some(name) });
    let nics: Vec<Nic> = nics.collect();
    facts.nics = Fact::known(nics.clone(), source.clone());
    let addresses: Vec<Fact<String>> = nics.iter().map(|nic| address_of(nic, facts)).collect();
    for gpu in &facts.gpus {
        for (nic, address) in nics.iter().zip(&addresses) {
            let class = distances.between(&gpu.pci_address, address);
            facts.gpu_nics.push(GpuNic { gpu: gpu.index, nic: nic.label.clone(), class });
        }
    }
    for (at, (nic, address)) in nics.iter().zip(&addresses).enumerate() {
        for (other, theirs) in nics.iter().zip(&addresses).skip(at + 1) {
            let class = distances.between(address, theirs);
            facts.nic_pairs.push(NicPair { a: nic.label.clone(), b: other.label.clone(), class });
        }
    }
}

fn address_of(nic: &Nic, facts: &Facts) -> Fact<String> {
    let device = facts.rdma_devices.iter().find(|device| device.name == nic.name());
    device.map(|device| device.pci_address.clone()).unwrap_or_default()
}

/// Whether all CPUs are on one NUMA node. Nodes without CPUs, such as a GPU's own memory, are none to be near to.
fn has_single_node(facts: &Facts) -> bool {
    let nodes = facts.host.numa_nodes.value();
    nodes.is_some_and(|nodes| nodes.iter().filter(|node| !node.cpus.0.is_empty()).count() == 1)
}

struct Distances<'a> {
    devices: &'a [Device],
    silence: &'a str,
    single_node: bool,
}

impl Distances<'_> {
    fn between(&self, a: &Fact<String>, b: &Fact<String>) -> Fact<LinkClass> {
        let class = self.device(a).and_then(|a| path::class(a, self.device(b)?, self.single_node));
        match class {
            Ok(class) => Fact::known(class, SOURCE),
            Err(reason) => Fact::unknown(reason),
        }
    }

    fn device(&self, address: &Fact<String>) -> Result<&Device, String> {
        let address = address.require()?;
        match find(self.devices, address) {
            Some(device) => Ok(device),
            None if self.devices.is_empty() => Err(self.silence.to_owned()),
            None => Err(format!("{SOURCE} has no device {address}")),
        }
    }
}

/// The classes of GPUs by their paths, beside what their vendor says. Where the vendor gives no more than PCIe, the
/// path says how far; where both give a distance and they differ, the vendor's stands and the difference is told.
fn gpu_pairs(distances: &Distances<'_>, facts: &mut Facts) {
    let addresses: Vec<(u32, Fact<String>)> =
        facts.gpus.iter().map(|gpu| (gpu.index, gpu.pci_address.clone())).collect();
    let address = |index: u32| addresses.iter().find(|(known, _)| *known == index).map(|(_, address)| address);
    for pair in &mut facts.gpu_pairs {
        let (Some(a), Some(b)) = (address(pair.a), address(pair.b)) else { continue };
        pair.pcie_path = distances.between(a, b);
        let Some(path) = pair.pcie_path.value().copied() else { continue };
        if let Fact::Known { value: LinkClass::Pcie, source } = &pair.class {
            pair.class = Fact::known(path, format!("{source}, {SOURCE}"));
        }
        if let Fact::Known { value, source } = &pair.ancestor
            && *value != path
        {
            let reason = format!("GPU{}-GPU{} is {path} by the paths, {source} says {value}", pair.a, pair.b);
            facts.damage.push(Damage::of_file(SOURCE, reason));
        }
    }
}

/// A name cut so that numbers in it sort by value: `mlx5_2` before `mlx5_10`.
fn natural(name: &str) -> Vec<(u64, &str)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest[text..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |at| text + at);
        parts.push((0, &rest[..text]));
        if let Ok(number) = rest[text..digits].parse() {
            parts.push((number, ""));
        }
        rest = &rest[digits..];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{super::testing::device, *};
    use crate::facts::{NumaNode, Origin, Vendor};

    fn machine() -> Facts {
        let mut facts = Facts::new(Origin::Live);
        facts.vendor = Fact::known(Vendor::Nvidia, "NVML");
        facts.host.numa_nodes = Fact::known(
            vec![NumaNode::new(0, "0-3".parse().unwrap()), NumaNode::new(1, "4-7".parse().unwrap())],
            "/sys",
        );
        for (index, address) in [(0, "g0"), (1, "g1")] {
            facts.gpu_mut(index).pci_address = Fact::known(address.to_owned(), "NVML");
        }
        facts.pair_mut(0, 1);
        for (name, address) in [("mlx5_10", "n10"), ("mlx5_2", "n2")] {
            facts.rdma_mut(name).pci_address = Fact::known(address.to_owned(), "/sys");
        }
        facts.rdma_mut("rxe0").pci_address = Fact::unknown("it is no PCI device");
        facts.rdma_count = Fact::known(3, "/sys/class/infiniband");
        facts
    }

    fn devices() -> Vec<Device> {
        vec![
            device("pci0:0/p/u/d/g0", Some(0)),
            device("pci0:80/p/g1", Some(1)),
            device("pci0:0/p/u/e/n2", Some(0)),
            device("pci0:40/p/n10", Some(0)),
        ]
    }

    #[test]
    fn nics_in_the_order_of_their_numbers_with_their_distances() {
        let mut facts = machine();
        fill(&devices(), "", &mut facts);
        let nics = facts.nics.value().unwrap();
        let names: Vec<&str> = nics.iter().map(Nic::name).collect();
        assert_eq!(names, ["mlx5_2", "mlx5_10", "rxe0"]);
        let cells: Vec<String> = facts
            .gpu_nics
            .iter()
            .map(|cell| match &cell.class {
                Fact::Known { value, .. } => value.to_string(),
                other => other.reason().unwrap().to_owned(),
            })
            .collect();
        assert_eq!(cells, ["PIX", "NODE", "it is no PCI device", "SYS", "SYS", "it is no PCI device"]);
        assert_eq!(facts.nic_pairs[0].class.value(), Some(&LinkClass::Node));
    }

    #[test]
    fn a_node_of_memory_alone_is_no_node_to_be_near_to() {
        let mut facts = machine();
        let nodes = |second: &str| {
            Fact::known(
                vec![NumaNode::new(0, "0-7".parse().unwrap()), NumaNode::new(1, second.parse().unwrap_or_default())],
                "/sys",
            )
        };
        facts.host.numa_nodes = nodes("");
        assert!(has_single_node(&facts));
        facts.host.numa_nodes = nodes("8-15");
        assert!(!has_single_node(&facts));
        facts.host.numa_nodes = Fact::unknown("not read");
        assert!(!has_single_node(&facts));
    }

    #[test]
    fn a_vendor_that_disagrees_is_told_and_stands() {
        let mut facts = machine();
        facts.pair_mut(0, 1).ancestor = Fact::known(LinkClass::Node, "NVML");
        facts.pair_mut(0, 1).class = Fact::known(LinkClass::Node, "NVML");
        fill(&devices(), "", &mut facts);
        let pair = facts.pair(0, 1).unwrap();
        assert_eq!((pair.pcie_path.value(), pair.class.value()), (Some(&LinkClass::Sys), Some(&LinkClass::Node)));
        assert_eq!(facts.damage[0].reason, "GPU0-GPU1 is SYS by the paths, NVML says NODE");
    }

    #[test]
    fn the_path_says_how_far_where_a_vendor_says_pcie_only() {
        let mut facts = machine();
        facts.pair_mut(0, 1).class = Fact::known(LinkClass::Pcie, "KFD");
        fill(&devices(), "", &mut facts);
        assert_eq!(facts.pair(0, 1).unwrap().class, Fact::known(LinkClass::Sys, "KFD, /sys/bus/pci"));
    }

    #[test]
    fn without_the_tree_every_distance_is_unknown_for_its_reason() {
        let mut facts = machine();
        fill(&[], "/sys/bus/pci/devices is not there", &mut facts);
        let reasons: Vec<&str> = facts.gpu_nics.iter().filter_map(|cell| cell.class.reason()).collect();
        assert_eq!(reasons.len(), 6);
        assert_eq!(reasons[0], "/sys/bus/pci/devices is not there");
    }

    #[test]
    fn without_a_listing_of_rdma_devices_no_nics_are_known() {
        let mut facts = machine();
        facts.rdma_count = Fact::unknown("no RDMA driver is loaded");
        fill(&devices(), "", &mut facts);
        assert!(facts.nics.value().is_none() && facts.gpu_nics.is_empty());
    }
}
