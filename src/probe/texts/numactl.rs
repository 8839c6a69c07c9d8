//! `numactl -H`: the NUMA nodes with their CPUs.

use super::listing::{cut_line, is_frame};
use super::rdma_words::plain;
use super::{Line, lines};
use crate::facts::{Damage, Fact, Facts, NumaNode};
use crate::units::IndexList;

/// Reads it.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let cut = cut_line(text);
    let (mut available, mut nodes) = (None, Vec::new());
    let (mut distances, mut damaged) = (false, false);
    for line in lines(text) {
        let trimmed = line.text.trim();
        if is_frame(trimmed, "numactl") {
            continue;
        }
        distances |= trimmed == "node distances:";
        let problem = if cut == Some(line.number) && !distances {
            Some("the file ends within this line")
        } else if let Some(rest) = trimmed.strip_prefix("available:") {
            available = node_count(rest);
            available.is_none().then_some("not a number of nodes")
        } else if trimmed.starts_with("node ") && trimmed.contains(" cpus:") {
            let node = node_cpus(trimmed);
            let problem = node.is_none().then_some("not a node's CPUs");
            nodes.extend(node);
            problem
        } else {
            foreign(&line, distances).then_some("not a line of numactl -H")
        };
        if let Some(reason) = problem {
            damaged = true;
            facts.damage.push(Damage::new(file, line.number, &line.text, reason));
        }
    }
    let fact = match whole(available, nodes) {
        // A line that is none of numactl's may be the rest of a wrapped list of CPUs.
        Ok(_) if damaged => Fact::unknown(format!("{file}: damaged")),
        Ok(nodes) => Fact::known(nodes, file),
        Err(reason) => Fact::unknown(format!("{file}: {reason}")),
    };
    facts.host.numa_nodes.merge_list(fact);
}

/// Lines of the output that hold no fact here: sizes and distances.
fn foreign(line: &Line, distances: bool) -> bool {
    let text = line.text.trim();
    let size = text.starts_with("node ") && (text.contains(" size:") || text.contains(" free:"));
    !(distances || size)
}

/// `2 nodes (0-1)`.
fn node_count(text: &str) -> Option<(u32, IndexList)> {
    let (count, rest) = text.trim().split_once(" nodes (")?;
    Some((plain(count)?, rest.strip_suffix(')')?.parse().ok()?))
}

/// `node 0 cpus: 0 1 2`; a node that holds only memory has no CPUs.
fn node_cpus(text: &str) -> Option<NumaNode> {
    let (index, cpus) = text.strip_prefix("node ")?.split_once(" cpus:")?;
    let cpus: Option<IndexList> = cpus.split_whitespace().map(plain).collect();
    Some(NumaNode::new(plain(index)?, cpus?))
}

/// The nodes, where each one that is available is shown once.
fn whole(available: Option<(u32, IndexList)>, mut nodes: Vec<NumaNode>) -> Result<Vec<NumaNode>, String> {
    let (count, indices) = available.ok_or("the line `available:` is missing")?;
    nodes.sort_by_key(|node| node.index);
    let shown: IndexList = nodes.iter().map(|node| node.index).collect();
    let counted = u32::try_from(nodes.len()).ok() == Some(count);
    if counted && shown == indices { Ok(nodes) } else { Err(format!("{count} nodes, the CPUs of {shown} are shown")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_only_less, damaged, facts};
    use super::*;

    const TWO: &str = "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3 8 9 10 11\nnode 0 size: 515604 MB\n\
        node 0 free: 498211 MB\nnode 1 cpus: 4 5 6 7 12 13 14 15\nnode 1 size: 516087 MB\nnode 1 free: 500000 MB\n\
        node distances:\nnode   0   1\n  0:  10  21\n  1:  21  10\n";

    #[test]
    fn two_nodes() {
        let read = facts(read, TWO);
        assert_eq!(read.damage, []);
        assert_eq!(
            super::super::lscpu::shown(read.host.numa_nodes.value().unwrap()),
            "node 0 with 0-3,8-11; node 1 with 4-7,12-15"
        );
    }

    #[test]
    fn a_node_without_cpus() {
        let read = facts(read, &TWO.replace("4 5 6 7 12 13 14 15", ""));
        assert_eq!(read.host.numa_nodes.value().map(|nodes| nodes[1].cpus.0.len()), Some(0));
    }

    #[test]
    fn a_cut_list_of_cpus() {
        let read = facts(read, &TWO[..TWO.find(" 14 15").unwrap()]);
        assert_eq!(read.host.numa_nodes.reason(), Some("file: 2 nodes, the CPUs of 0 are shown"));
    }

    #[test]
    fn a_wrapped_list_of_cpus() {
        assert_eq!(facts(read, &TWO.replace(" 12 13", "\n12 13")).host.numa_nodes.value(), None);
    }

    #[test]
    fn no_numa() {
        let read = facts(read, "No NUMA support available on this system.\n");
        assert_eq!((read.host.numa_nodes.value(), read.damage.len()), (None, 1));
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(TWO)) {
            assert_only_less(&facts(read, TWO), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in "(?s)(available: 1 nodes (0)\n|node 0 cpus: 1 2\n|node |.){0,40}") {
            facts(read, &text);
        }
    }
}
