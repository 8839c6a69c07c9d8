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
    let mut found = Vec::new();
    for address in tree.names(DEVICES)? {
        match device(tree, address.clone()) {
            Ok(device) => found.push(device),
            // Gone since it was listed: unplugged, or a virtual function that was taken away.
            Err(_) if tree.lacks(&format!("{DEVICES}/{address}")) => {}
            Err(reason) => return Err(reason),
        }
    }
    Ok(found)
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
    let word = |name: &str| {
        let path = format!("{folder}/{name}");
        let number = number(tree, &path)?;
        u16::try_from(number).map_err(|_| format!("/{path} says {number:#x}, which is no number of PCI"))
    };
    device.identity = match word("vendor").and_then(|vendor| Ok((vendor, word("device")?))) {
        Ok(identity) => Some(identity),
        // It may be a GPU of a vendor whose GPUs are read.
        Err(reason) if device.may_be_gpu() => return Err(reason),
        Err(_) => None,
    };
    if device.is_bridge() || device.is_gpu() || device.is_network() {
        // A negative number is a machine that does not say.
        device.numa_node = tree.parse(&format!("{folder}/numa_node")).ok();
        device.driver = tree.link(&format!("{folder}/driver")).ok().and_then(|link| last(&link));
        device.link = link(tree, &folder);
    }
    if device.is_gpu() {
        device.hidden = is_virtual_function(tree, &folder) || hidden(tree, &device);
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

/// Whether this is a part of a GPU that is for guests: it is no GPU of the host, and NVML does not show it there.
fn is_virtual_function(tree: &Tree, folder: &str) -> bool {
    tree.link(&format!("{folder}/physfn")).is_ok()
}

/// What Docker, Podman, systemd and LXC, Apptainer, and Kubernetes leave in a container.
const CONTAINER: [&str; 5] = [
    ".dockerenv",
    "run/.containerenv",
    "run/systemd/container",
    ".singularity.d",
    "var/run/secrets/kubernetes.io/serviceaccount",
];

/// Whether a container or a job's limits keep a GPU of NVIDIA from this process: NVML does not show it then, and it is
/// not lost.
fn hidden(tree: &Tree, device: &Device) -> bool {
    let address = &device.address;
    let in_container = CONTAINER.into_iter().any(|mark| tree.has(mark));
    // The driver lists every GPU that it is bound to. A container's runtime shows a part of that list.
    let listed = tree.names("proc/driver/nvidia/gpus");
    if device.driver.as_deref() == Some("nvidia") && listed.is_ok_and(|listed| !listed.contains(address)) {
        return true;
    }
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

    /// A tree of two GPUs of NVIDIA, of which the driver lists the first.
    fn two_gpus() -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let bus = "sys/devices/pci0000:40";
        std::fs::create_dir_all(root.join(DEVICES)).unwrap();
        std::fs::create_dir_all(root.join("sys/bus/pci/drivers/nvidia")).unwrap();
        std::fs::create_dir_all(root.join("proc/driver/nvidia/gpus/0000:41:00.0")).unwrap();
        std::fs::create_dir_all(root.join("dev")).unwrap();
        std::fs::write(root.join("dev/nvidia0"), "").unwrap();
        let information = "proc/driver/nvidia/gpus/0000:41:00.0/information";
        std::fs::write(root.join(information), "Device Minor: \t 0\n").unwrap();
        for address in ["0000:41:00.0", "0000:42:00.0"] {
            let gpu = root.join(bus).join(address);
            std::fs::create_dir_all(&gpu).unwrap();
            for (name, text) in [("class", "0x030200"), ("vendor", "0x10de"), ("device", "0x2330")] {
                std::fs::write(gpu.join(name), text).unwrap();
            }
            std::os::unix::fs::symlink("../../../bus/pci/drivers/nvidia", gpu.join("driver")).unwrap();
            let link = format!("../../../devices/pci0000:40/{address}");
            std::os::unix::fs::symlink(link, root.join(DEVICES).join(address)).unwrap();
        }
        let tree = Tree::new(root);
        (folder, tree)
    }

    fn second_is_hidden(tree: &Tree) -> bool {
        let devices = devices(tree).unwrap();
        assert!(!devices[0].hidden);
        devices[1].hidden
    }

    #[test]
    fn a_gpu_that_the_driver_has_and_does_not_list_is_kept_from_a_container() {
        let (_folder, tree) = two_gpus();
        assert!(second_is_hidden(&tree));
    }

    #[test]
    fn a_gpu_that_the_driver_lists_or_does_not_have_is_not_hidden() {
        let (folder, tree) = two_gpus();
        let unbound = folder.path().join("sys/devices/pci0000:40/0000:42:00.0/driver");
        std::fs::remove_file(unbound).unwrap();
        assert!(!second_is_hidden(&tree));
        let (folder, tree) = two_gpus();
        let listed = folder.path().join("proc/driver/nvidia/gpus/0000:42:00.0");
        std::fs::create_dir_all(&listed).unwrap();
        std::fs::write(listed.join("information"), "Device Minor: \t 1\n").unwrap();
        assert!(!second_is_hidden(&tree));
        // A node that may not be used; root may use any, but for one that cannot be found.
        let node = folder.path().join("dev/nvidia1");
        std::os::unix::fs::symlink("nvidia1", &node).unwrap();
        assert!(second_is_hidden(&tree));
        std::fs::remove_file(node).unwrap();
        // Unless a container has no node of it.
        std::fs::create_dir_all(folder.path().join("run/systemd")).unwrap();
        std::fs::write(folder.path().join("run/systemd/container"), "lxc").unwrap();
        assert!(second_is_hidden(&tree));
    }

    #[test]
    fn lanes_that_a_port_does_not_show_are_not_known() {
        let (folder, tree) = two_gpus();
        let gpu = folder.path().join("sys/devices/pci0000:40/0000:41:00.0");
        for (shown, right) in [("16", Some(16)), ("0", None), ("255", None)] {
            std::fs::write(gpu.join("current_link_width"), format!("{shown}\n")).unwrap();
            assert_eq!(devices(&tree).unwrap()[0].link.width, right, "{shown}");
        }
    }

    #[test]
    fn a_virtual_function_of_a_host_is_no_gpu_of_its_own() {
        let (folder, tree) = two_gpus();
        std::fs::create_dir_all(folder.path().join("proc/driver/nvidia/gpus/0000:42:00.0")).unwrap();
        let physical = folder.path().join("sys/devices/pci0000:40/0000:42:00.0/physfn");
        std::os::unix::fs::symlink("../0000:41:00.0", physical).unwrap();
        assert!(second_is_hidden(&tree));
    }

    #[test]
    fn a_device_that_went_away_since_it_was_listed_costs_itself_only() {
        let (folder, tree) = two_gpus();
        std::fs::remove_dir_all(folder.path().join("sys/devices/pci0000:40/0000:42:00.0")).unwrap();
        assert_eq!(devices(&tree).unwrap().len(), 1);
        // One that is there and cannot be read may be a GPU.
        std::fs::remove_file(folder.path().join("sys/devices/pci0000:40/0000:41:00.0/class")).unwrap();
        assert!(devices(&tree).unwrap_err().contains("class is not there"));
    }

    #[test]
    fn a_gpu_whose_vendor_cannot_be_read_is_not_passed_over() {
        let (folder, tree) = two_gpus();
        std::fs::remove_file(folder.path().join("sys/devices/pci0000:40/0000:42:00.0/vendor")).unwrap();
        assert!(devices(&tree).unwrap_err().contains("0000:42:00.0/vendor is not there"));
    }
}
