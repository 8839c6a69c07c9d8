//! Gives a reason to every fact that no source spoke of, so that a verdict can say what is missing.
//!
//! Each function takes its facts apart field by field: the compiler asks of a new fact whose silence leaves it unknown.

use crate::facts::{EccCounts, Fact, Gpu, GpuPair, Host, PcieLink, RdmaDevice, RdmaPort, RemappedRows};

/// What one kind of source tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    /// What is near a GPU.
    Near,
    /// A GPU itself.
    Gpu,
    /// The state of a GPU's NVLinks.
    NvLinks,
    /// The error counters of a GPU's NVLinks.
    NvLinkErrors,
    /// The PCIe links above a GPU.
    Uplinks,
    /// How two GPUs are joined.
    Pair,
    /// The NVLinks between two GPUs, and what NVML calls their common ancestor.
    NvlinkPair,
    /// Two GPUs by their paths in /sys.
    PciPath,
    /// The weight and hops of an AMD link.
    AmdLink,
    /// Peer reads.
    PeerRead,
    /// Peer writes.
    PeerWrite,
    /// Peer access over NVLink.
    PeerNvlink,
    /// Peer atomics.
    PeerAtomics,
    /// An RDMA device and the state of its ports.
    Port,
    /// A port's MTU.
    Mtu,
    /// A port's GIDs.
    Gids,
    /// The host's CPUs and nodes.
    Cpus,
    /// Whether this is a virtual machine.
    Virtual,
    /// The kernel's arguments.
    KernelArguments,
    /// The IOMMU.
    Iommu,
    /// PCI bridges and devices.
    Pci,
    /// Limits, sizes and other settings of the host.
    Settings,
    /// Services and the fabric manager.
    Services,
    /// GPUDirect.
    GpuDirect,
    /// The kernel log.
    KernelLog,
    /// Variables of the collective library.
    NcclEnvironment,
}

/// Why a source did not tell its topic.
pub(super) type Why<'a> = &'a dyn Fn(Topic) -> String;

pub(super) fn gpu(
    Gpu {
        index: _,
        name,
        uuid,
        serial,
        vbios,
        pci_address,
        memory,
        numa_nodes,
        cpus,
        numa_id,
        nvlinks,
        nvlink_errors,
        pcie: PcieLink { generation, generation_max, width, width_max, under_load: _, replays },
        pcie_uplinks,
        ecc,
        ecc_volatile,
        ecc_aggregate,
        remapped_rows: RemappedRows { correctable, uncorrectable, pending, failure },
        retired_pages,
        fabric_state,
        fabric_cluster,
        fabric_clique,
        fabric_problems,
        persistence,
        mig,
        throttle_reasons,
    }: &mut Gpu,
    why: Why<'_>,
) {
    let gpu = why(Topic::Gpu);
    explain_all([name, uuid, serial, vbios, pci_address, fabric_cluster], &gpu);
    explain_all([ecc, persistence, mig], &gpu);
    explain_all([correctable, uncorrectable, replays, retired_pages], &gpu);
    explain_all([pending, failure], &gpu);
    for EccCounts { corrected, uncorrected } in [ecc_volatile, ecc_aggregate] {
        explain_all([corrected, uncorrected], &gpu);
    }
    explain_all([generation, generation_max, width, width_max, fabric_clique], &gpu);
    explain_all([throttle_reasons, fabric_problems], &gpu);
    memory.explain(&gpu);
    fabric_state.explain(&gpu);
    nvlinks.explain(&why(Topic::NvLinks));
    nvlink_errors.explain(&why(Topic::NvLinkErrors));
    pcie_uplinks.explain(&why(Topic::Uplinks));
    let near = why(Topic::Near);
    explain_all([numa_nodes, cpus], &near);
    numa_id.explain(&near);
}

pub(super) fn pair(
    GpuPair {
        a: _,
        b: _,
        class,
        nvlinks,
        ancestor,
        pcie_path,
        weight,
        hops,
        p2p_read,
        p2p_write,
        p2p_nvlink,
        p2p_atomics,
    }: &mut GpuPair,
    why: Why<'_>,
) {
    class.explain(&why(Topic::Pair));
    nvlinks.explain(&why(Topic::NvlinkPair));
    ancestor.explain(&why(Topic::NvlinkPair));
    pcie_path.explain(&why(Topic::PciPath));
    explain_all([weight, hops], &why(Topic::AmdLink));
    p2p_read.explain(&why(Topic::PeerRead));
    p2p_write.explain(&why(Topic::PeerWrite));
    p2p_nvlink.explain(&why(Topic::PeerNvlink));
    p2p_atomics.explain(&why(Topic::PeerAtomics));
}

pub(super) fn rdma(
    RdmaDevice { name: _, firmware, model, board, node_guid, port_count, pci_address, numa_node, ports }: &mut RdmaDevice,
    why: Why<'_>,
) {
    let port = why(Topic::Port);
    explain_all([firmware, model, board, node_guid, pci_address], &port);
    explain_all([port_count, numa_node], &port);
    let (mtu, gid) = (why(Topic::Mtu), why(Topic::Gids));
    for RdmaPort {
        number: _,
        state,
        physical_state,
        rate,
        width,
        link_layer,
        active_mtu,
        max_mtu,
        gids,
        counters: _,
    } in ports
    {
        state.explain(&port);
        explain_all([physical_state, width, link_layer], &port);
        rate.explain(&port);
        explain_all([active_mtu, max_mtu], &mtu);
        gids.explain(&gid);
    }
}

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
        bridges_seen: _,
        pci_devices,
        numa_balancing,
        memlock,
        shm_size,
        hugepages,
        services: _,
        service_count,
        fabric_manager,
        gpudirect,
        kernel_log,
        kernel_log_lines,
        kernel_log_seen: _,
        kernel_log_lines_seen: _,
        nccl_environment,
        nccl_configured,
    }: &mut Host,
    why: Why<'_>,
) {
    let (settings, cpu) = (why(Topic::Settings), why(Topic::Cpus));
    explain_all([name, kernel], &settings);
    explain_all([shm_size, hugepages], &settings);
    numa_balancing.explain(&settings);
    memlock.explain(&settings);
    cpus.explain(&cpu);
    cpu_model.explain(&cpu);
    allowed_cpus.explain(&cpu);
    numa_nodes.explain(&cpu);
    virtual_machine.explain(&why(Topic::Virtual));
    kernel_arguments.explain(&why(Topic::KernelArguments));
    iommu.explain(&why(Topic::Iommu));
    let pci = why(Topic::Pci);
    bridges.explain(&pci);
    pci_devices.explain(&pci);
    let services = why(Topic::Services);
    service_count.explain(&services);
    fabric_manager.explain(&services);
    gpudirect.explain(&why(Topic::GpuDirect));
    let log = why(Topic::KernelLog);
    kernel_log.explain(&log);
    kernel_log_lines.explain(&log);
    explain_all([nccl_environment, nccl_configured], &why(Topic::NcclEnvironment));
}

fn explain_all<T, const N: usize>(facts: [&mut Fact<T>; N], reason: &str) {
    facts.into_iter().for_each(|fact| fact.explain(reason));
}
