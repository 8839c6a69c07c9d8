use super::{
    Html,
    links::indices,
    marks::Marks,
    overview::pair,
    reasons::Reasons,
    table::{fact, table},
};
use crate::{
    facts::{Fact, Facts, Gpu, Host},
    report::quantity::count,
};

/// The machine: its software, and its GPUs by what a vendor's return form asks for.
pub(super) fn machine(facts: &Facts, marks: &Marks<'_>, html: &mut Html) {
    html.element("dl", &[("class", "about")], |html| {
        known("GPUs", &facts.gpu_count, u32::to_string, html);
        known("driver", &facts.driver, Clone::clone, html);
        known("CUDA", &facts.cuda, Clone::clone, html);
        for (library, version) in &facts.libraries {
            known(library, version, Clone::clone, html);
        }
        host(&facts.host, html);
    });
    html.line();
    gpus(facts, marks, html);
    for lost in &facts.lost_gpus {
        html.element("p", &[("class", "finding fail")], |html| {
            html.classed("span", "tag", "lost GPU");
            html.text(" ");
            html.leaf("strong", &[], &lost.pci_address);
            html.text(&format!(": {} says ", lost.source));
            html.leaf("code", &[], &lost.quote);
        });
    }
}

fn host(host: &Host, html: &mut Html) {
    known("CPU", &host.cpu_model, Clone::clone, html);
    known("CPUs", &host.cpus, u32::to_string, html);
    known("NUMA nodes", &host.numa_nodes, |nodes| nodes.len().to_string(), html);
    let kind = |guest: &bool| if *guest { "yes" } else { "no" }.to_owned();
    known("virtual machine", &host.virtual_machine, kind, html);
    // They change what every collective does, and were there before linkspec.
    if let Some(variables) = host.nccl_environment.value().filter(|variables| !variables.is_empty()) {
        html.element("div", &[("class", "wide")], |html| {
            html.leaf("dt", &[], "NCCL and RCCL variables that were set before");
            for (name, value) in variables {
                html.element("dd", &[], |html| html.leaf("code", &[], &format!("{name}={value}")));
            }
        });
    }
}

/// What is not known of the machine as a whole stands in the findings that need it.
fn known<T>(name: &str, fact: &Fact<T>, show: impl Fn(&T) -> String, html: &mut Html) {
    if let Some(value) = fact.value() {
        pair(name, &show(value), html);
    }
}

fn gpus(facts: &Facts, marks: &Marks<'_>, html: &mut Html) {
    if facts.gpus.is_empty() {
        return;
    }
    let heads = ["GPU", "name", "PCI address", "UUID", "serial", "memory", "NUMA"];
    table("GPUs", &heads, html, |html| {
        for index in indices(facts) {
            let unread = Gpu::new(index);
            let gpu = facts.gpu(index).unwrap_or(&unread);
            let name = format!("GPU{index}");
            let failures = marks.failures(&name);
            html.element("tr", if failures > 0 { &[("class", "named")] } else { &[] }, |html| {
                html.element("th", &[("scope", "row")], |html| {
                    html.text(&name);
                    if failures > 0 {
                        html.leaf("small", &[], &format!("in {}", count(failures, "failure")));
                    }
                });
                row(gpu, html);
            });
            html.line();
        }
    });
    reasons(facts).list(html);
}

fn reasons(facts: &Facts) -> Reasons<'_> {
    let mut reasons = Reasons::default();
    reasons.note("", "number of GPUs", &facts.gpu_count);
    reasons.note("", "driver", &facts.driver);
    for gpu in &facts.gpus {
        let name = format!("GPU{}", gpu.index);
        for (what, fact) in
            [("name", &gpu.name), ("PCI address", &gpu.pci_address), ("UUID", &gpu.uuid), ("serial", &gpu.serial)]
        {
            reasons.note(&name, what, fact);
        }
        reasons.note(&name, "memory", &gpu.memory);
        reasons.note(&name, "NUMA", &gpu.numa_nodes);
    }
    reasons
}

fn row(gpu: &Gpu, html: &mut Html) {
    fact(&gpu.name, Clone::clone, "whole", None, html);
    for identity in [&gpu.pci_address, &gpu.uuid, &gpu.serial] {
        fact(identity, Clone::clone, "mono", None, html);
    }
    fact(&gpu.memory, ToString::to_string, "number", None, html);
    fact(&gpu.numa_nodes, ToString::to_string, "number", None, html);
}

/// Whether there is anything to tell of the machine.
pub(super) fn has_machine(facts: &Facts) -> bool {
    let host = &facts.host;
    !indices(facts).is_empty()
        || !facts.lost_gpus.is_empty()
        || host.cpus.value().is_some()
        || host.nccl_environment.value().is_some_and(|variables| !variables.is_empty())
}
