use crate::{
    facts::{Fact, NumaNode},
    probe::tree::Tree,
    units::IndexList,
};

const NODES: &str = "sys/devices/system/node";

/// The NUMA nodes, with the distances of each to all.
pub(super) fn nodes(tree: &Tree) -> Fact<Vec<NumaNode>> {
    Fact::told(read(tree), "/sys/devices/system/node")
}

fn read(tree: &Tree) -> Result<Vec<NumaNode>, String> {
    let names = tree.names(NODES)?;
    let mut indices: Vec<u32> = names.iter().filter_map(|name| name.strip_prefix("node")?.parse().ok()).collect();
    indices.sort_unstable();
    if indices.is_empty() {
        return Err(format!("/{NODES} lists no node"));
    }
    indices.iter().map(|index| node(tree, *index, indices.len())).collect()
}

fn node(tree: &Tree, index: u32, count: usize) -> Result<NumaNode, String> {
    let path = format!("{NODES}/node{index}/cpulist");
    let text = tree.read(&path)?;
    // A node that holds only memory has an empty list.
    let cpus = if text.is_empty() {
        IndexList::default()
    } else {
        text.parse().map_err(|error| format!("/{path}: {error}"))?
    };
    let mut node = NumaNode::new(index, cpus);
    node.distances = distances(tree, index, count).unwrap_or_default();
    Ok(node)
}

/// The distances, where there is one for each node.
fn distances(tree: &Tree, index: u32, count: usize) -> Option<Vec<u32>> {
    let text = tree.read(&format!("{NODES}/node{index}/distance")).ok()?;
    let distances: Option<Vec<u32>> = text.split_whitespace().map(|distance| distance.parse().ok()).collect();
    distances.filter(|distances| distances.len() == count)
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    #[test]
    fn two_sockets() {
        let machine = rebuilt(&[
            ("sys/devices/system/node/node0/cpulist", "0-3,8-11\n"),
            ("sys/devices/system/node/node0/distance", "10 21\n"),
            ("sys/devices/system/node/node1/cpulist", "4-7,12-15\n"),
            ("sys/devices/system/node/node1/distance", "21 10\n"),
            ("sys/devices/system/node/online", "0-1\n"),
        ]);
        let nodes = nodes(&machine.tree);
        let nodes = nodes.value().unwrap();
        assert_eq!(
            nodes.iter().map(|node| (node.index, node.cpus.to_string())).collect::<Vec<_>>(),
            [(0, "0-3,8-11".to_owned()), (1, "4-7,12-15".to_owned()),]
        );
        assert_eq!(nodes.iter().map(|node| node.distances.clone()).collect::<Vec<_>>(), [[10, 21], [21, 10]]);
    }

    #[test]
    fn a_node_without_cpus_and_distances_of_another_number_of_nodes() {
        let machine = rebuilt(&[
            ("sys/devices/system/node/node2/cpulist", "0-3\n"),
            ("sys/devices/system/node/node2/distance", "10 20\n"),
            ("sys/devices/system/node/node10/cpulist", "\n"),
            ("sys/devices/system/node/node10/distance", "20\n"),
        ]);
        let nodes = nodes(&machine.tree);
        let nodes = nodes.value().unwrap();
        assert_eq!(nodes.iter().map(|node| (node.index, node.cpus.0.len())).collect::<Vec<_>>(), [(2, 4), (10, 0)]);
        assert_eq!(nodes.iter().map(|node| node.distances.len()).collect::<Vec<_>>(), [2, 0]);
    }

    #[test]
    fn no_nodes_are_not_one_node() {
        let machine = rebuilt(&[]);
        assert_eq!(nodes(&machine.tree).reason(), Some("/sys/devices/system/node is not there"));
        machine.folder("sys/devices/system/node");
        assert_eq!(nodes(&machine.tree).reason(), Some("/sys/devices/system/node lists no node"));
    }
}
