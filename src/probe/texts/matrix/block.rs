use super::{
    Header, Row,
    header::{gpu_index, is_nic_name},
};
use crate::{facts::LinkClass, probe::texts::Line};

/// A header and what stands below it, up to a legend, another header or the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::probe::texts) struct Block {
    /// The header.
    pub header: Header,
    /// The rows, also those that will turn out damaged.
    pub rows: Vec<Row>,
    /// Lines between rows that are none.
    pub strays: Vec<Line>,
}

/// The words of a `topo -p2p` matrix that a `topo -m` matrix never holds.
const P2P_WORDS: [&str; 7] = ["OK", "CNS", "GNS", "TNS", "NS", "DR", "U"];

impl Block {
    /// Whether a row holds a word of `topo -p2p`.
    pub fn is_p2p(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.cells).any(|cell| P2P_WORDS.contains(&cell.as_str()))
    }
}

/// The matrices of a text. `terminated` says whether its last line has an end.
pub(in crate::probe::texts) fn blocks(lines: &[Line], terminated: bool) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    // Lines that are no rows, until a row after them shows that they stand inside the matrix.
    let mut strays = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let header = Header::read(line);
        let block = blocks.last_mut().filter(|_| open);
        if let Some(block) = block
            && let Some(row) = Row::split(line, !terminated && at + 1 == lines.len())
            && is_row(&row, header.as_ref(), block)
        {
            block.strays.append(&mut strays);
            block.rows.push(row);
        } else if let Some(header) = header {
            blocks.push(Block { header, rows: Vec::new(), strays: Vec::new() });
            open = true;
            strays.clear();
        } else if line.text.contains("Legend") {
            open = false;
        } else if !line.text.trim().is_empty() {
            strays.push(line.clone());
        }
    }
    blocks
}

/// Whether a line is a row of this block. One word may be a row that was cut, or another header.
fn is_row(row: &Row, header: Option<&Header>, block: &Block) -> bool {
    let named = block.header.column(&row.device).is_some();
    match header {
        Some(header) => named && header.is_one_word() && !block.rows.iter().any(|seen| seen.device == row.device),
        None if named => true,
        None => {
            let device = gpu_index(&row.device).is_some() || is_nic_name(&row.device);
            let word = |cell: &String| cell.parse::<LinkClass>().is_ok() || P2P_WORDS.contains(&cell.as_str());
            device && row.cells.iter().any(word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::texts::lines;

    #[test]
    fn matrices_of_one_text_are_kept_apart() {
        let text =
            "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPIX\tX\n\nLegend:\n  X = Self\n\n GPU0 GPU1\nGPU0 X OK\nGPU1 OK X\n";
        let blocks = blocks(&lines(text), true);
        assert_eq!(blocks.iter().map(Block::is_p2p).collect::<Vec<_>>(), [false, true]);
        assert!(blocks.iter().all(|block| block.rows.len() == 2 && block.strays.is_empty()));
    }

    #[test]
    fn a_row_cut_after_its_name_is_a_row_and_a_line_between_rows_a_stray() {
        let blocks = blocks(&lines("GPU0 GPU1\nGPU0 X PIX\nbroadcast message\nGPU1"), false);
        assert_eq!(blocks.len(), 1);
        assert_eq!(blocks[0].rows.len(), 2);
        assert_eq!(blocks[0].strays[0].number, 3);
        assert!(blocks[0].rows[1].unterminated);
    }
}
