//! `nvidia-smi topo -m`: the link class of every pair of GPUs, of every GPU and NIC, and what is near each GPU.

mod affinity;
mod classes;
mod gpus;
mod legend;
mod nics;

use self::classes::Classes;
use super::{
    Line, lines,
    matrix::{Block, blocks},
    nvidia_message::{note_lost_gpus, note_nothing},
};
use crate::facts::{Damage, Fact, Facts, Vendor};

/// Nobody pastes the matrix of one machine more often.
const MOST_MATRICES: usize = 8;

/// Reads the output of `nvidia-smi topo -m`, however it was pasted. `file` is its name in the folder.
///
/// A text that holds the matrix twice must say the same twice. A `topo -p2p` matrix in the text is passed over.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let lines = lines(text);
    note_lost_gpus(&lines, file, facts);
    let all = blocks(&lines, text.ends_with('\n'));
    let mut matrices = choose(&all);
    if matrices.len() > MOST_MATRICES {
        let reason = format!("{} matrices in one text: of more than one machine", matrices.len());
        facts.damage.push(Damage::of_file(file, reason));
        matrices.clear();
    } else if matrices.is_empty() {
        note_nothing(&lines, file, "topology matrix", facts);
    }
    if matrices.is_empty() {
        let reason = format!("{file} holds no topology matrix that can be read");
        facts.gpu_count.merge(Fact::unknown(reason.clone()));
        facts.nics.merge_list(Fact::unknown(reason));
    }
    for block in matrices {
        read_matrix(block, &lines, file, facts);
    }
}

/// The blocks that hold link classes: those with rows, without words of `topo -p2p`. One GPU's matrix shows only
/// itself in either tool, so that a bare one after another matrix is not taken for a second `topo -m`.
fn choose(all: &[Block]) -> Vec<&Block> {
    let with_rows = all.iter().filter(|block| !block.rows.is_empty() && !block.is_p2p());
    let bare = |block: &Block| block.header.is_one_word();
    with_rows.enumerate().filter(|(at, block)| *at == 0 || !bare(block)).map(|(_, block)| block).collect()
}

fn read_matrix(block: &Block, lines: &[Line], file: &str, facts: &mut Facts) {
    let classes = Classes::read(block, file, &mut facts.damage);
    facts.vendor.merge(Fact::known(Vendor::Nvidia, file));
    facts.gpu_count.merge(gpus::count(block, &classes, file));
    gpus::add_pairs(block, &classes, file, facts);
    affinity::add(block, &classes, file, facts);
    let legend = legend::read(lines, file, &mut facts.damage);
    facts.nics.merge_list(nics::list(block, &classes, &legend, file));
    nics::add_classes(block, &classes, &legend, file, facts);
    for stray in &block.strays {
        facts.damage.push(Damage::new(file, stray.number, &stray.text, "a line between rows that is none"));
    }
}

#[cfg(test)]
mod tests;
