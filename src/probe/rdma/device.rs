use super::answer::{Device, Port, PortName, Told};
use crate::probe::{
    texts::{
        pci_address::PciAddress,
        rdma_words::{
            guid, link_layer, number_and_word, numbered_physical_state, numbered_state, plain, rate_and_width,
        },
    },
    tree::Tree,
};

/// The folder of the devices.
pub(super) const DEVICES: &str = "sys/class/infiniband";

/// The folder of a port.
pub(super) fn port_folder(at: &PortName) -> String {
    format!("{DEVICES}/{}/ports/{}", at.device, at.number)
}

/// Reads what sysfs shows of a device.
pub(super) fn device(tree: &Tree, name: &str) -> Device {
    let file = |file: &str| format!("{DEVICES}/{name}/{file}");
    let any = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Device {
        name: name.to_owned(),
        firmware: value(tree, &file("fw_ver"), "a version", |text| {
            text.starts_with(|c: char| c.is_ascii_digit()).then(|| text.to_owned())
        }),
        model: value(tree, &file("hca_type"), "a type of device", any),
        board: value(tree, &file("board_id"), "a board id", any),
        node_guid: value(tree, &file("node_guid"), "a GUID", guid),
        pci_address: pci_address(tree, &file("device")),
        numa_node: numa_node(tree, &file("device/numa_node")),
        ports: ports(tree, &file("ports")),
    }
}

/// Reads what sysfs shows of a port's state.
pub(super) fn port(tree: &Tree, at: &PortName) -> Port {
    let folder = port_folder(at);
    let file = |file: &str| format!("{folder}/{file}");
    Port {
        at: at.clone(),
        state: value(tree, &file("state"), "a port state", |text| {
            number_and_word(text).and_then(|(number, word)| numbered_state(number, word))
        }),
        physical_state: value(tree, &file("phys_state"), "a physical state", |text| {
            number_and_word(text).and_then(|(number, _)| numbered_physical_state(number)).map(str::to_owned)
        }),
        rate: value(tree, &file("rate"), "a rate and a width", rate_and_width),
        link_layer: value(tree, &file("link_layer"), "InfiniBand or Ethernet", |text| {
            link_layer(text).map(str::to_owned)
        }),
    }
}

/// A file's value, as the readers of saved outputs read the same words.
fn value<T>(tree: &Tree, path: &str, expected: &str, read: impl FnOnce(&str) -> Option<T>) -> Told<T> {
    let text = tree.read(path)?;
    read(&text).ok_or_else(|| format!("/{path} says {text:?}, which is not {expected}"))
}

/// The PCI device that an RDMA device is of. Software devices (rxe, siw) have none; a bond of two ports has its first.
fn pci_address(tree: &Tree, path: &str) -> Told<String> {
    let target = tree.link(path).map_err(|reason| format!("it is of no PCI device: {reason}"))?;
    let name = target.rsplit('/').next().unwrap_or_default();
    PciAddress::spell(name).ok_or_else(|| format!("it is of no PCI device: /{path} points to {name:?}"))
}

fn numa_node(tree: &Tree, path: &str) -> Told<u32> {
    let node: i64 = tree.parse(path)?;
    u32::try_from(node).map_err(|_| format!("/{path} is {node}: the firmware does not say"))
}

fn ports(tree: &Tree, path: &str) -> Told<Vec<u32>> {
    let names = tree.names(path)?;
    let numbers: Option<Vec<u32>> = names.iter().map(|name| plain(name)).collect();
    let mut numbers = numbers.ok_or_else(|| format!("/{path} holds names that are no port numbers: {names:?}"))?;
    numbers.sort_unstable();
    Ok(numbers)
}
