//! Turns what the child told into facts. PURE: no file, no process.

use super::{
    answer::{Answer, KFD, Node, Subject},
    devices,
    nodes::{self, Found, Listing},
    told::Told,
};
use crate::{
    facts::{Fact, Facts, Vendor},
    probe::{
        child::Heard,
        live::Silence,
        texts::{amd_links, amdsmi_metric_json, amdsmi_static_json, amdsmi_topology_json},
    },
};

/// The name of this source's line.
const LINE: &str = "AMD GPUs";

/// Fills the facts from what was heard.
pub(in crate::probe) fn fill(heard: Heard<Answer>, facts: &mut Facts) -> Silence {
    let told = Told::of(heard);
    let nodes = told.nodes.as_deref().unwrap_or_default();
    let listing = nodes::listing(nodes);
    if facts.vendor.value() == Some(&Vendor::Nvidia) {
        let line = match listing.gpus.len() {
            0 => "none beside NVIDIA's".to_owned(),
            count => format!("{count} left out beside NVIDIA's: a processor's own graphics, as a rule"),
        };
        facts.sources.insert(LINE.to_owned(), line);
        return Silence::all("GPUs of AMD are left out on a machine with GPUs of NVIDIA");
    }
    let missing: Vec<(Subject, String)> =
        Subject::ALL.into_iter().filter_map(|subject| Some((subject, smi(subject, &told, facts).err()?))).collect();
    if facts.vendor.value() != Some(&Vendor::Amd) && listing.gpus.is_empty() {
        let reason = nothing(&told, &listing, &missing);
        facts.sources.insert(LINE.to_owned(), reason.clone());
        return Silence::all(reason);
    }
    kernel(&told, &listing, facts);
    explain(&told, &missing, facts);
    facts.sources.insert(LINE.to_owned(), line(&told, &listing, &missing, facts));
    Silence::all("neither amd-smi nor KFD says")
}

/// Reads what a command of amd-smi printed; the error is why it gives nothing.
fn smi(subject: Subject, told: &Told, facts: &mut Facts) -> Result<(), String> {
    let text = told.output(subject)?;
    let read = match subject {
        Subject::Topology => amdsmi_topology_json::read,
        Subject::Static => amdsmi_static_json::read,
        Subject::Metric => amdsmi_metric_json::read,
    };
    let source = subject.source();
    let mut alone = Facts::new(facts.origin.clone());
    read(text, &source, &mut alone);
    read(text, &source, facts);
    match alone.gpus.is_empty() {
        true => Err(format!("{source} printed no list of GPUs")),
        false => Ok(()),
    }
}

/// What KFD and `/sys` say.
fn kernel(told: &Told, listing: &Listing<'_>, facts: &mut Facts) {
    if let Ok(version) = &told.driver {
        facts.driver.merge(Fact::known(version.clone(), "/sys/module/amdgpu/version"));
    }
    if listing.gpus.is_empty() {
        return;
    }
    let seats = seats(&listing.gpus, facts);
    facts.vendor.merge(Fact::known(Vendor::Amd, KFD));
    match (u32::try_from(listing.gpus.len()), &listing.incomplete) {
        (Ok(count), None) => facts.gpu_count.merge(Fact::known(count, KFD)),
        (_, Some(reason)) => facts.gpu_count.explain(reason),
        (Err(_), None) => {}
    }
    for (index, found) in &seats {
        let gpu = facts.gpu_mut(*index);
        gpu.pci_address.merge(Fact::known(found.address.clone(), KFD));
        // amd-smi rounds the size to whole MiB, so that the two need not be the same.
        devices::or_else(
            &mut gpu.memory,
            found.node.memory().map_or_else(Fact::unknown, |size| Fact::known(size, KFD)),
        );
        match told.device(&found.address) {
            Ok(device) => devices::fill(gpu, device),
            Err(reason) => {
                gpu.numa_nodes.explain(&reason);
                gpu.cpus.explain(&reason);
            }
        }
    }
    let seated: Vec<(u32, &Node)> = seats.iter().map(|(index, found)| (*index, found.node)).collect();
    links(&seated, facts);
}

/// The index of each GPU of KFD. Where amd-smi says nothing it is the place by PCI address: the library below amd-smi
/// sorts its devices so (ROCm/amdsmi, `rocm_smi/src/rocm_smi_main.cc`). A GPU that amd-smi does not list has none.
fn seats<'a>(found: &'a [Found<'a>], facts: &Facts) -> Vec<(u32, &'a Found<'a>)> {
    let by_place = facts.gpus.is_empty()
        || (facts.gpus.len() == found.len() && facts.gpus.iter().all(|gpu| gpu.pci_address.value().is_none()));
    if by_place {
        return (0..).zip(found).collect();
    }
    let seat = |one: &'a Found<'a>| {
        let mut there = facts.gpus.iter().filter(|gpu| gpu.pci_address.value() == Some(&one.address));
        let (gpu, other) = (there.next()?, there.next());
        // The partitions of a GPU have one address: which is which is not known.
        let alone = other.is_none() && found.iter().filter(|found| found.address == one.address).count() == 1;
        alone.then_some((gpu.index, one))
    };
    found.iter().filter_map(seat).collect()
}

/// The links that KFD lists. Where amd-smi has told of a pair, KFD can bear it out or contradict it and no more: it
/// lists a fabric link that amd-smi calls disabled, too.
fn links(seated: &[(u32, &Node)], facts: &mut Facts) {
    let mut kernel = Facts::new(facts.origin.clone());
    amd_links::write(&nodes::links(seated), KFD, &mut kernel);
    facts.damage.append(&mut kernel.damage);
    for (at, (a, node)) in seated.iter().enumerate() {
        for (b, other) in &seated[at + 1..] {
            let theirs = kernel.pair(*a, *b).cloned();
            match (facts.pair(*a, *b).is_some(), theirs) {
                (true, Some(theirs)) => {
                    let ours = facts.pair_mut(*a, *b);
                    bear_out(&mut ours.class, theirs.class);
                    bear_out(&mut ours.weight, theirs.weight);
                }
                (true, None) => {}
                (false, Some(theirs)) => *facts.pair_mut(*a, *b) = theirs,
                (false, None) => {
                    let unread = [node, other].into_iter().find_map(|node| node.links.as_ref().err().cloned());
                    let reason = unread.unwrap_or_else(|| format!("{KFD} lists no link between GPU {a} and GPU {b}"));
                    facts.pair_mut(*a, *b).class.explain(&reason);
                    facts.pair_mut(*a, *b).weight.explain(&reason);
                }
            }
        }
    }
}

fn bear_out<T: Clone + PartialEq + std::fmt::Display>(fact: &mut Fact<T>, other: Fact<T>) {
    if fact.value().is_some() {
        fact.merge(other);
    }
}

/// Gives what is untold the reason of the command that would have told it.
fn explain(told: &Told, missing: &[(Subject, String)], facts: &mut Facts) {
    let why = |subject: Subject| {
        let reason = missing.iter().find(|(missed, _)| *missed == subject).map(|(_, reason)| reason.clone());
        reason.unwrap_or_else(|| format!("{} does not say", subject.source()))
    };
    let [links, identity, measured] = [Subject::Topology, Subject::Static, Subject::Metric].map(why);
    for gpu in &mut facts.gpus {
        for fact in [&mut gpu.name, &mut gpu.serial, &mut gpu.vbios, &mut gpu.pci_address] {
            fact.explain(&identity);
        }
        gpu.memory.explain(&identity);
        gpu.numa_nodes.explain(&identity);
        for fact in [&mut gpu.pcie.generation_max, &mut gpu.pcie.width_max] {
            fact.explain(&identity);
        }
        for fact in [&mut gpu.pcie.generation, &mut gpu.pcie.width] {
            fact.explain(&measured);
        }
        for fact in [&mut gpu.pcie.replays, &mut gpu.ecc_volatile.corrected, &mut gpu.ecc_volatile.uncorrected] {
            fact.explain(&measured);
        }
        if gpu.pcie.generation.value().is_some() {
            gpu.pcie.under_load = Fact::known(false, "nothing was run on the GPU while its link was read");
        }
    }
    let indices: Vec<u32> = facts.gpus.iter().map(|gpu| gpu.index).collect();
    for (at, a) in indices.iter().enumerate() {
        for b in &indices[at + 1..] {
            let pair = facts.pair_mut(*a, *b);
            pair.class.explain(&links);
            pair.weight.explain(&links);
            pair.hops.explain(&links);
        }
    }
    facts.driver.explain(told.driver.as_ref().err().unwrap_or(&identity));
    facts.cuda.explain("GPUs of AMD have no CUDA version");
}

/// Why there are no GPUs.
fn nothing(told: &Told, listing: &Listing<'_>, missing: &[(Subject, String)]) -> String {
    let kernel = match (&told.nodes, &listing.incomplete) {
        (Err(reason), _) | (Ok(_), Some(reason)) => reason.clone(),
        (Ok(_), None) => format!("{KFD} lists no GPU"),
    };
    joined(std::iter::once(kernel), missing)
}

/// What was found, and what is missing.
fn line(told: &Told, listing: &Listing<'_>, missing: &[(Subject, String)], facts: &Facts) -> String {
    let mut from: Vec<String> = Subject::ALL
        .into_iter()
        .filter(|subject| missing.iter().all(|(missed, _)| missed != subject))
        .map(Subject::source)
        .collect();
    from.extend((!listing.gpus.is_empty()).then(|| KFD.to_owned()));
    let found = format!("{} from {}", facts.gpus.len(), from.join(", "));
    let kernel = told.nodes.as_ref().err().or(listing.incomplete.as_ref()).cloned();
    joined(std::iter::once(found).chain(kernel), missing)
}

/// The parts and what is missing, each once.
fn joined(parts: impl Iterator<Item = String>, missing: &[(Subject, String)]) -> String {
    let mut all: Vec<String> = Vec::new();
    for part in parts.chain(missing.iter().map(|(_, reason)| reason.clone())) {
        if !all.contains(&part) {
            all.push(part);
        }
    }
    all.join("; ")
}
