use super::replacer::Replacer;
use crate::facts::{Host, LogEvent, NumaNode, PciBridge, PciDevice};

pub(super) fn host(
    Host {
        name,
        kernel,
        cpus,
        allowed_cpus,
        cpu_model,
        numa_nodes,
        virtual_machine,
        kernel_arguments,
        iommu,
        bridges,
        bridges_seen,
        pci_devices,
        numa_balancing,
        memlock,
        shm_size,
        hugepages,
        services,
        service_count,
        fabric_manager,
        gpudirect,
        kernel_log,
        kernel_log_lines,
        kernel_log_seen,
        kernel_log_lines_seen,
        nccl_environment,
        nccl_configured,
    }: &mut Host,
    all: &mut Replacer,
) {
    all.fact(name, Replacer::host_name);
    all.fact(kernel, Replacer::version);
    all.fact(fabric_manager, Replacer::version);
    all.text_facts([cpu_model]);
    all.plain([cpus, service_count]);
    all.plain([allowed_cpus]);
    all.fact(numa_nodes, |_, nodes| nodes.iter().for_each(node));
    all.plain([virtual_machine]);
    all.plain([iommu]);
    all.plain([numa_balancing]);
    all.plain([memlock]);
    all.plain([shm_size, hugepages]);
    all.fact(bridges, |all, bridges| bridges.iter_mut().for_each(|each| bridge(each, all)));
    bridges_seen.iter_mut().for_each(|each| bridge(each, all));
    all.fact(pci_devices, |all, devices| devices.iter_mut().for_each(|each| device(each, all)));
    all.by_name(services, |all, state| all.text_facts([state]));
    for texts in [kernel_arguments, gpudirect, kernel_log_lines] {
        all.fact(texts, |all, texts| all.texts(texts));
    }
    all.texts(kernel_log_lines_seen);
    all.fact(kernel_log, |all, events| events.iter_mut().for_each(|each| event(each, all)));
    kernel_log_seen.iter_mut().for_each(|each| event(each, all));
    for variables in [nccl_environment, nccl_configured] {
        all.fact(variables, Replacer::variables);
    }
}

/// A node is numbers only; one day's new field is asked for here.
const fn node(NumaNode { index: _, cpus: _, distances: _ }: &NumaNode) {}

fn bridge(PciBridge { address, buses_below: _, acs_redirect, acs_unread }: &mut PciBridge, all: &mut Replacer) {
    all.text(address);
    all.texts(acs_redirect.as_deref_mut().unwrap_or_default());
    acs_unread.iter_mut().for_each(|text| all.text(text));
}

fn device(PciDevice { address, description, generation: _, width: _ }: &mut PciDevice, all: &mut Replacer) {
    [address, description].into_iter().for_each(|text| all.text(text));
}

fn event(LogEvent { kind: _, code: _, device, line: _, quote }: &mut LogEvent, all: &mut Replacer) {
    device.iter_mut().chain([quote]).for_each(|text| all.text(text));
}
