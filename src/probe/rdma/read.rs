use std::sync::OnceLock;

use super::{
    answer::{Answer, Mtu, PortName, Told, VerbsLibrary},
    counters::counters,
    device::{DEVICES, device, port, port_folder},
    gate::Gate,
    gids::{gids, interfaces},
    uverbs,
};
use crate::{
    probe::{
        child::{Lane, Lanes},
        live::Site,
        tree::Tree,
    },
    sys::verbs::{PortMtu, Verbs},
};

/// The loader's name of libibverbs.
pub(super) const LIBRARY: &str = "libibverbs.so.1";

/// Reads the RDMA devices, in the child: first the list, then each device in a lane of its own.
pub(in crate::probe) fn read(site: &Site, lanes: &Lanes<Answer>) {
    let tree = site.tree();
    let Ok(names) = list(&tree, lanes) else { return };
    let gate = Gate::new(lanes.at_once(names.len()));
    let library = OnceLock::new();
    lanes.each(names, Clone::clone, |lane, name| {
        let ports = sysfs(&tree, lane, &name);
        lane.begin(format!("{LIBRARY} is loaded"));
        gate.pass();
        match library.get_or_init(|| load(site, lane)) {
            Ok(verbs) => mtus(&tree, verbs, lane, &ports),
            Err(reason) => refuse(lane, &ports, reason),
        }
    });
}

fn list(tree: &Tree, lanes: &Lanes<Answer>) -> Told<Vec<String>> {
    let lane = lanes.open("devices");
    lane.begin(format!("the list /{DEVICES}"));
    let names = if tree.lacks(DEVICES) {
        Err(format!("no RDMA driver is loaded (/{DEVICES} is not there)"))
    } else {
        tree.names(DEVICES)
    };
    lane.tell(Answer::Devices(names.clone()));
    names
}

/// Tells what sysfs shows of a device and its ports. Counters come last: some are asked of the device's firmware.
fn sysfs(tree: &Tree, lane: &Lane<'_, Answer>, name: &str) -> Vec<PortName> {
    lane.begin(format!("/{DEVICES}/{name}"));
    let device = device(tree, name);
    let numbers = device.ports.clone().unwrap_or_default();
    let ports: Vec<PortName> = numbers.into_iter().map(|number| PortName { device: name.to_owned(), number }).collect();
    lane.tell(Answer::Device(Box::new(device)));
    for at in &ports {
        lane.begin(format!("/{}", port_folder(at)));
        lane.tell(Answer::Port(Box::new(port(tree, at))));
        lane.begin(format!("/{}/gids", port_folder(at)));
        let gids = gids(tree, at);
        let interfaces = gids.clone().and_then(|gids| interfaces(tree, name, &gids));
        lane.tell(Answer::Gids { at: at.clone(), gids, interfaces });
    }
    for at in &ports {
        lane.begin(format!("the counters in /{}", port_folder(at)));
        lane.tell(Answer::Counters { at: at.clone(), counters: counters(tree, at) });
    }
    ports
}

fn load(site: &Site, lane: &Lane<'_, Answer>) -> Told<Verbs> {
    let verbs = site.library(site.libraries.verbs.as_ref(), LIBRARY).and_then(Verbs::load);
    let told = verbs.as_ref().map_err(Clone::clone).map(|verbs| VerbsLibrary {
        name: verbs
            .path()
            .as_deref()
            .and_then(|path| path.file_name())
            .map_or_else(|| LIBRARY.to_owned(), |name| name.to_string_lossy().into_owned()),
        path: verbs.path().map(|path| path.display().to_string()),
        fake: verbs.is_fake(),
    });
    lane.tell(Answer::Library(told));
    verbs
}

fn mtus(tree: &Tree, verbs: &Verbs, lane: &Lane<'_, Answer>, ports: &[PortName]) {
    let Some(PortName { device, .. }) = ports.first() else { return };
    lane.begin(format!("ibv_open_device of {device}"));
    let context = match verbs.open(device) {
        Ok(context) => context,
        Err(error) => return refuse(lane, ports, &format!("{error} ({})", uverbs::explain(tree, device))),
    };
    for at in ports {
        lane.begin(format!("ibv_query_port of {device} port {}", at.number));
        let port = u8::try_from(at.number).map_err(|_| format!("libibverbs has no port {}", at.number));
        let mtu = match port.and_then(|port| context.query_port(port)) {
            Ok(PortMtu { active, max }) => Mtu { active: bytes("active_mtu", active), max: bytes("max_mtu", max) },
            Err(reason) => Mtu { active: Err(reason.clone()), max: Err(reason) },
        };
        lane.tell(Answer::Mtu { at: at.clone(), mtu: Ok(mtu) });
    }
    lane.begin(format!("ibv_close_device of {device}"));
}

fn refuse(lane: &Lane<'_, Answer>, ports: &[PortName], reason: &str) {
    for at in ports {
        lane.tell(Answer::Mtu { at: at.clone(), mtu: Err(reason.to_owned()) });
    }
}

/// A number of the enumeration `ibv_mtu` as bytes.
fn bytes(name: &str, number: u32) -> Told<u32> {
    match number {
        1..=5 => Ok(128 << number),
        _ => Err(format!("ibv_query_port says {name} {number}, which is none of 1 to 5")),
    }
}
