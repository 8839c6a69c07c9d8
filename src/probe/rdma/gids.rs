use std::{collections::BTreeMap, fs};

use nix::errno::Errno;

use super::{
    answer::{PortName, Told},
    device::{DEVICES, port_folder},
};
use crate::{
    facts::Gid,
    probe::{texts::rdma_words::plain, tree::Tree},
};

/// What `node_type` says of a device for InfiniBand or RoCE.
const CHANNEL_ADAPTER: &str = "1: CA";

/// Reads a port's GID table without its empty entries. A table has 128 to 256 of which a few are in use, so that the
/// type and the interface are read of those only.
pub(super) fn gids(tree: &Tree, at: &PortName) -> Told<Vec<Gid>> {
    let folder = port_folder(at);
    let names = tree.names(&format!("{folder}/gids"))?;
    let mut indices: Vec<u32> = names.iter().filter_map(|name| plain(name)).collect();
    indices.sort_unstable();
    let mut gids = Vec::new();
    for index in indices {
        let Some(address) = address(tree, &format!("{folder}/gids/{index}"))? else { continue };
        gids.push(Gid {
            index,
            address,
            // The kernel refuses both for an entry that was emptied since.
            kind: attribute(tree, &format!("{folder}/gid_attrs/types/{index}")),
            netdev: attribute(tree, &format!("{folder}/gid_attrs/ndevs/{index}")),
        });
    }
    Ok(gids)
}

/// An entry's address; `None` for an empty one, which the kernel shows as zeros (older ones refuse it with EINVAL).
fn address(tree: &Tree, path: &str) -> Told<Option<String>> {
    let refused =
        |path: &str| fs::read(tree.path(path)).is_err_and(|error| error.raw_os_error() == Some(Errno::EINVAL as i32));
    let text = match tree.read(path) {
        Ok(text) => text,
        Err(_) if refused(path) => return Ok(None),
        Err(reason) => return Err(reason),
    };
    if text.parse::<std::net::Ipv6Addr>().is_err() {
        return Err(format!("/{path} says {text:?}, which is not a GID"));
    }
    Ok(text.bytes().any(|b| !matches!(b, b'0' | b':')).then_some(text))
}

fn attribute(tree: &Tree, path: &str) -> Option<String> {
    tree.read(path).ok().filter(|text| !text.is_empty())
}

/// The MTU in bytes of each network interface that GIDs belong to, by its name; none for iWARP, which is Ethernet too
/// but no RoCE.
pub(super) fn interfaces(tree: &Tree, device: &str, gids: &[Gid]) -> Told<BTreeMap<String, Told<u32>>> {
    let path = format!("{DEVICES}/{device}/node_type");
    let node_type = tree.read(&path)?;
    if node_type != CHANNEL_ADAPTER {
        return Err(format!("/{path} says {node_type:?}, which is no RoCE device"));
    }
    let names = gids.iter().filter_map(|gid| gid.netdev.clone());
    Ok(names.map(|name| (name.clone(), tree.parse(&format!("sys/class/net/{name}/mtu")))).collect())
}
