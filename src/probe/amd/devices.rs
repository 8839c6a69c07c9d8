//! What `/sys` says of a GPU's PCI device.

use super::answer::{Device, LinkTexts};
use crate::{
    facts::{Fact, Gpu, PcieLink},
    probe::texts::pcie_speed,
    units::IndexList,
};

/// Fills what the device says. What amd-smi says of the link as it runs now goes first: it asks the firmware, and on
/// boards with a bridge of their own `/sys` shows the link behind it. The most that the link reaches and the near node
/// are the kernel's to say.
pub(super) fn fill(gpu: &mut Gpu, device: &Device) {
    let source = format!("/sys/bus/pci/devices/{}", device.address);
    let Device { address: _, numa_node, cpus, current, own_max, port_max } = device;
    let now = link(current, &source);
    let PcieLink { generation, generation_max, width, width_max, .. } = &mut gpu.pcie;
    or_else(generation, now.0);
    or_else(width, now.1);
    let (own, port) = (link(own_max, &source), link(port_max, "the port above"));
    instead(generation_max, lower(own.0, port.0));
    instead(width_max, lower(own.1, port.1));
    let node = numa_node.clone().and_then(|node| near(node, &source));
    instead(&mut gpu.numa_nodes, Fact::told(node, &source));
    let cpus = cpus
        .clone()
        .and_then(|list| list.parse::<IndexList>().map_err(|_| format!("{source}/local_cpulist says {list:?}")));
    instead(&mut gpu.cpus, Fact::told(cpus, &source));
}

/// The generation and the lanes of a link.
fn link(texts: &LinkTexts, source: &str) -> (Fact<u32>, Fact<u32>) {
    let LinkTexts { speed, width } = texts;
    let generation = speed.clone().and_then(|speed| {
        let generation = pcie_speed::generation(&speed);
        generation.ok_or_else(|| format!("{source} says the link's speed is {speed:?}"))
    });
    // 0 where there is no link, 255 where the device has gone.
    let lanes = width.clone().and_then(|lanes| match lanes {
        1..=32 => Ok(lanes),
        _ => Err(format!("{source} says the link has {lanes} lanes")),
    });
    (Fact::told(generation, source), Fact::told(lanes, source))
}

/// What both ends of a link reach. A port that is not seen, as in a virtual machine, leaves it unknown.
fn lower(own: Fact<u32>, port: Fact<u32>) -> Fact<u32> {
    match (own, port) {
        (Fact::Known { value, source }, Fact::Known { value: port, .. }) => Fact::known(value.min(port), source),
        (Fact::Known { .. }, missing) | (missing, _) => missing,
    }
}

fn near(node: i64, source: &str) -> Result<IndexList, String> {
    let node = u32::try_from(node).map_err(|_| format!("{source}/numa_node is {node}: the firmware does not say"))?;
    Ok([node].into_iter().collect())
}

/// Takes the other where nothing is known.
pub(super) fn or_else<T>(fact: &mut Fact<T>, other: Fact<T>) {
    if matches!(fact, Fact::Unknown { .. }) {
        *fact = other;
    }
}

/// Takes the other where it is known, or where nothing is. A conflict stays.
fn instead<T>(fact: &mut Fact<T>, other: Fact<T>) {
    let take = match fact {
        Fact::Conflict { .. } => false,
        Fact::Known { .. } => other.value().is_some(),
        Fact::Unknown { .. } => true,
    };
    if take {
        *fact = other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(speed: &str, width: u32) -> LinkTexts {
        LinkTexts { speed: Ok(speed.to_owned()), width: Ok(width) }
    }

    fn device() -> Device {
        Device {
            address: "0000:0c:00.0".to_owned(),
            numa_node: Ok(1),
            cpus: Ok("48-95".to_owned()),
            current: texts("16.0 GT/s PCIe", 8),
            own_max: texts("32.0 GT/s PCIe", 16),
            port_max: texts("16.0 GT/s PCIe", 16),
        }
    }

    fn filled(device: &Device) -> Gpu {
        let mut gpu = Gpu::new(0);
        fill(&mut gpu, device);
        gpu
    }

    #[test]
    fn the_most_is_what_both_ends_reach() {
        let gpu = filled(&device());
        assert_eq!((gpu.pcie.generation.value(), gpu.pcie.width.value()), (Some(&4), Some(&8)));
        assert_eq!((gpu.pcie.generation_max.value(), gpu.pcie.width_max.value()), (Some(&4), Some(&16)));
        assert_eq!(gpu.numa_nodes.value(), Some(&[1].into_iter().collect()));
        assert_eq!(gpu.cpus.value(), Some(&(48..=95).collect()));
    }

    #[test]
    fn no_node_is_not_node_0_and_a_port_that_is_not_seen_reaches_nothing() {
        let missing = "/sys/x is not there".to_owned();
        let port_max = LinkTexts { speed: Err(missing.clone()), width: Err(missing) };
        let gpu = filled(&Device { numa_node: Ok(-1), port_max, ..device() });
        assert!(gpu.numa_nodes.reason().unwrap().contains("numa_node is -1"));
        assert_eq!(gpu.pcie.width_max.reason(), Some("/sys/x is not there"));
    }

    #[test]
    fn what_is_no_link_is_unknown() {
        let gpu = filled(&Device { current: texts("Unknown", 255), ..device() });
        assert_eq!((gpu.pcie.generation.value(), gpu.pcie.width.value()), (None, None));
        assert!(gpu.pcie.generation.reason().unwrap().contains("\"Unknown\""));
    }

    #[test]
    fn the_link_that_amd_smi_sees_goes_before_the_one_behind_the_boards_bridge() {
        let mut gpu = Gpu::new(0);
        gpu.pcie.width = Fact::known(4, "amd-smi metric --json");
        gpu.pcie.width_max = Fact::known(32, "amd-smi static --json");
        fill(&mut gpu, &device());
        assert_eq!((gpu.pcie.width.value(), gpu.pcie.width_max.value()), (Some(&4), Some(&16)));
    }
}
