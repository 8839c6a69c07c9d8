//! What the nodes of KFD say of the GPUs and of the links between them.

use super::answer::{KFD, Node, Properties};
use crate::{
    probe::texts::amd_links::{Link, Links, Status},
    units::Size,
};

/// `HSA_IOLINKTYPE_PCIEXPRESS` and `HSA_IOLINKTYPE_XGMI` of hsakmttypes.h.
const PCIE: u64 = 2;
const XGMI: u64 = 11;
/// The GPU's own memory, seen by the host (`HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC`) or not (`.._PRIVATE`).
const FRAME_BUFFERS: [u64; 2] = [1, 2];

impl Node {
    /// Whether it is a GPU: a node of a GPU that computes.
    fn is_gpu(&self) -> Result<bool, String> {
        if *self.gpu_id.as_ref().map_err(String::clone)? == 0 {
            return Ok(false);
        }
        let properties = self.properties.as_ref().map_err(String::clone)?;
        // A node that has an id of a GPU and does not say how much computes there may be a GPU.
        let computing = properties.get("simd_count").ok_or("its properties lack simd_count")?;
        Ok(*computing > 0)
    }

    /// The PCI address of a GPU: the domain, and bus, device and function in `location_id`.
    pub(super) fn gpu_address(&self) -> Option<String> {
        let properties = self.properties.as_ref().ok().filter(|_| self.is_gpu() == Ok(true))?;
        let location = *properties.get("location_id")?;
        let domain = *properties.get("domain")?;
        let (bus, device, function) = (location >> 8, (location >> 3) & 0x1f, location & 7);
        (bus <= 0xff && domain <= u64::from(u32::MAX))
            .then(|| format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}"))
    }

    /// The size of the GPU's own memory.
    pub(super) fn memory(&self) -> Result<Size, String> {
        let banks = self.banks.as_ref().map_err(String::clone)?;
        let own = |bank: &&Properties| bank.get("heap_type").is_some_and(|heap| FRAME_BUFFERS.contains(heap));
        let sizes: Option<Vec<u64>> = banks.iter().filter(own).map(|bank| bank.get("size_in_bytes").copied()).collect();
        let size = sizes.and_then(|sizes| sizes.into_iter().try_fold(0_u64, u64::checked_add));
        size.filter(|bytes| *bytes > 0).map(Size).ok_or_else(|| format!("{KFD} lists no memory of the GPU"))
    }
}

/// A GPU that KFD lists.
pub(super) struct Found<'a> {
    pub(super) address: String,
    pub(super) node: &'a Node,
}

/// The GPUs that KFD lists, by PCI address.
pub(super) struct Listing<'a> {
    pub(super) gpus: Vec<Found<'a>>,
    /// Why there may be more, where a node cannot be read: a container that may not use a GPU may not see it.
    pub(super) incomplete: Option<String>,
}

/// The GPUs among the nodes.
pub(super) fn listing(nodes: &[Node]) -> Listing<'_> {
    let mut listing = Listing { gpus: Vec::new(), incomplete: None };
    for node in nodes {
        match node.is_gpu() {
            Ok(false) => {}
            Ok(true) => match node.gpu_address() {
                Some(address) => listing.gpus.push(Found { address, node }),
                None => listing.incomplete = Some(format!("node {} of {KFD} has no PCI address", node.number)),
            },
            Err(reason) => listing.incomplete = Some(format!("node {} of {KFD}: {reason}", node.number)),
        }
    }
    listing.gpus.sort_by_key(|found| place(&found.address));
    listing
}

/// Sorts addresses by domain first, also where a domain has more than four digits.
fn place(address: &str) -> (usize, String) {
    (address.len(), address.to_owned())
}

/// The links between GPUs, each with its index.
pub(super) fn links(gpus: &[(u32, &Node)]) -> Links {
    let mut links = Links::new();
    for &(from, node) in gpus {
        for properties in node.links.iter().flatten() {
            let to =
                properties.get("node_to").and_then(|to| gpus.iter().find(|(_, other)| u64::from(other.number) == *to));
            let (Some(&(to, _)), Some(kind)) = (to.filter(|(to, _)| *to != from), properties.get("type")) else {
                continue;
            };
            let link = link(*kind, properties);
            // A fabric link is nearer than the way over PCIe beside it.
            let nearer = links.get(&(from, to)).is_none_or(|there: &Link| there.kind.as_deref() != Some("XGMI"));
            if nearer {
                links.insert((from, to), link);
            }
        }
    }
    links
}

fn link(kind: u64, properties: &Properties) -> Link {
    let kind = match kind {
        XGMI => "XGMI".to_owned(),
        PCIE => "PCIE".to_owned(),
        other => other.to_string(),
    };
    let weight = properties.get("weight").and_then(|weight| u32::try_from(*weight).ok());
    Link { kind: Some(kind), status: Status::Untold, weight, hops: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties(of: &[(&str, u64)]) -> Properties {
        of.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    fn node(number: u32, location: u64) -> Node {
        Node {
            number,
            gpu_id: Ok(51_000 + u64::from(number)),
            properties: Ok(properties(&[("simd_count", 1216), ("domain", 0), ("location_id", location)])),
            banks: Ok(Vec::new()),
            links: Ok(Vec::new()),
        }
    }

    #[test]
    fn an_address_is_taken_apart() {
        for (location, address) in [(0x0c00, "0000:0c:00.0"), (0xc1_4b, "0000:c1:09.3")] {
            assert_eq!(node(1, location).gpu_address().as_deref(), Some(address));
        }
        let mut far = node(1, 0x0300);
        far.properties.as_mut().unwrap().insert("domain".into(), 0x10002);
        assert_eq!(far.gpu_address().as_deref(), Some("10002:03:00.0"));
        assert_eq!(node(1, 0x1_0000).gpu_address(), None);
    }

    #[test]
    fn cpus_are_passed_over_and_gpus_are_sorted_by_address() {
        let cpu = Node { gpu_id: Ok(0), ..node(0, 0) };
        let mut display = node(3, 0x4100);
        display.properties.as_mut().unwrap().insert("simd_count".into(), 0);
        let nodes = [cpu, node(1, 0x2200), node(2, 0x0c00), display];
        let listing = listing(&nodes);
        let found: Vec<&str> = listing.gpus.iter().map(|found| found.address.as_str()).collect();
        assert_eq!((found, listing.incomplete), (vec!["0000:0c:00.0", "0000:22:00.0"], None));
    }

    #[test]
    fn a_node_that_may_not_be_read_leaves_the_listing_incomplete() {
        let hidden = Node { gpu_id: Err("/sys/x can be read by root only".into()), ..node(2, 0) };
        let nodes = [node(1, 0x0c00), hidden];
        assert!(listing(&nodes).incomplete.unwrap().contains("node 2 of KFD: /sys/x"));
    }

    #[test]
    fn the_memory_of_the_gpu_is_summed_and_no_other() {
        let mut gpu = node(1, 0x0c00);
        assert_eq!(gpu.memory(), Err("KFD lists no memory of the GPU".to_owned()));
        let bank = |heap, size| properties(&[("heap_type", heap), ("size_in_bytes", size)]);
        gpu.banks = Ok(vec![bank(1, 64), bank(0, 1000), bank(2, 192)]);
        assert_eq!(gpu.memory(), Ok(Size(256)));
        gpu.banks = Ok(vec![bank(1, 64), properties(&[("heap_type", 2)])]);
        assert!(gpu.memory().is_err());
    }

    #[test]
    fn a_fabric_link_goes_before_the_pcie_link_beside_it() {
        let (mut one, two) = (node(1, 0x0c00), node(2, 0x2200));
        let to_two = |kind, weight| properties(&[("type", kind), ("node_from", 1), ("node_to", 2), ("weight", weight)]);
        one.links = Ok(vec![to_two(PCIE, 40), to_two(XGMI, 15), to_two(PCIE, 40)]);
        let links = links(&[(0, &one), (1, &two)]);
        assert_eq!(links.len(), 1);
        let link = &links[&(0, 1)];
        assert_eq!((link.kind.as_deref(), link.weight), (Some("XGMI"), Some(15)));
    }
}
