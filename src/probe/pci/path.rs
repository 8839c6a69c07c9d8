use super::Device;
use crate::facts::LinkClass;

/// The PCIe class of two devices by their paths: how far up the way between them goes.
///
/// `single_node` is whether the machine has one NUMA node: then devices whose node is not told are on that one.
pub(super) fn class(a: &Device, b: &Device, single_node: bool) -> Result<LinkClass, String> {
    let shared = a.path.iter().zip(&b.path).take_while(|(ours, theirs)| ours == theirs).count();
    // A card's functions share all but their own address.
    let above = |device: &Device| device.path.len().saturating_sub(shared);
    Ok(match shared {
        0 => return apart(a, b, single_node),
        // Only the host bridge.
        1 => LinkClass::Phb,
        // The bridge that they share is a switch's upstream port, or the port that a card hangs on: between it and
        // either device is at most one more, a downstream port.
        _ if above(a) <= 2 && above(b) <= 2 => LinkClass::Pix,
        _ => LinkClass::Pxb,
    })
}

/// Devices below different host bridges.
fn apart(a: &Device, b: &Device, single_node: bool) -> Result<LinkClass, String> {
    match (a.numa_node, b.numa_node) {
        (Some(ours), Some(theirs)) if ours == theirs => Ok(LinkClass::Node),
        (Some(_), Some(_)) => Ok(LinkClass::Sys),
        _ if single_node => Ok(LinkClass::Node),
        (ours, _) => {
            let silent = if ours.is_none() { a } else { b };
            Err(format!("/sys/bus/pci/devices/{}/numa_node does not tell the node", silent.address))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::pci::testing::device;

    fn of(a: &str, b: &str) -> String {
        class(&device(a, Some(0)), &device(b, Some(0)), false).unwrap().to_string()
    }

    #[test]
    fn one_switch_is_pix() {
        // Root port, upstream port, two downstream ports.
        let (gpu, nic) = ("pci0:0/p/u/d1/gpu", "pci0:0/p/u/d2/nic");
        assert_eq!(of(gpu, nic), "PIX");
        // Two functions of one card, on a root port and behind a switch.
        assert_eq!(of("pci0:0/p/nic.0", "pci0:0/p/nic.1"), "PIX");
        assert_eq!(of("pci0:0/p/u/d1/nic.0", "pci0:0/p/u/d1/nic.1"), "PIX");
    }

    #[test]
    fn a_switch_below_a_switch_is_pxb() {
        assert_eq!(of("pci0:0/p/u/d1/u2/d3/gpu", "pci0:0/p/u/d2/nic"), "PXB");
        assert_eq!(of("pci0:0/p/u/d1/u2/d3/gpu", "pci0:0/p/u/d2/u3/d4/gpu"), "PXB");
        // A card with a bridge of its own.
        assert_eq!(of("pci0:0/p/u/d1/b/gpu", "pci0:0/p/u/d2/nic"), "PXB");
        assert_eq!(of("pci0:0/p/u/d1/u2/d3/gpu", "pci0:0/p/u/d1/u2/d4/nic"), "PIX");
    }

    #[test]
    fn through_the_host_bridge_and_beyond() {
        assert_eq!(of("pci0:0/p1/gpu", "pci0:0/p2/nic"), "PHB");
        // A guest's devices on one bus.
        assert_eq!(of("pci0:0/gpu", "pci0:0/nic"), "PHB");
        assert_eq!(of("pci0:0/p/gpu", "pci0:40/p/nic"), "NODE");
        let far = class(&device("pci0:0/p/gpu", Some(0)), &device("pci0:80/p/nic", Some(1)), false);
        assert_eq!(far.unwrap(), LinkClass::Sys);
    }

    #[test]
    fn a_node_that_is_not_told_is_unknown_unless_there_is_one_only() {
        let (gpu, nic) = (device("pci0:0/p/gpu", Some(0)), device("pci0:40/p/nic", None));
        assert!(class(&gpu, &nic, false).unwrap_err().contains("nic/numa_node"));
        assert_eq!(class(&gpu, &nic, true).unwrap(), LinkClass::Node);
    }
}
