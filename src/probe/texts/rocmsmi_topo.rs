//! `rocm-smi --showtopo` and `--showtoponuma`: tables with GPUn as rows and columns, and the GPUs' NUMA nodes.

use super::amd_tables::{Cells, Shape, Tables};
use super::listing::{cut_line, is_frame};
use super::rdma_words::plain;
use super::{Line, lines};
use crate::facts::{Damage, Fact, Facts, Vendor};
use crate::units::IndexList;

const SHAPE: Shape = Shape { label, in_place, title, tells_status: false };

/// Reads either output.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let cut = cut_line(text);
    let mut nodes = Vec::new();
    let mut tables = Tables::new(&SHAPE, file, facts);
    for line in lines(text) {
        if is_frame(&line.text, "rocm-smi") {
            tables.end_table(&line);
        } else if cut == Some(line.number) && !line.text.trim_end().ends_with("===") {
            tables.damage(&line, "the file ends within this line");
        } else if line.text.trim_start().starts_with("GPU[") {
            nodes.push(line);
        } else {
            tables.line(&line);
        }
    }
    tables.end();
    for line in nodes {
        numa_node(&line, file, facts);
    }
}

/// `GPU[0] : (Topology) Numa Node: 0`; `Numa Affinity` has to name the same node.
fn numa_node(line: &Line, file: &str, facts: &mut Facts) {
    let text = line.text.trim();
    let parts = text.strip_prefix("GPU[").and_then(|rest| rest.split_once(']'));
    let Some((index, (key, value))) = parts.and_then(|(at, rest)| Some((plain(at)?, rest.rsplit_once(':')?))) else {
        return facts.damage.push(Damage::new(file, line.number, text, "not a GPU's line"));
    };
    if !(key.ends_with("Numa Node") || key.ends_with("Numa Affinity")) {
        return;
    }
    let value = value.trim();
    let node = match plain(value) {
        Some(node) => Fact::known(IndexList::from_iter([node]), file),
        // -1 is what the kernel says where the firmware names no node.
        None if value == "-1" => Fact::unknown(format!("{file}: GPU {index} is on no NUMA node (-1)")),
        None => {
            facts.damage.push(Damage::new(file, line.number, text, "not a NUMA node"));
            return;
        }
    };
    facts.vendor.merge(Fact::known(Vendor::Amd, file));
    facts.gpu_mut(index).numa_nodes.merge(node);
}

fn label(word: &str) -> Option<String> {
    gpu_index(word).map(|_| word.to_owned())
}

fn in_place(label: &str, at: usize) -> bool {
    gpu_index(label).and_then(|index| usize::try_from(index).ok()) == Some(at)
}

fn gpu_index(word: &str) -> Option<u32> {
    plain(word.strip_prefix("GPU")?)
}

/// `====== Weight between two GPUs ======`
fn title(text: &str) -> Option<Cells> {
    let inner = text.strip_prefix("===")?.strip_suffix("===")?.trim_matches('=').trim();
    Some(match inner {
        "Weight between two GPUs" => Cells::Weight,
        "Hops between two GPUs" => Cells::Hops,
        "Link Type between two GPUs" => Cells::Kind,
        _ => Cells::Other,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_only_less, damaged, facts};
    use super::*;
    use crate::facts::LinkClass;

    const TWO: &str = "\n\
        ============================ ROCm System Management Interface ============================\n\
        ================================ Weight between two GPUs =================================\n\
        \x20      GPU0         GPU1         \n\
        GPU0   0            15           \n\
        GPU1   15           0            \n\n\
        ================================= Hops between two GPUs ==================================\n\
        \x20      GPU0         GPU1         \n\
        GPU0   0            1            \n\
        GPU1   1            0            \n\n\
        =============================== Link Type between two GPUs ===============================\n\
        \x20      GPU0         GPU1         \n\
        GPU0   0            XGMI         \n\
        GPU1   XGMI         0            \n\n\
        ======================================= Numa Nodes =======================================\n\
        GPU[0]\t\t: (Topology) Numa Node: 0\n\
        GPU[0]\t\t: (Topology) Numa Affinity: 0\n\
        GPU[1]\t\t: (Topology) Numa Node: 1\n\
        GPU[1]\t\t: (Topology) Numa Affinity: 1\n\
        ================================== End of ROCm SMI Log ===================================\n";

    fn node(facts: &Facts, gpu: u32) -> Option<String> {
        facts.gpu(gpu)?.numa_nodes.value().map(IndexList::to_string)
    }

    #[test]
    fn two_gpus() {
        let read = facts(read, TWO);
        assert_eq!(read.damage, []);
        assert_eq!((read.gpu_count.value(), read.vendor.value()), (Some(&2), Some(&Vendor::Amd)));
        let pair = read.pair(0, 1).unwrap();
        assert_eq!(pair.class.value(), Some(&LinkClass::Xgmi));
        assert_eq!((pair.weight.value(), pair.hops.value()), (Some(&15), Some(&1)));
        assert_eq!((node(&read, 0).as_deref(), node(&read, 1).as_deref()), (Some("0"), Some("1")));
    }

    #[test]
    fn columns_with_a_gap_shift_nothing() {
        let read = facts(read, &TWO.replace("GPU1", "GPU2"));
        assert_eq!((read.gpu_pairs.len(), read.gpu_count.value()), (0, None));
    }

    #[test]
    fn nodes_alone_do_not_count_the_gpus() {
        let read = facts(read, &TWO[TWO.find("==== Numa Nodes").unwrap()..]);
        assert_eq!(node(&read, 1).as_deref(), Some("1"));
        assert_eq!(read.gpu_count.value(), None, "a GPU whose lines are lost leaves no trace");
    }

    #[test]
    fn no_node_is_not_node_0() {
        let read = facts(read, &TWO.replace("Node: 1", "Node: -1").replace("Affinity: 1", "Affinity: -1"));
        assert_eq!(read.gpu(1).unwrap().numa_nodes.reason(), Some("file: GPU 1 is on no NUMA node (-1)"));
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(TWO)) {
            assert_only_less(&facts(read, TWO), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in "(?s)(=== Hops between two GPUs ===\n|GPU0 |GPU1 |GPU[0]: Numa Node: |\n|1 |.){0,40}") {
            facts(read, &text);
        }
    }
}
