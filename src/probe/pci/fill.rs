use super::{Answer, Device, NVIDIA, matrix};
use crate::{
    facts::{Fact, Facts, LostGpu, PciBridge, PciDevice, PcieUplink, Vendor},
    probe::{child::Heard, live::Silence},
};

/// What names the tree as a source.
pub(super) const SOURCE: &str = "/sys/bus/pci";

/// Fills in what the tree tells: bridges, links, distances. GPUs, NICs and nodes must be known by now.
pub(in crate::probe) fn fill(heard: Heard<Answer>, facts: &mut Facts) -> Silence {
    let silence = Silence::of(&heard, format!("{SOURCE} does not say"));
    let (devices, silence) = match heard.answers.into_iter().next() {
        Some(Answer::Devices(Ok(devices))) => (devices, silence),
        Some(Answer::Devices(Err(reason))) => (Vec::new(), Silence::all(reason)),
        None => (Vec::new(), silence),
    };
    if !devices.is_empty() {
        listing(&devices, facts);
        uplinks(&devices, facts);
        lost_gpus(&devices, facts);
    }
    matrix::fill(&devices, &silence.why("PCI"), facts);
    silence
}

fn listing(devices: &[Device], facts: &mut Facts) {
    let (bridges, others): (Vec<&Device>, Vec<&Device>) = devices.iter().partition(|device| device.is_bridge());
    let bridge = |device: &Device| {
        let config = device.bridge.as_ref();
        PciBridge {
            address: device.address.clone(),
            buses_below: config.and_then(|config| config.buses_below),
            acs_redirect: config.and_then(|config| config.acs_redirect.clone().ok()),
            acs_unread: config.and_then(|config| config.acs_redirect.clone().err()),
        }
    };
    facts.host.bridges = Fact::known(bridges.into_iter().map(bridge).collect(), SOURCE);
    let shown = others.into_iter().filter(|device| device.is_gpu() || device.is_network());
    let device = |device: &Device| PciDevice {
        address: device.address.clone(),
        description: description(device),
        generation: device.link.generation,
        width: device.link.width,
    };
    facts.host.pci_devices = Fact::known(shown.map(device).collect(), SOURCE);
}

fn description(device: &Device) -> String {
    let what = if device.is_gpu() { "GPU" } else { "network controller" };
    match device.identity {
        Some((vendor, number)) => format!("{what} {vendor:04x}:{number:04x}"),
        None => what.to_owned(),
    }
}

/// The links above each GPU's own. The way down alternates between a port that has the link below it and the device at
/// that link's lower end: root port, a switch's upstream port, its downstream port, and so on.
fn uplinks(devices: &[Device], facts: &mut Facts) {
    for gpu in &mut facts.gpus {
        let Some(device) = gpu.pci_address.value().and_then(|address| find(devices, address)) else { continue };
        let on_the_way = device.path.get(1..device.path.len().saturating_sub(1)).unwrap_or_default();
        let bridges: Vec<&Device> = on_the_way.iter().filter_map(|address| find(devices, address)).collect();
        if bridges.len() == on_the_way.len() {
            let links = bridges.chunks_exact(2).map(|ends| uplink(ends[0], ends[1]));
            gpu.pcie_uplinks = Fact::known(links.collect(), SOURCE);
        }
    }
}

fn uplink(upper: &Device, lower: &Device) -> PcieUplink {
    let both = |upper: Option<u32>, lower: Option<u32>| upper.zip(lower).map(|(upper, lower)| upper.min(lower));
    PcieUplink {
        address: lower.address.clone(),
        generation: lower.link.generation,
        generation_max: both(upper.link.generation_max, lower.link.generation_max),
        width: lower.link.width,
        width_max: both(upper.link.width_max, lower.link.width_max),
    }
}

pub(super) fn find<'a>(devices: &'a [Device], address: &str) -> Option<&'a Device> {
    devices.iter().find(|device| device.address == address)
}

/// GPUs of NVIDIA that the bus shows and NVML does not. One that is bound to another driver, or kept from this process,
/// is not lost.
fn lost_gpus(devices: &[Device], facts: &mut Facts) {
    let nvidia = devices.iter().filter(|device| {
        device.is_gpu() && device.identity.is_some_and(|(vendor, _)| vendor == NVIDIA) && !device.hidden
    });
    let ours = nvidia.filter(|device| device.driver.as_deref().is_none_or(|driver| driver == "nvidia"));
    if facts.vendor.value().is_none() || facts.gpu_count.value().is_none() {
        let count = ours.count();
        if count > 0
            && let Some(line) = facts.sources.get_mut("NVIDIA GPUs")
        {
            line.push_str(&format!("; the PCI bus has {count}"));
        }
        return;
    }
    if facts.vendor.value() != Some(&Vendor::Nvidia) || facts.gpus.iter().any(|gpu| gpu.pci_address.value().is_none()) {
        return;
    }
    let known = |address: &String| {
        facts.gpus.iter().any(|gpu| gpu.pci_address.value() == Some(address))
            || facts.lost_gpus.iter().any(|lost| lost.pci_address == *address)
    };
    let lost: Vec<LostGpu> = ours
        .filter(|device| !known(&device.address))
        .map(|device| LostGpu {
            pci_address: device.address.clone(),
            source: SOURCE.to_owned(),
            quote: "it is on the PCI bus, and NVML does not show it".to_owned(),
        })
        .collect();
    facts.lost_gpus.extend(lost);
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            Link,
            testing::{bridge, device},
        },
        *,
    };
    use crate::facts::Origin;

    fn machine(gpus: &[&str]) -> Facts {
        let mut facts = Facts::new(Origin::Live);
        facts.vendor = Fact::known(Vendor::Nvidia, "NVML");
        facts.gpu_count = Fact::known(u32::try_from(gpus.len()).unwrap(), "NVML");
        for (index, address) in (0..).zip(gpus) {
            facts.gpu_mut(index).pci_address = Fact::known((*address).to_owned(), "NVML");
        }
        facts
    }

    const fn link(generation: u32, most: u32, width: u32) -> Link {
        Link { generation: Some(generation), generation_max: Some(most), width: Some(width), width_max: Some(16) }
    }

    #[test]
    fn a_switch_s_uplink_is_named_by_its_upstream_port() {
        let mut facts = machine(&["gpu"]);
        let devices = [
            bridge("pci0:0/port", link(2, 5, 16)),
            bridge("pci0:0/port/up", link(2, 4, 16)),
            bridge("pci0:0/port/up/down", link(1, 4, 16)),
            device("pci0:0/port/up/down/gpu", Some(0)),
        ];
        uplinks(&devices, &mut facts);
        let wanted = PcieUplink {
            address: "up".to_owned(),
            generation: Some(2),
            generation_max: Some(4),
            width: Some(16),
            width_max: Some(16),
        };
        assert_eq!(facts.gpus[0].pcie_uplinks.value(), Some(&vec![wanted]));
    }

    #[test]
    fn a_card_on_a_root_port_has_no_uplink() {
        let mut facts = machine(&["gpu"]);
        let devices = [bridge("pci0:0/port", link(5, 5, 16)), device("pci0:0/port/gpu", Some(0))];
        uplinks(&devices, &mut facts);
        assert_eq!(facts.gpus[0].pcie_uplinks.value(), Some(&Vec::new()));
    }

    #[test]
    fn a_gpu_of_the_bus_that_nvml_does_not_show_is_lost() {
        let on_bus = || [device("pci0:0/a", Some(0)), device("pci0:0/b", Some(0))];
        let lost = |devices: &[Device]| {
            let mut facts = machine(&["a"]);
            lost_gpus(devices, &mut facts);
            facts.lost_gpus.into_iter().map(|lost| lost.pci_address).collect::<Vec<_>>()
        };
        assert_eq!(lost(&on_bus()), ["b"]);
        let [first, second] = on_bus();
        assert_eq!(lost(&[first.clone(), Device { hidden: true, ..second.clone() }]), [""; 0]);
        let passed_through = Device { driver: Some("vfio-pci".to_owned()), ..second.clone() };
        assert_eq!(lost(&[first.clone(), passed_through]), [""; 0]);
        assert_eq!(lost(&[first, Device { driver: None, ..second }]), ["b"]);
    }
}
