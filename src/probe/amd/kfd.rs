//! The nodes that the kernel's compute driver (KFD) shows in `/sys/class/kfd/kfd/topology`.

use super::answer::{Node, Properties};
use crate::probe::tree::Tree;

/// Where KFD shows itself.
pub(super) const CLASS: &str = "sys/class/kfd";
const NODES: &str = "sys/class/kfd/kfd/topology/nodes";

/// Reads every node.
pub(super) fn nodes(tree: &Tree) -> Result<Vec<Node>, String> {
    if tree.lacks(CLASS) {
        return Err(format!("no AMD driver is loaded (/{CLASS} is not there)"));
    }
    let mut numbers: Vec<u32> = tree.names(NODES)?.iter().filter_map(|name| name.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers.into_iter().map(|number| node(tree, number)).collect())
}

fn node(tree: &Tree, number: u32) -> Node {
    let folder = format!("{NODES}/{number}");
    Node {
        number,
        gpu_id: tree.parse(&format!("{folder}/gpu_id")),
        properties: properties(tree, &format!("{folder}/properties")),
        banks: listed(tree, &format!("{folder}/mem_banks")),
        links: links(tree, &folder),
    }
}

/// The links of both kinds, all of them or none: a pair whose link is missing would look as if it had none.
fn links(tree: &Tree, folder: &str) -> Result<Vec<Properties>, String> {
    let mut links = listed(tree, &format!("{folder}/io_links"))?;
    let between_peers = format!("{folder}/p2p_links");
    // Kernels before 6.0 have no such folder.
    if !tree.lacks(&between_peers) {
        links.extend(listed(tree, &between_peers)?);
    }
    Ok(links)
}

/// The properties of everything in a folder.
fn listed(tree: &Tree, folder: &str) -> Result<Vec<Properties>, String> {
    let names = tree.names(folder)?;
    names.iter().map(|name| properties(tree, &format!("{folder}/{name}/properties"))).collect()
}

fn properties(tree: &Tree, path: &str) -> Result<Properties, String> {
    Ok(numbers(&tree.read(path)?))
}

/// `name number` on each line.
fn numbers(text: &str) -> Properties {
    let number = |line: &str| {
        let (name, number) = line.trim().split_once(char::is_whitespace)?;
        Some((name.to_owned(), number.trim().parse().ok()?))
    };
    text.lines().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_numbers_are_left_out() {
        let read = numbers("simd_count 1216\nlocation_id 3072\nname aqua\n\nodd\nbig 99999999999999999999999\n");
        assert_eq!(read, Properties::from([("simd_count".into(), 1216), ("location_id".into(), 3072)]));
    }
}
