use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Html, marks::Marks, reasons::Reasons};
use crate::{
    facts::{Fact, Facts, LinkClass, Nic},
    report::quantity::count,
};

/// How GPUs and NICs are joined, as a matrix. What violates the spec is marked in its cell, by a word and a frame.
pub(super) fn links(facts: &Facts, marks: &Marks<'_>, html: &mut Html) {
    let gpus = indices(facts);
    let nics: &[Nic] = facts.nics.value().map_or(&[], Vec::as_slice);
    let classes = Classes::new(facts);
    html.element(
        "div",
        &[("class", "scroll"), ("tabindex", "0"), ("role", "group"), ("aria-label", "link matrix")],
        |html| {
            html.element("table", &[("class", "matrix")], |html| {
                html.element("thead", &[], |html| head(&gpus, nics, html));
                html.element("tbody", &[], |html| {
                    for gpu in &gpus {
                        row(*gpu, &gpus, nics, &classes, marks, html);
                    }
                });
            });
        },
    );
    html.line();
    legend(&classes, html);
    nics_named(nics, html);
    reasons(facts).list(html);
}

fn reasons(facts: &Facts) -> Reasons<'_> {
    let mut reasons = Reasons::default();
    reasons.note("", "NICs", &facts.nics);
    for pair in &facts.gpu_pairs {
        reasons.note(&format!("GPU{}-GPU{}", pair.a, pair.b), "", &pair.class);
    }
    for cell in &facts.gpu_nics {
        reasons.note(&format!("GPU{}-{}", cell.gpu, cell.nic), "", &cell.class);
    }
    reasons
}

/// Every GPU that any source named.
pub(super) fn indices(facts: &Facts) -> Vec<u32> {
    let pairs = facts.gpu_pairs.iter().flat_map(|pair| [pair.a, pair.b]);
    let gpus: BTreeSet<u32> = facts.gpus.iter().map(|gpu| gpu.index).chain(pairs).collect();
    gpus.into_iter().collect()
}

/// The cells, found by their devices.
struct Classes<'a> {
    pairs: HashMap<(u32, u32), &'a Fact<LinkClass>>,
    nics: HashMap<(u32, &'a str), &'a Fact<LinkClass>>,
}

impl<'a> Classes<'a> {
    fn new(facts: &'a Facts) -> Self {
        Self {
            pairs: facts.gpu_pairs.iter().map(|pair| ((pair.a, pair.b), &pair.class)).collect(),
            nics: facts.gpu_nics.iter().map(|cell| ((cell.gpu, cell.nic.as_str()), &cell.class)).collect(),
        }
    }

    fn pair(&self, first: u32, second: u32) -> Option<&'a Fact<LinkClass>> {
        self.pairs.get(&(first.min(second), first.max(second))).copied()
    }

    fn known(&self) -> impl Iterator<Item = LinkClass> {
        self.pairs.values().chain(self.nics.values()).filter_map(|fact| fact.value().copied())
    }
}

fn head(gpus: &[u32], nics: &[Nic], html: &mut Html) {
    html.element("tr", &[], |html| {
        html.empty("td", &[]);
        for gpu in gpus {
            html.leaf("th", &[("scope", "col")], &format!("GPU{gpu}"));
        }
        for (at, nic) in nics.iter().enumerate() {
            let class = if at == 0 { "nic first" } else { "nic" };
            html.leaf("th", &[("scope", "col"), ("class", class), ("title", nic.name())], &nic.label);
        }
    });
}

fn row(gpu: u32, gpus: &[u32], nics: &[Nic], classes: &Classes<'_>, marks: &Marks<'_>, html: &mut Html) {
    html.element("tr", &[], |html| {
        html.leaf("th", &[("scope", "row")], &format!("GPU{gpu}"));
        for other in gpus {
            if *other == gpu {
                html.classed("td", "self", "\u{b7}");
                continue;
            }
            let mark = marks.pair(&format!("GPU{gpu}"), &format!("GPU{other}"));
            cell(classes.pair(gpu, *other), mark, false, html);
        }
        for (at, nic) in nics.iter().enumerate() {
            let device = format!("GPU{gpu}");
            let mark = marks.pair(&device, &nic.label).or_else(|| marks.pair(&device, nic.name()));
            cell(classes.nics.get(&(gpu, nic.label.as_str())).copied(), mark, at == 0, html);
        }
    });
    html.line();
}

fn cell(class: Option<&Fact<LinkClass>>, mark: Option<&str>, first: bool, html: &mut Html) {
    let known = class.and_then(Fact::value);
    let mut style = known.map_or("unknown", |class| shade(*class)).to_owned();
    for (set, name) in [(mark.is_some(), " bad"), (first, " first")] {
        if set {
            style.push_str(name);
        }
    }
    let reason = class.map_or(Some("no source told it"), Fact::reason).unwrap_or_default();
    let attributes = [("class", style.as_str()), ("title", reason)];
    let shown = if reason.is_empty() { &attributes[..1] } else { &attributes[..] };
    html.element("td", shown, |html| {
        html.text(&known.map_or_else(|| "?".to_owned(), LinkClass::to_string));
        if let Some(mark) = mark {
            html.leaf("small", &[], mark);
        }
    });
}

/// The shade of a class: the nearer, the stronger. It says nothing that the word in the cell does not.
const fn shade(class: LinkClass) -> &'static str {
    match class.distance() {
        Some(0) => "d0",
        Some(1) => "d1",
        Some(2) => "d2",
        Some(3) => "d3",
        Some(4) => "d4",
        _ => "d5",
    }
}

/// The classes that occur, near to far.
fn legend(classes: &Classes<'_>, html: &mut Html) {
    let mut occurring: BTreeMap<LinkClass, usize> = BTreeMap::new();
    for class in classes.known() {
        *occurring.entry(class).or_default() += 1;
    }
    if occurring.is_empty() {
        return;
    }
    html.element("ul", &[("class", "legend")], |html| {
        for (class, number) in occurring {
            html.element("li", &[], |html| {
                html.classed("span", &format!("swatch {}", shade(class)), &class.to_string());
                html.text(&format!(" {}, {}", meaning(class), count(number, "pair")));
            });
        }
    });
    html.line();
}

fn meaning(class: LinkClass) -> String {
    match class {
        LinkClass::NvLink(1) => "one NVLink".to_owned(),
        LinkClass::NvLink(count) => format!("{count} bonded NVLinks"),
        LinkClass::Xgmi => "xGMI".to_owned(),
        LinkClass::Pix => "one PCIe bridge".to_owned(),
        LinkClass::Pxb => "several PCIe bridges".to_owned(),
        LinkClass::Phb => "through a PCIe host bridge".to_owned(),
        LinkClass::Node => "same NUMA node, other host bridge".to_owned(),
        LinkClass::Sys => "across sockets".to_owned(),
        LinkClass::Pcie => "PCIe at a distance not told".to_owned(),
    }
}

fn nics_named(nics: &[Nic], html: &mut Html) {
    let named: Vec<String> = nics
        .iter()
        .filter_map(|nic| nic.device.as_ref().filter(|device| **device != nic.label).map(|device| (&nic.label, device)))
        .map(|(label, device)| format!("{label} is {device}"))
        .collect();
    if !named.is_empty() {
        html.classed("p", "source", &named.join(", "));
    }
}
