use crate::{
    facts::{Fact, Facts, PciBridge, Switch},
    spec::Placed,
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        topology::{Held, within},
    },
};

/// Judges ACS redirection on the bridges above GPUs and compute NICs.
///
/// A virtual machine shows bridges of its own and hides its host's, where ACS has to be on and is no fault: there the
/// answer is unknown. A NIC is a compute NIC unless the matrix shows every GPU farther than PXB; front-end NICs may sit
/// below what they like.
pub(super) fn judge(wanted: &Placed<Switch>, facts: &Facts, ledger: &mut Ledger<'_>) {
    let check = Check::new(FindingCode::AcsRedirect, "ACS redirection", "redirects ({})", &wanted.place);
    let expected = wanted.value.to_string();
    if facts.host.virtual_machine.value() == Some(&true) {
        let reason = "a virtual machine does not show the bridges of its host";
        return ledger.unknown(&check, "PCI bridges", &expected, reason);
    }
    // A redirect bit that a listing with gaps shows is proof; that there is no other is not.
    let (bridges, source, gap) = match &facts.host.bridges {
        Fact::Known { value, source } => (value, source.as_str(), None),
        Fact::Unknown { reason } | Fact::Conflict { reason } => {
            (&facts.host.bridges_seen, "PCI listing", Some(reason.as_str()))
        }
    };
    let devices = Devices::of(facts);
    let mut on = Vec::new();
    let mut unknown: Vec<(&PciBridge, String)> = Vec::new();
    for bridge in bridges {
        match (&bridge.acs_redirect, devices.below(bridge)) {
            (Some(bits), _) if bits.is_empty() => {}
            (_, Held::No) => {}
            (Some(bits), Held::Yes) => on.push((bridge, bits.join(", "))),
            (Some(_), Held::Unknown) => {
                unknown.push((bridge, "it is on, and it is not known what is below the bridge".to_owned()));
            }
            (None, _) => unknown.push((
                bridge,
                match &bridge.acs_unread {
                    Some(why) => format!("its ACS control could not be read: {why}"),
                    None => "its ACS control could not be read".to_owned(),
                },
            )),
        }
    }
    match wanted.value {
        Switch::Off => {
            for (bridge, bits) in &on {
                let device = format!("bridge {}", bridge.address);
                ledger.violated(&check, &device, &expected, bits, source);
            }
        }
        Switch::On if !on.is_empty() => return ledger.met(&check, "PCI bridges", &expected, "on", None),
        Switch::On if unknown.is_empty() && gap.is_none() => {
            let message = "no bridge above a GPU or compute NIC redirects, expected on".to_owned();
            ledger.failure(&check, "PCI bridges", message, &expected, "off", source);
        }
        Switch::On => {}
    }
    for (bridge, reason) in &unknown {
        ledger.unknown(&check, &format!("bridge {}", bridge.address), &expected, reason);
    }
    if let Some(reason) = gap {
        ledger.unknown(&check, "PCI bridges", &expected, reason);
    } else if let Some(reason) = facts.host.virtual_machine.reason() {
        // A guest's listing without redirection would pass for the host's.
        let reason = format!("whether this is a virtual machine, which hides its host's bridges, is unknown: {reason}");
        ledger.unknown(&check, "PCI bridges", &expected, &reason);
    } else if wanted.value == Switch::Off && on.is_empty() && unknown.is_empty() {
        ledger.met(&check, "PCI bridges", &expected, "off", None);
    }
}

/// The buses of the devices whose traffic ACS would redirect.
struct Devices {
    /// Domain and bus of each.
    buses: Vec<(u32, u32)>,
    /// Whether the address of each is known.
    complete: bool,
}

impl Devices {
    fn of(facts: &Facts) -> Self {
        let count = facts.gpu_count.value().and_then(|count| usize::try_from(*count).ok());
        let gpus = facts.gpus.iter().map(|gpu| gpu.pci_address.value());
        let nics = facts.rdma_devices.iter().filter(|device| is_compute(&device.name, facts));
        let addresses: Vec<Option<&String>> = gpus.chain(nics.map(|device| device.pci_address.value())).collect();
        let buses: Vec<(u32, u32)> = addresses.iter().flatten().filter_map(|address| bus(address)).collect();
        let complete = buses.len() == addresses.len() && count == Some(facts.gpus.len());
        Self { buses, complete }
    }

    fn below(&self, bridge: &PciBridge) -> Held {
        let (Some((first, last)), Some((domain, _))) = (bridge.buses_below, bus(&bridge.address)) else {
            return Held::Unknown;
        };
        if self.buses.iter().any(|(theirs, bus)| *theirs == domain && (first..=last).contains(bus)) {
            Held::Yes
        } else if self.complete {
            Held::No
        } else {
            Held::Unknown
        }
    }
}

/// Domain and bus of `DDDD:BB:DD.F`.
fn bus(address: &str) -> Option<(u32, u32)> {
    let (domain, rest) = address.split_once(':')?;
    let (bus, _) = rest.split_once(':')?;
    Some((u32::from_str_radix(domain, 16).ok()?, u32::from_str_radix(bus, 16).ok()?))
}

/// Whether a GPU is, or may be, within PXB of an RDMA device.
fn is_compute(device: &str, facts: &Facts) -> bool {
    let label = facts.nics.value().into_iter().flatten().find(|nic| nic.name() == device).map(|nic| nic.label.as_str());
    let Some(label) = label else { return true };
    let near = |cell: &crate::facts::GpuNic| {
        let limit = crate::facts::LinkClass::Pxb;
        cell.class.value().is_none_or(|class| within(limit, *class) != Held::No)
    };
    facts.gpu_nics.iter().any(|cell| cell.nic == label && near(cell))
}
