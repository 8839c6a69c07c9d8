use std::collections::BTreeMap;

use super::{
    answer::{Answer, Counters, Device, Mtu, Port, PortName, Told, VerbsLibrary},
    device::{DEVICES, port_folder},
    roce_mtu::computed,
};
use crate::{
    facts::{Damage, Fact, Facts, Origin, RdmaPort},
    probe::{child::Heard, live::Silence},
};

/// The name of this source among [`Facts::sources`].
const SOURCE: &str = "RDMA devices";
/// The source of an MTU.
const VERBS: &str = "libibverbs";

/// Fills the facts from what was heard.
pub(in crate::probe) fn fill(heard: Heard<Answer>, facts: &mut Facts) -> Silence {
    let no_list = heard.answers.iter().find_map(|answer| match answer {
        Answer::Devices(Err(reason)) => Some(reason.clone()),
        _ => None,
    });
    let silence = Silence::of(&heard, no_list.unwrap_or_else(|| "sysfs does not show it".to_owned()));
    let unread = heard.lost("devices").or(heard.broken()).unwrap_or("the list of devices was not told").to_owned();
    let lost: Vec<String> = heard.all_lost().map(|(lane, _)| lane.to_owned()).collect();
    let mut filling = Filling { facts, ports: BTreeMap::new(), names: Err(unread), library: None };
    heard.answers.into_iter().for_each(|answer| filling.take(answer));
    filling.end(&lost);
    silence
}

/// What a port's MTU follows from.
#[derive(Default)]
struct MtuParts {
    interfaces: Option<Told<BTreeMap<String, Told<u32>>>>,
    verbs: Option<Told<Mtu>>,
}

struct Filling<'a> {
    facts: &'a mut Facts,
    ports: BTreeMap<PortName, MtuParts>,
    names: Told<Vec<String>>,
    library: Option<Told<VerbsLibrary>>,
}

impl Filling<'_> {
    fn take(&mut self, answer: Answer) {
        match answer {
            Answer::Devices(names) => self.names = names,
            Answer::Device(device) => self.device(*device),
            Answer::Port(port) => self.port(*port),
            Answer::Gids { at, gids, interfaces } => {
                let source = format!("/{}/gids", port_folder(&at));
                self.port_mut(&at).gids = Fact::told(gids, &source);
                self.ports.entry(at).or_default().interfaces = Some(interfaces);
            }
            Answer::Counters { at, counters: Ok(counters) } => self.counters(&at, counters),
            Answer::Counters { at, counters: Err(reason) } => {
                self.facts.damage.push(Damage::of_file(&format!("/{}", port_folder(&at)), reason));
            }
            Answer::Library(library) => self.library = Some(library),
            Answer::Mtu { at, mtu } => self.ports.entry(at).or_default().verbs = Some(mtu),
        }
    }

    fn device(&mut self, told: Device) {
        let source = |file: &str| format!("/{DEVICES}/{}/{file}", told.name);
        let device = self.facts.rdma_mut(&told.name);
        device.firmware = Fact::told(told.firmware, source("fw_ver"));
        device.model = Fact::told(told.model, source("hca_type"));
        device.board = Fact::told(told.board, source("board_id"));
        device.node_guid = Fact::told(told.node_guid, source("node_guid"));
        device.pci_address = Fact::told(told.pci_address, source("device"));
        device.numa_node = Fact::told(told.numa_node, source("device/numa_node"));
        for number in told.ports.iter().flatten() {
            device.port_mut(*number);
        }
        let count = told.ports.map(|ports| u32::try_from(ports.len()).unwrap_or(u32::MAX));
        device.port_count = Fact::told(count, source("ports"));
    }

    fn port(&mut self, told: Port) {
        let folder = port_folder(&told.at);
        let source = |file: &str| format!("/{folder}/{file}");
        let port = self.port_mut(&told.at);
        port.state = Fact::told(told.state, source("state"));
        port.physical_state = Fact::told(told.physical_state, source("phys_state"));
        port.link_layer = Fact::told(told.link_layer, source("link_layer"));
        let (rate, width) = match told.rate {
            Ok((rate, width)) => (Ok(rate), Ok(width)),
            Err(reason) => (Err(reason.clone()), Err(reason)),
        };
        port.rate = Fact::told(rate, source("rate"));
        port.width = Fact::told(width, source("rate"));
    }

    fn counters(&mut self, at: &PortName, folders: Counters) {
        let port = self.port_mut(at);
        for (folder, counters) in folders {
            let source = format!("/{}/{folder}", port_folder(at));
            port.counters.extend(counters.into_iter().map(|(name, value)| (name, Fact::told(value, &source))));
        }
    }

    fn port_mut(&mut self, at: &PortName) -> &mut RdmaPort {
        self.facts.rdma_mut(&at.device).port_mut(at.number)
    }

    fn end(mut self, lost: &[String]) {
        let mut through_verbs = 0;
        for (at, parts) in std::mem::take(&mut self.ports) {
            through_verbs += usize::from(matches!(parts.verbs, Some(Ok(Mtu { active: Ok(_), .. }))));
            mtu(self.port_mut(&at), parts);
        }
        if let Some(Ok(VerbsLibrary { fake: true, .. })) = self.library {
            self.facts.origin = Origin::Fake;
        }
        if let Some(library) = &self.library {
            self.facts.libraries.insert(VERBS.to_owned(), version(library));
        }
        let folder = format!("/{DEVICES}");
        for name in self.names.iter().flatten() {
            self.facts.rdma_mut(name);
        }
        let count = self.names.as_ref().map(|names| u32::try_from(names.len()).unwrap_or(u32::MAX));
        self.facts.rdma_count = Fact::told(count.map_err(Clone::clone), &folder);
        if self.names.as_ref().is_ok_and(Vec::is_empty) {
            self.facts.nics = Fact::known(Vec::new(), folder);
        }
        let line = self.line(lost, through_verbs);
        self.facts.sources.insert(SOURCE.to_owned(), line);
    }

    /// The one line of this source.
    fn line(&self, lost: &[String], through_verbs: usize) -> String {
        let names = match &self.names {
            Ok(names) if names.is_empty() => return format!("none: /{DEVICES} is empty"),
            Ok(names) => names,
            Err(reason) => return reason.clone(),
        };
        let devices = if names.len() == 1 { "1 device".to_owned() } else { format!("{} devices", names.len()) };
        let mtu = match &self.library {
            Some(Ok(library)) if through_verbs > 0 => format!(", MTU through {}", library.name),
            Some(Ok(library)) => format!(", no MTU through {}", library.name),
            Some(Err(reason)) => format!(", no MTU through libibverbs: {reason}"),
            None => String::new(),
        };
        let lost = if lost.is_empty() { String::new() } else { format!("; not read to the end: {}", lost.join(", ")) };
        format!("{devices} through sysfs{mtu}{lost}")
    }
}

/// Sets a port's MTU: as libibverbs says it, else for Ethernet as the kernel computes it from the network interface.
/// A port of which libibverbs gave no answer at all stays untold.
fn mtu(port: &mut RdmaPort, parts: MtuParts) {
    match parts.verbs {
        None => {}
        Some(Ok(mtu)) => {
            port.active_mtu = Fact::told(mtu.active, VERBS);
            port.max_mtu = Fact::told(mtu.max, VERBS);
        }
        Some(Err(reason)) => {
            let why = format!("no {VERBS}: {reason}");
            port.active_mtu = match port.link_layer.value().map(String::as_str) {
                Some("Ethernet") => match from_interface(parts.interfaces) {
                    Ok((bytes, from)) => Fact::known(bytes, format!("computed from {from} ({why})")),
                    Err(also) => Fact::unknown(format!("{why}; {also}")),
                },
                _ => Fact::unknown(&why),
            };
            port.max_mtu = Fact::unknown(why);
        }
    }
}

/// The library's version, which only the name of its file tells: `libibverbs.so.1.14.50.0`.
fn version(library: &Told<VerbsLibrary>) -> Fact<String> {
    let library = match library {
        Ok(library) => library,
        Err(reason) => return Fact::unknown(reason),
    };
    let version = library.name.split_once(".so.").map(|(_, version)| version).filter(|version| version.contains('.'));
    match version {
        Some(version) => Fact::known(version.to_owned(), library.path.as_deref().unwrap_or(VERBS)),
        None => Fact::unknown(format!("the name {} does not tell it", library.name)),
    }
}

fn from_interface(interfaces: Option<Told<BTreeMap<String, Told<u32>>>>) -> Told<(u32, String)> {
    computed(&interfaces.unwrap_or_else(|| Err("its GIDs were not told".to_owned()))?)
}
