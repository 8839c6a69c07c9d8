//! The topology as a matrix for people, in the form of `nvidia-smi topo -m`.

use std::fmt::Write as _;

use super::plain::plain_line;
use crate::facts::{Fact, Facts, Gpu, LinkClass, Nic};

/// A row or column of the matrix.
#[derive(Clone, Copy)]
enum Device<'a> {
    Gpu(&'a Gpu),
    Nic(&'a Nic),
}

/// What the classes mean, where the matrix shows them.
const LEGEND: [(&str, &str); 8] = [
    ("X", "the device itself"),
    ("NV#", "so many NVLinks, bonded"),
    ("XGMI", "AMD's fabric between GPUs"),
    ("PIX", "one PCIe bridge"),
    ("PXB", "several PCIe bridges, no host bridge"),
    ("PHB", "a PCIe host bridge"),
    ("NODE", "host bridges of the same NUMA node"),
    ("SYS", "another NUMA node"),
];

/// What stands in the place of what is not known.
const UNKNOWN: &str = "?";

/// The matrix of GPUs and NICs with what is near each GPU, the legends, and why cells are `?`. TABs separate the cells.
pub fn render(facts: &Facts) -> String {
    let mut unknown = Vec::new();
    let devices = devices(facts, &mut unknown);
    let mut rows = vec![header(&devices)];
    rows.extend(devices.iter().map(|device| row(*device, &devices, facts, &mut unknown)));
    let mut text = if devices.is_empty() { String::new() } else { format!("{}\n{}", aligned(&rows), legends(facts)) };
    if !unknown.is_empty() {
        if !devices.is_empty() {
            text.push('\n');
        }
        text.push_str("Unknown:\n");
        unknown.iter().for_each(|Unknown { what, reason }| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {}: {}", what.join(", "), plain_line(reason));
        });
    }
    text
}

/// Things that are unknown for one reason.
struct Unknown {
    what: Vec<String>,
    reason: String,
}

fn note(what: String, reason: &str, unknown: &mut Vec<Unknown>) {
    match unknown.iter_mut().find(|known| known.reason == reason) {
        Some(known) if known.what.contains(&what) => {}
        Some(known) => known.what.push(what),
        None => unknown.push(Unknown { what: vec![what], reason: reason.to_owned() }),
    }
}

/// The GPUs, then the NICs.
fn devices<'a>(facts: &'a Facts, unknown: &mut Vec<Unknown>) -> Vec<Device<'a>> {
    if let (true, Some(reason)) = (facts.gpus.is_empty(), facts.gpu_count.reason()) {
        note("the GPUs".to_owned(), reason, unknown);
    }
    let nics = match facts.nics.require() {
        Ok(nics) => nics.as_slice(),
        Err(reason) => {
            note("the NICs".to_owned(), reason, unknown);
            &[]
        }
    };
    facts.gpus.iter().map(Device::Gpu).chain(nics.iter().map(Device::Nic)).collect()
}

fn header(devices: &[Device<'_>]) -> Vec<String> {
    let names = devices.iter().map(|device| device.name());
    let titles = ["CPU Affinity", "NUMA Affinity", "GPU NUMA ID"].map(str::to_owned);
    std::iter::once(String::new()).chain(names).chain(titles).collect()
}

fn row(device: Device<'_>, devices: &[Device<'_>], facts: &Facts, unknown: &mut Vec<Unknown>) -> Vec<String> {
    let name = device.name();
    let mut cells = vec![name.clone()];
    for other in devices {
        let other_name = other.name();
        if name == other_name {
            cells.push(" X ".to_owned());
            continue;
        }
        cells.push(match class(device, *other, facts) {
            Ok(class) => class.to_string(),
            Err(reason) => {
                let (first, second) =
                    if is_before(devices, &name, &other_name) { (&name, &other_name) } else { (&other_name, &name) };
                note(format!("{first} and {second}"), reason, unknown);
                UNKNOWN.to_owned()
            }
        });
    }
    if let Device::Gpu(gpu) = device {
        cells.push(near(&name, "CPU Affinity", &gpu.cpus, unknown));
        cells.push(near(&name, "NUMA Affinity", &gpu.numa_nodes, unknown));
        let numa_id = gpu.numa_id.clone().map(|id| id.map_or_else(|| "N/A".to_owned(), |id| id.to_string()));
        cells.push(near(&name, "GPU NUMA ID", &numa_id, unknown));
    }
    cells
}

fn near<T: ToString>(gpu: &str, title: &str, fact: &Fact<T>, unknown: &mut Vec<Unknown>) -> String {
    match fact.require() {
        Ok(value) => value.to_string(),
        Err(reason) => {
            note(format!("{title} of {gpu}"), reason, unknown);
            UNKNOWN.to_owned()
        }
    }
}

fn is_before(devices: &[Device<'_>], first: &str, second: &str) -> bool {
    let mut names = devices.iter().map(|device| device.name()).filter(|name| name == first || name == second);
    names.next().is_some_and(|name| name == first)
}

/// The class of two devices, in either order.
fn class<'a>(one: Device<'_>, other: Device<'_>, facts: &'a Facts) -> Result<&'a LinkClass, &'a str> {
    let found = match (one, other) {
        (Device::Gpu(one), Device::Gpu(other)) => facts.pair(one.index, other.index).map(|pair| &pair.class),
        (Device::Gpu(gpu), Device::Nic(nic)) | (Device::Nic(nic), Device::Gpu(gpu)) => {
            let mut pairs = facts.gpu_nics.iter();
            pairs.find(|pair| pair.gpu == gpu.index && pair.nic == nic.label).map(|pair| &pair.class)
        }
        (Device::Nic(one), Device::Nic(other)) => {
            let (one, other) = (&one.label, &other.label);
            let mut pairs = facts.nic_pairs.iter();
            let found = pairs.find(|pair| [(one, other), (other, one)].contains(&(&pair.a, &pair.b)));
            found.map(|pair| &pair.class)
        }
    };
    found.map_or(Err("no source joins the two"), Fact::require)
}

impl Device<'_> {
    fn name(self) -> String {
        match self {
            Self::Gpu(gpu) => format!("GPU{}", gpu.index),
            Self::Nic(nic) => plain_line(&nic.label).into_owned(),
        }
    }
}

/// The rows with their cells filled up with blanks to the width of their column, but for the first and the last of each.
/// Names of the first column are shorter than a TAB mostly, and readers tell them by the TAB right after.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let is_last = column + 1 == row.len();
            let width = if column == 0 || is_last { 0 } else { widths[column] };
            let _ = write!(text, "{cell:width$}{}", if is_last { '\n' } else { '\t' });
        }
    }
    text
}

fn legends(facts: &Facts) -> String {
    let mut text = "Legend:\n\n".to_owned();
    for (class, meaning) in LEGEND {
        let _ = writeln!(text, "  {class:<4} = {meaning}");
    }
    let nics = facts.nics.value().into_iter().flatten();
    let named: Vec<_> = nics.filter_map(|nic| Some((&nic.label, nic.device.as_ref()?))).collect();
    if !named.is_empty() {
        text.push_str("\nNIC Legend:\n\n");
        for (label, device) in named {
            let _ = writeln!(text, "  {}: {}", plain_line(label), plain_line(device));
        }
    }
    text
}

#[cfg(test)]
mod tests;
