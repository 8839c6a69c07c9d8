use nix::{
    errno::Errno,
    unistd::{AccessFlags, access},
};

use super::{Answer, Device, Link, config};
use crate::probe::{child::Lanes, live::Site, texts::pcie_speed, tree::Tree};

const DEVICES: &str = "sys/bus/pci/devices";

/// Reads the tree, in the child. Links and drivers are read of bridges, GPUs and NICs only: a server has hundreds of
/// other devices.
pub(in crate::probe) fn read(site: &Site, lanes: &Lanes<Answer>) {
    let lane = lanes.open("PCI");
    lane.begin("the PCI tree");
    lane.tell(Answer::Devices(devices(&site.tree())));
}

fn devices(tree: &Tree) -> Result<Vec<Device>, String> {
    tree.names(DEVICES)?.into_iter().map(|address| device(tree, address)).collect()
}

fn device(tree: &Tree, address: String) -> Result<Device, String> {
    let folder = format!("{DEVICES}/{address}");
    let class = number(tree, &format!("{folder}/class"))?;
    let mut device = Device {
        path: path(&tree.link(&folder)?),
        address,
        class,
        identity: None,
        numa_node: None,
        driver: None,
        link: Link::default(),
        bridge: None,
        hidden: false,
    };
    let word =
        |name: &str| number(tree, &format!("{folder}/{name}")).ok().and_then(|number| u16::try_from(number).ok());
    device.identity = word("vendor").zip(word("device"));
    if device.is_bridge() || device.is_gpu() || device.is_network() {
        // A negative number is a machine that does not say.
        device.numa_node = tree.parse(&format!("{folder}/numa_node")).ok();
        device.driver = tree.link(&format!("{folder}/driver")).ok().and_then(|link| last(&link));
        device.link = link(tree, &folder);
    }
    if device.is_gpu() {
        device.hidden = hidden(tree, &device.address);
    }
    if device.is_bridge() {
        device.bridge = Some(match tree.bytes(&format!("{folder}/config")) {
            Ok(bytes) => config::bridge(&bytes),
            Err(reason) => config::Bridge { buses_below: None, acs_redirect: Err(reason) },
        });
    }
    Ok(device)
}

/// The way that a link into `/sys/devices` names, from the host bridge on.
fn path(link: &str) -> Vec<String> {
    let parts = link.split('/').skip_while(|part| !is_host_bridge(part));
    parts.map(str::to_owned).collect()
}

/// Whether a folder is a host bridge's, such as `pci0000:40`.
fn is_host_bridge(name: &str) -> bool {
    let bus = name.strip_prefix("pci").and_then(|rest| rest.split_once(':'));
    let hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    bus.is_some_and(|(domain, bus)| hex(domain) && hex(bus))
}

/// Whether a container or a job's limits keep a GPU of NVIDIA from this process: NVML does not show it then, and it is
/// not lost.
fn hidden(tree: &Tree, address: &str) -> bool {
    let in_container = [".dockerenv", "run/.containerenv"].into_iter().any(|mark| tree.has(mark));
    let information = tree.read(&format!("proc/driver/nvidia/gpus/{address}/information"));
    let minor = information.ok().and_then(|text| {
        text.lines().find_map(|line| line.strip_prefix("Device Minor:")).map(|minor| minor.trim().to_owned())
    });
    let Some(minor) = minor else { return in_container };
    let node = tree.path(&format!("dev/nvidia{minor}"));
    let both = AccessFlags::R_OK | AccessFlags::W_OK;
    match access(&node, both) {
        Ok(()) => false,
        Err(Errno::ENOENT) => in_container,
        Err(_) => true,
    }
}

fn last(link: &str) -> Option<String> {
    link.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

fn number(tree: &Tree, path: &str) -> Result<u32, String> {
    let text = tree.read(path)?;
    let digits = text.strip_prefix("0x").unwrap_or(&text);
    u32::from_str_radix(digits, 16).map_err(|_| format!("/{path} says {text:?}, which is no hexadecimal number"))
}

fn link(tree: &Tree, folder: &str) -> Link {
    let text = |name: &str| tree.read(&format!("{folder}/{name}")).ok();
    let generation = |name: &str| text(name).and_then(|speed| pcie_speed::generation(&speed));
    // The kernel shows 0 or 255 lanes where a port does not say.
    let width = |name: &str| text(name)?.parse().ok().filter(|lanes| (1..=32).contains(lanes));
    Link {
        generation: generation("current_link_speed"),
        generation_max: generation("max_link_speed"),
        width: width("current_link_width"),
        width_max: width("max_link_width"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_begins_at_the_host_bridge() {
        let link = "../../../devices/pci0000:40/0000:40:01.1/0000:41:00.0";
        assert_eq!(path(link), ["pci0000:40", "0000:40:01.1", "0000:41:00.0"]);
        // Other platforms put their own folders before it.
        let link = "../../../devices/platform/pcie@4000/pci0001:00/0001:00:00.0";
        assert_eq!(path(link), ["pci0001:00", "0001:00:00.0"]);
    }
}
