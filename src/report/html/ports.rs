use super::{
    Html,
    marks::Marks,
    reasons::Reasons,
    table::{fact, table},
};
use crate::{
    facts::{Facts, PortState, RdmaDevice, RdmaPort},
    verdict::{Finding, FindingCode},
};

const HEADS: [&str; 9] =
    ["port", "state", "physical", "rate", "width", "link layer", "active MTU", "firmware", "PCI address"];

/// The RDMA ports. What violates the spec is marked in its cell.
pub(super) fn ports(facts: &Facts, marks: &Marks<'_>, html: &mut Html) {
    table("RDMA ports", &HEADS, html, |html| {
        for device in &facts.rdma_devices {
            if device.ports.is_empty() {
                html.element("tr", &[], |html| {
                    html.leaf("th", &[("scope", "row")], &device.name);
                    html.leaf("td", &[("colspan", "6"), ("class", "unknown")], "no port of it was read");
                    ends(device, marks, html);
                });
            }
            for port in &device.ports {
                html.element("tr", &[], |html| row(device, port, marks, html));
                html.line();
            }
        }
    });
    reasons(facts).list(html);
}

fn reasons(facts: &Facts) -> Reasons<'_> {
    let mut reasons = Reasons::default();
    for device in &facts.rdma_devices {
        for port in &device.ports {
            let name = name(device, port);
            reasons.note(&name, "state", &port.state);
            reasons.note(&name, "physical state", &port.physical_state);
            reasons.note(&name, "rate", &port.rate);
            reasons.note(&name, "width", &port.width);
            reasons.note(&name, "link layer", &port.link_layer);
            reasons.note(&name, "active MTU", &port.active_mtu);
        }
        reasons.note(&device.name, "firmware", &device.firmware);
        reasons.note(&device.name, "PCI address", &device.pci_address);
    }
    reasons
}

/// How a port is named in findings.
fn name(device: &RdmaDevice, port: &RdmaPort) -> String {
    format!("{}/{}", device.name, port.number)
}

fn row(device: &RdmaDevice, port: &RdmaPort, marks: &Marks<'_>, html: &mut Html) {
    let name = name(device, port);
    let mark = |code| wanted(marks.of(&name, &[code]));
    html.leaf("th", &[("scope", "row")], &name);
    fact(&port.state, ToString::to_string, "", mark(FindingCode::PortState).as_deref(), html);
    fact(&port.physical_state, Clone::clone, "", mark(FindingCode::PortPhysicalState).as_deref(), html);
    rate(port, mark(FindingCode::PortRate).as_deref(), html);
    fact(&port.width, Clone::clone, "", mark(FindingCode::PortWidth).as_deref(), html);
    fact(&port.link_layer, Clone::clone, "", mark(FindingCode::PortLinkLayer).as_deref(), html);
    fact(&port.active_mtu, ToString::to_string, "number", mark(FindingCode::PortMtu).as_deref(), html);
    ends(device, marks, html);
}

fn ends(device: &RdmaDevice, marks: &Marks<'_>, html: &mut Html) {
    let firmware = wanted(marks.of(&device.name, &[FindingCode::Firmware]));
    fact(&device.firmware, Clone::clone, "mono", firmware.as_deref(), html);
    fact(&device.pci_address, Clone::clone, "mono", None, html);
}

/// A down port's rate is a placeholder.
fn rate(port: &RdmaPort, mark: Option<&str>, html: &mut Html) {
    let down = port.state.value() == Some(&PortState::Down);
    if down && port.rate.value().is_some() {
        return html.classed("td", "faint", "none: the port is down");
    }
    fact(&port.rate, ToString::to_string, "number", mark, html);
}

fn wanted(finding: Option<&Finding>) -> Option<String> {
    finding.map(|finding| match &finding.expected {
        Some(expected) => format!("wanted {expected}"),
        None => finding.code.as_str().to_owned(),
    })
}
