//! `nvidia-smi topo -p2p`: what each pair of GPUs may do with each other's memory.

use std::collections::BTreeMap;

use super::{
    lines,
    matrix::{Block, blocks},
    nvidia_message::{note_lost_gpus, note_nothing},
};
use crate::facts::{Damage, Fact, Facts, GpuPair, P2pStatus, Vendor};

/// What `-p2p` was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// `-p2p r`.
    Read,
    /// `-p2p w`.
    Write,
    /// `-p2p n`.
    Nvlink,
    /// `-p2p a`.
    Atomics,
    /// `-p2p p`: the vendor's own access property. Not supported is healthy, so that it gives no facts of a pair.
    Prop,
    /// `-p2p rw`.
    ReadWrite,
}

impl Capability {
    /// The argument of `-p2p`, as in the name `nvidia-smi-topo-p2p-r.txt`.
    pub fn from_argument(argument: &str) -> Option<Self> {
        Some(match argument {
            "r" => Self::Read,
            "w" => Self::Write,
            "n" => Self::Nvlink,
            "a" => Self::Atomics,
            "p" => Self::Prop,
            "rw" => Self::ReadWrite,
            _ => return None,
        })
    }

    fn facts(self, pair: &mut GpuPair) -> Vec<&mut Fact<P2pStatus>> {
        match self {
            Self::Read => vec![&mut pair.p2p_read],
            Self::Write => vec![&mut pair.p2p_write],
            Self::Nvlink => vec![&mut pair.p2p_nvlink],
            Self::Atomics => vec![&mut pair.p2p_atomics],
            Self::Prop => Vec::new(),
            Self::ReadWrite => vec![&mut pair.p2p_read, &mut pair.p2p_write],
        }
    }
}

/// One cell; `None` is `U`, which the driver could not tell.
type Cell = Option<P2pStatus>;
/// The row of each GPU, or why it gives nothing.
type Rows = BTreeMap<String, Result<Vec<Option<Cell>>, String>>;

/// Reads the output of `nvidia-smi topo -p2p`. `file` is its name in the folder.
pub fn read(text: &str, file: &str, capability: Capability, facts: &mut Facts) {
    let lines = lines(text);
    note_lost_gpus(&lines, file, facts);
    let blocks = blocks(&lines, text.ends_with('\n'));
    let block = blocks.iter().find(|block| block.is_p2p());
    // One GPU's matrix holds no word but its own X.
    let bare = || blocks.iter().find(|block| block.header.is_one_word() && !block.rows.is_empty());
    match block.or_else(bare) {
        Some(block) => read_matrix(block, file, capability, facts),
        None => note_nothing(&lines, file, "peer-to-peer matrix", facts),
    }
}

fn read_matrix(block: &Block, file: &str, capability: Capability, facts: &mut Facts) {
    let rows = rows(block, file, &mut facts.damage);
    facts.vendor.merge(Fact::known(Vendor::Nvidia, file));
    let gpus = &block.header.gpus;
    facts.gpu_count.merge(count(gpus, &rows, file));
    for (column, a) in gpus.iter().enumerate() {
        facts.gpu_mut(*a);
        for (other, b) in gpus.iter().enumerate().skip(column + 1) {
            let status = status(&rows, (*a, *b), (column, other), file);
            if let Fact::Conflict { reason } = &status {
                let header = &block.header.line;
                facts.damage.push(Damage::new(file, header.number, &header.text, reason.clone()));
            }
            for fact in capability.facts(facts.pair_mut(*a, *b)) {
                fact.merge(status.clone());
            }
        }
    }
}

/// The number of GPUs, where the matrix is whole: it has a row and a column for every GPU, numbered from 0.
fn count(gpus: &[u32], rows: &Rows, file: &str) -> Fact<u32> {
    if let Some(reason) = rows.values().find_map(|row| row.as_ref().err()) {
        return Fact::unknown(reason.clone());
    }
    if let Some(gpu) = gpus.iter().find(|gpu| !rows.contains_key(&format!("GPU{gpu}"))) {
        return Fact::unknown(format!("GPU{gpu}'s row is missing in {file}"));
    }
    match u32::try_from(gpus.len()) {
        Ok(count) if gpus.iter().copied().eq(0..count) => Fact::known(count, file),
        _ => Fact::unknown(format!("the matrix in {file} does not number its GPUs from 0 without a gap")),
    }
}

/// Every row; what is damaged, missing, or there twice with different cells is noted.
fn rows(block: &Block, file: &str, damage: &mut Vec<Damage>) -> Rows {
    let mut rows = Rows::new();
    for row in &block.rows {
        let line = &row.line;
        let cells = row.read(&block.header, cell).map(|devices| devices.cells);
        let cells = match rows.get(&row.device) {
            Some(Ok(first)) if cells.as_ref().is_ok_and(|cells| cells != first) => {
                Err("the row is there twice".to_owned())
            }
            Some(_) if cells.is_ok() => continue,
            _ => cells,
        };
        if let Err(reason) = &cells {
            damage.push(Damage::new(file, line.number, &line.text, reason.clone()));
        }
        let told =
            |reason: String| format!("{}'s row is damaged in {file}, line {}: {reason}", row.device, line.number);
        rows.insert(row.device.clone(), cells.map_err(told));
    }
    let header = &block.header;
    let names = header.gpus.iter().map(|gpu| format!("GPU{gpu}"));
    let missing: Vec<String> = names.filter(|name| !rows.contains_key(name)).collect();
    if !missing.is_empty() {
        let reason = format!("no rows for {}", missing.join(", "));
        damage.push(Damage::new(file, header.line.number, &header.line.text, reason));
    }
    rows
}

/// What two GPUs say of each other: known where both cells are there and agree.
fn status(rows: &Rows, gpus: (u32, u32), columns: (usize, usize), file: &str) -> Fact<P2pStatus> {
    let cell = |gpu: u32, column: usize| match rows.get(&format!("GPU{gpu}")) {
        Some(Ok(cells)) => cells.get(column).copied().flatten().ok_or_else(|| format!("no such cell in {file}")),
        Some(Err(reason)) => Err(reason.clone()),
        None => Err(format!("GPU{gpu}'s row is missing in {file}")),
    };
    match (cell(gpus.0, columns.1), cell(gpus.1, columns.0)) {
        (Err(reason), _) | (_, Err(reason)) => Fact::unknown(reason),
        (Ok(Some(one)), Ok(Some(other))) if one == other => Fact::known(one, file),
        (Ok(Some(one)), Ok(Some(other))) => {
            let (a, b) = gpus;
            Fact::Conflict { reason: format!("in {file} GPU{a}'s row says {one}, GPU{b}'s row {other}") }
        }
        (Ok(None), Ok(_)) | (Ok(_), Ok(None)) => Fact::unknown(format!("the status is U (unknown) in {file}")),
    }
}

fn cell(text: &str) -> Option<Cell> {
    Some(Some(match text {
        "OK" => P2pStatus::Ok,
        "CNS" => P2pStatus::Cns,
        "GNS" => P2pStatus::Gns,
        "TNS" => P2pStatus::Tns,
        "NS" => P2pStatus::Ns,
        "DR" => P2pStatus::Dr,
        "U" => return Some(None),
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::facts::Origin;

    const FILE: &str = "nvidia-smi-topo-p2p-r.txt";

    fn read_as(text: &str, capability: Capability) -> Facts {
        let mut facts = Facts::new(Origin::Live);
        read(text, FILE, capability, &mut facts);
        facts
    }

    fn reads(text: &str) -> Facts {
        read_as(text, Capability::Read)
    }

    const TWO: &str =
        " \t\u{1b}[4mGPU0\tGPU1\t\u{1b}[0m\n GPU0\tX\tGNS\t\n GPU1\tGNS\tX\t\n\nLegend:\n\n  X    = Self\n";

    #[test]
    fn rows_with_a_blank_before_and_a_tab_after() {
        let facts = reads(TWO);
        assert_eq!(facts.pair(0, 1).unwrap().p2p_read, Fact::known(P2pStatus::Gns, FILE));
        assert_eq!(facts.pair(0, 1).unwrap().p2p_write.value(), None);
        assert!(facts.damage.is_empty(), "{:?}", facts.damage);
    }

    #[test]
    fn a_whole_matrix_tells_the_number_of_gpus_and_a_cut_one_does_not() {
        assert_eq!(reads(TWO).gpu_count, Fact::known(2, FILE));
        for cut in [
            " \tGPU0\tGPU1\t\n GPU0\tX\tOK\t\n",
            " \tGPU0\tGPU1\t\n GPU0\tX\tOK\t\n GPU1\tO",
            " \tGPU1\tGPU2\t\n GPU1\tX\tOK\t\n GPU2\tOK\tX\t\n",
            " \tGPU0\tGPU1\t\n GPU0\tX\tOK\t\n GPU1\tOK\tX\t\n GPU2\tOK\tOK\tX\t\n",
        ] {
            assert_eq!(reads(cut).gpu_count.value(), None, "{cut}");
        }
    }

    #[test]
    fn the_argument_says_which_facts() {
        let facts = read_as(TWO, Capability::ReadWrite);
        let pair = facts.pair(0, 1).unwrap();
        assert_eq!((pair.p2p_read.value(), pair.p2p_write.value()), (Some(&P2pStatus::Gns), Some(&P2pStatus::Gns)));
        let facts = read_as(TWO, Capability::Prop);
        let pair = facts.pair(0, 1).unwrap();
        for fact in [&pair.p2p_read, &pair.p2p_write, &pair.p2p_nvlink, &pair.p2p_atomics] {
            assert_eq!(fact.value(), None);
        }
        assert_eq!(Capability::from_argument("rw"), Some(Capability::ReadWrite));
        assert_eq!(Capability::from_argument("x"), None);
    }

    #[test]
    fn both_cells_must_agree_and_u_is_unknown() {
        let facts = reads("GPU0 GPU1 GPU2\nGPU0 X OK U\nGPU1 NS X OK\nGPU2 OK OK X\n");
        let read = |a, b| facts.pair(a, b).unwrap().p2p_read.clone();
        assert!(matches!(read(0, 1), Fact::Conflict { .. }));
        assert!(read(0, 2).reason().unwrap().contains("U (unknown)"));
        assert_eq!(read(1, 2).value(), Some(&P2pStatus::Ok));
        assert_eq!(facts.damage.len(), 1);
    }

    #[test]
    fn a_cut_row_gives_nothing() {
        let facts = reads(" \tGPU0\tGPU1\tGPU2\t\n GPU0\tX\tOK\tOK\t\n GPU1\tOK\tX\tOK\t\n GPU2\tOK\tO");
        let read = |a, b| facts.pair(a, b).unwrap().p2p_read.clone();
        assert_eq!(read(0, 1).value(), Some(&P2pStatus::Ok));
        assert_eq!((read(0, 2).value(), read(1, 2).value()), (None, None));
        assert_eq!((facts.damage[0].line, facts.damage[0].quote.as_str()), (4, "GPU2 OK O"));
    }

    #[test]
    fn a_message_or_a_topology_matrix_is_no_peer_to_peer_matrix() {
        for (text, quote) in [
            (
                "$ nvidia-smi topo -p2p\nOption \"-p2p\" is missing its value.\n",
                "Option \"-p2p\" is missing its value.",
            ),
            ("\tGPU0\tGPU1\nGPU0\tX\tNV4\nGPU1\tNV4\tX\n", "GPU0 GPU1"),
            ("", ""),
        ] {
            let facts = reads(text);
            assert!(facts.gpu_pairs.is_empty() && facts.gpus.is_empty());
            assert_eq!(facts.damage[0].quote, quote);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            reads(&text);
        }

        #[test]
        fn near_texts_are_survived(text in "([ \t]|GPU[01]|X|OK|NS|\n|Legend:|\u{1b}\\[4m){0,60}") {
            reads(&text);
        }
    }
}
