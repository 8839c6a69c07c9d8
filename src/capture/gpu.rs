use super::{replacer::Replacer, stand_ins::Kind};
use crate::facts::{
    EccCounts, Gpu, GpuNic, GpuPair, LostGpu, Nic, NicPair, NvLink, NvLinkErrors, NvLinkRemote, PcieLink, PcieUplink,
    RemappedRows,
};

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
        pcie: PcieLink { generation, generation_max, width, width_max, under_load, replays },
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
    all: &mut Replacer,
) {
    all.fact(uuid, |all, uuid| all.identifier(Kind::Uuid, uuid));
    all.fact(serial, |all, serial| all.identifier(Kind::Serial, serial));
    all.fact(fabric_cluster, |all, cluster| all.identifier(Kind::Uuid, cluster));
    all.fact(vbios, Replacer::version);
    all.text_facts([name, pci_address]);
    all.fact(nvlinks, |all, links| links.iter_mut().for_each(|link| nvlink(link, all)));
    all.fact(nvlink_errors, |all, links| {
        for NvLinkErrors { index: _, counters } in links {
            all.by_name(counters, |_, _| {});
        }
    });
    all.fact(pcie_uplinks, |all, uplinks| {
        for PcieUplink { address, generation: _, generation_max: _, width: _, width_max: _ } in uplinks {
            all.text(address);
        }
    });
    for words in [fabric_problems, throttle_reasons] {
        all.fact(words, |all, words| all.texts(words));
    }
    all.plain([memory]);
    all.plain([numa_nodes, cpus]);
    all.plain([numa_id]);
    all.plain([generation, generation_max, width, width_max, fabric_clique]);
    all.plain([under_load, pending, failure]);
    all.plain([replays, correctable, uncorrectable, retired_pages]);
    for EccCounts { corrected, uncorrected } in [ecc_volatile, ecc_aggregate] {
        all.plain([corrected, uncorrected]);
    }
    all.plain([ecc, persistence, mig]);
    all.plain([fabric_state]);
}

fn nvlink(NvLink { index: _, active: _, speed: _, version: _, remote }: &mut NvLink, all: &mut Replacer) {
    if let Some(NvLinkRemote { kind: _, pci_address: Some(address) }) = remote {
        all.text(address);
    }
}

pub(super) fn lost_gpu(LostGpu { pci_address, source, quote }: &mut LostGpu, all: &mut Replacer) {
    [pci_address, source, quote].into_iter().for_each(|text| all.text(text));
}

pub(super) fn gpu_pair(
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
    all: &mut Replacer,
) {
    all.plain([class, ancestor, pcie_path]);
    all.plain([nvlinks, weight, hops]);
    all.plain([p2p_read, p2p_write, p2p_nvlink, p2p_atomics]);
}

pub(super) fn nic(Nic { label, device }: &mut Nic, all: &mut Replacer) {
    std::iter::once(label).chain(device).for_each(|name| all.text(name));
}

pub(super) fn gpu_nic(GpuNic { gpu: _, nic, class }: &mut GpuNic, all: &mut Replacer) {
    all.text(nic);
    all.plain([class]);
}

pub(super) fn nic_pair(NicPair { a, b, class }: &mut NicPair, all: &mut Replacer) {
    [a, b].into_iter().for_each(|name| all.text(name));
    all.plain([class]);
}
