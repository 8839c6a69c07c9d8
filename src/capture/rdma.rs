use super::{replacer::Replacer, stand_ins::Kind};
use crate::facts::{Gid, RdmaDevice, RdmaPort};

/// A device. Its name stays, unless it is made of its hardware address.
pub(super) fn device(
    RdmaDevice { name, firmware, model, board, node_guid, port_count, pci_address, numa_node, ports }: &mut RdmaDevice,
    all: &mut Replacer,
) {
    all.text(name);
    all.fact(firmware, Replacer::version);
    all.text_facts([model, board, pci_address]);
    all.fact(node_guid, |all, guid| all.identifier(Kind::Guid, guid));
    all.plain([port_count, numa_node]);
    ports.iter_mut().for_each(|each| port(each, all));
}

fn port(
    RdmaPort {
        number: _,
        state,
        physical_state,
        rate,
        width,
        link_layer,
        active_mtu,
        max_mtu,
        gids,
        counters,
    }: &mut RdmaPort,
    all: &mut Replacer,
) {
    all.plain([state]);
    all.plain([rate]);
    all.text_facts([physical_state, width, link_layer]);
    all.plain([active_mtu, max_mtu]);
    all.fact(gids, |all, gids| gids.iter_mut().for_each(|entry| gid(entry, all)));
    all.by_name(counters, |all, count| all.plain([count]));
}

fn gid(Gid { index: _, address, kind, netdev }: &mut Gid, all: &mut Replacer) {
    all.gid(address);
    kind.iter_mut().chain(netdev).for_each(|text| all.text(text));
}
