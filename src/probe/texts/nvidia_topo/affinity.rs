use super::classes::{Cells, Classes};
use crate::{
    facts::{Damage, Fact, Facts},
    probe::texts::matrix::{Block, Title},
    units::IndexList,
};

/// Adds the CPUs and NUMA nodes near each GPU.
pub(super) fn add(block: &Block, classes: &Classes<'_>, file: &str, facts: &mut Facts) {
    let titles = &block.header.titles;
    let rows = block.header.gpus.iter().map(|gpu| (*gpu, classes.row(&format!("GPU{gpu}"))));
    let rows: Vec<_> = rows.collect();
    // A row with fewer cells than its neighbours has lost one, and which cannot be told.
    let widest = rows.iter().filter_map(|(_, row)| row.as_ref().ok()).map(|cells| cells.rest.len()).max();
    for (gpu, row) in rows {
        let placed = row.and_then(|cells| {
            let lost = !titles.is_empty() && Some(cells.rest.len()) != widest;
            let placed = if lost { None } else { place(cells, titles) };
            placed.map(|placed| (cells, placed)).ok_or_else(|| {
                let line = &cells.row.line;
                let reason = "the cells after the devices do not fit the header";
                facts.damage.push(Damage::new(file, line.number, &line.text, reason));
                format!("in {file}, line {}, {reason}", line.number)
            })
        });
        let mut fact = |title| match &placed {
            Ok((cells, placed)) => list(title, gpu, cells, placed, titles, file, &mut facts.damage),
            Err(reason) => Fact::unknown(reason.clone()),
        };
        let (cpus, numa_nodes) = (fact(Title::Cpus), fact(Title::NumaNodes));
        let gpu = facts.gpu_mut(gpu);
        gpu.cpus.merge(cpus);
        gpu.numa_nodes.merge(numa_nodes);
    }
}

/// The cells under each title, if it is certain which they are.
///
/// nvidia-smi puts two TABs after a column whose title is wide, so that an empty cell may be padding: one before
/// the last cell always is (real recordings of `GPU NUMA ID`, and of `NUMA Affinity` in older drivers).
fn place<'a>(cells: &Cells<'a>, titles: &[Title]) -> Option<Vec<&'a str>> {
    let rest: Vec<&str> = cells.rest.iter().map(String::as_str).collect();
    if titles.is_empty() {
        return Some(Vec::new());
    }
    match rest.as_slice() {
        // Padding or an empty NUMA cell, with a cell lost before it: not to be told apart.
        [_, "", _] if titles.len() == 3 => None,
        fitting if fitting.len() == titles.len() => Some(rest),
        [before @ .., "", last] if before.len() + 1 == titles.len() => Some([before, &[*last]].concat()),
        _ => None,
    }
}

/// What a GPU's row says under one title.
fn list(
    title: Title,
    gpu: u32,
    cells: &Cells<'_>,
    placed: &[&str],
    titles: &[Title],
    file: &str,
    damage: &mut Vec<Damage>,
) -> Fact<IndexList> {
    let name = if title == Title::Cpus { "CPU Affinity" } else { "NUMA Affinity" };
    let Some(cell) = titles.iter().position(|known| *known == title).and_then(|at| placed.get(at)) else {
        return Fact::unknown(format!("{file} has no {name} column"));
    };
    let cut = cells.row.unterminated && cells.rest.last().is_some_and(|last| std::ptr::eq(last.as_str(), *cell));
    match *cell {
        "" => Fact::unknown(format!("GPU{gpu}'s {name} is empty in {file}")),
        "N/A" => Fact::unknown(format!("GPU{gpu}'s {name} is N/A in {file}")),
        list => match list.parse() {
            Ok(list) if !cut => Fact::known(list, file),
            _ => {
                let line = &cells.row.line;
                let reason = if cut { "the text ends in this row" } else { "a damaged list" };
                damage.push(Damage::new(file, line.number, &line.text, format!("{name}: {reason}")));
                Fact::unknown(format!("GPU{gpu}'s {name} is damaged in {file}, line {}", line.number))
            }
        },
    }
}
