use super::classes::Classes;
use crate::{
    facts::{Fact, Facts, LinkClass},
    probe::texts::matrix::Block,
};

/// The number of GPUs, where the listing is complete: a whole row for each column, numbered from 0.
pub(super) fn count(block: &Block, classes: &Classes<'_>, file: &str) -> Fact<u32> {
    let gpus = &block.header.gpus;
    if let Some(reason) = gpus.iter().find_map(|gpu| classes.row(&format!("GPU{gpu}")).err()) {
        return Fact::unknown(reason);
    }
    if !classes.whole {
        return Fact::unknown(format!("the matrix in {file} is damaged"));
    }
    match u32::try_from(gpus.len()) {
        Ok(count) if gpus.iter().copied().eq(0..count) => Fact::known(count, file),
        _ => Fact::unknown(format!("the matrix in {file} does not number its GPUs from 0 without a gap")),
    }
}

/// The class of every pair: known where both cells are there and agree.
pub(super) fn add_pairs(block: &Block, classes: &Classes<'_>, file: &str, facts: &mut Facts) {
    let gpus = &block.header.gpus;
    for (column, a) in gpus.iter().enumerate() {
        facts.gpu_mut(*a);
        for (other, b) in gpus.iter().enumerate().skip(column + 1) {
            let (name, other_name) = (format!("GPU{a}"), format!("GPU{b}"));
            let class = classes.agreed((&name, &other_name), (column, other));
            note_disagreement(&class, block, file, facts);
            facts.pair_mut(*a, *b).class.merge(class);
        }
    }
}

/// Cells that contradict each other are damage of the matrix, wherever they stand.
pub(super) fn note_disagreement(class: &Fact<LinkClass>, block: &Block, file: &str, facts: &mut Facts) {
    if let Fact::Conflict { reason } = class {
        let header = &block.header.line;
        facts.damage.push(crate::facts::Damage::new(file, header.number, &header.text, reason.clone()));
    }
}
