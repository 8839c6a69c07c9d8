use super::{
    answer::{Answer, Device, KFD, LinkTexts, Node, Subject},
    kfd, smi,
};
use crate::probe::{
    child::{Lane, Lanes},
    live::Site,
    tree::Tree,
};

/// The folder of each PCI device.
const DEVICES: &str = "sys/bus/pci/devices";

/// Reads the source, in the child: each command of amd-smi, KFD, and then the PCI devices that KFD names, in a lane of
/// its own.
pub(in crate::probe) fn read(site: &Site, lanes: &Lanes<Answer>) {
    let tree = site.tree();
    let program = smi::find(&tree);
    if program.is_err() && tree.lacks(kfd::CLASS) {
        return lanes.open(KFD).tell(Answer::Nodes(kfd::nodes(&tree)));
    }
    let outputs = || {
        lanes.each(
            Subject::ALL,
            |subject| subject.lane(),
            |lane, subject| {
                lane.begin(subject.source());
                let output = program.clone().and_then(|program| smi::run(&program, subject));
                lane.tell(Answer::Output(subject, output));
            },
        );
    };
    let kernel = lanes.open(KFD);
    std::thread::scope(|scope| {
        scope.spawn(outputs);
        kernel_side(&tree, kernel, lanes);
    });
}

fn kernel_side(tree: &Tree, lane: Lane<'_, Answer>, lanes: &Lanes<Answer>) {
    lane.begin("the version of amdgpu");
    lane.tell(Answer::Driver(tree.read("sys/module/amdgpu/version")));
    lane.begin("the nodes of KFD");
    let nodes = kfd::nodes(tree);
    let mut addresses: Vec<String> = nodes.iter().flatten().filter_map(Node::gpu_address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    lane.tell(Answer::Nodes(nodes));
    drop(lane);
    lanes.each(addresses, String::clone, |lane, address| {
        lane.begin(format!("the PCI device {address}"));
        lane.tell(Answer::Device(Box::new(device(tree, address))));
    });
}

/// What `/sys` says of the PCI device at an address.
pub(super) fn device(tree: &Tree, address: String) -> Device {
    let folder = format!("{DEVICES}/{address}");
    // The folder is a link into the tree of devices, where the folder above is the port.
    let port = tree.link(&folder).and_then(|target| match target.rsplit_once('/') {
        Some((above, _)) => Ok(format!("{DEVICES}/{above}")),
        None => Err(format!("/{folder} points to {target:?}, which is not below a port")),
    });
    Device {
        numa_node: tree.parse(&format!("{folder}/numa_node")),
        cpus: tree.read(&format!("{folder}/local_cpulist")),
        current: link(tree, Ok(&folder), "current"),
        own_max: link(tree, Ok(&folder), "max"),
        port_max: link(tree, port.as_ref(), "max"),
        address,
    }
}

fn link(tree: &Tree, folder: Result<&String, &String>, which: &str) -> LinkTexts {
    let folder = folder.map_err(String::clone);
    let speed = folder.clone().and_then(|folder| tree.read(&format!("{folder}/{which}_link_speed")));
    let width = folder.and_then(|folder| tree.parse(&format!("{folder}/{which}_link_width")));
    LinkTexts { speed, width }
}
