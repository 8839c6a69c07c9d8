//! `amd-smi topology`: tables such as `LINK TYPE TABLE:`, rows and columns headed by the GPUs' PCI addresses.

use super::amd_links::{Links, Status, write};
use super::listing::{cut_line, is_frame};
use super::pci_address::full;
use super::rdma_words::plain;
use super::{Line, lines};
use crate::facts::{Damage, Fact, Facts};

/// Reads it.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let cut = cut_line(text);
    let mut reader =
        Reader { file, facts, gpus: Vec::new(), table: Table::None, links: Links::new(), whole: false, damaged: false };
    for line in lines(text) {
        if is_frame(&line.text, "amd-smi") {
            reader.end_table(&line);
        } else if cut == Some(line.number) && !matches!(reader.table, Table::Legend) {
            reader.damage(&line, "the file ends within this line");
        } else {
            reader.line(&line);
        }
    }
    reader.end();
}

/// What the tables that are read here say of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cells {
    Access,
    Weight,
    Hops,
    Kind,
    Other,
}

/// Where the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    None,
    /// After a title: the header comes.
    Titled(Cells),
    /// In the rows; the number of those read.
    Rows(Cells, usize),
    /// After the tables.
    Legend,
}

struct Reader<'a> {
    file: &'a str,
    facts: &'a mut Facts,
    /// The addresses of the first header, in the order of the GPUs' indices.
    gpus: Vec<String>,
    table: Table,
    links: Links,
    /// Whether a table had all its rows.
    whole: bool,
    damaged: bool,
}

impl Reader<'_> {
    fn damage(&mut self, line: &Line, reason: &str) {
        self.table = Table::None;
        self.damaged = true;
        self.facts.damage.push(Damage::new(self.file, line.number, &line.text, reason));
    }

    fn line(&mut self, line: &Line) {
        let text = line.text.trim();
        let words: Vec<&str> = text.split_whitespace().collect();
        let addresses: Option<Vec<String>> = words.iter().map(|word| full(word)).collect();
        let first = words.first().and_then(|word| full(word));
        match (self.table, addresses, first) {
            (Table::Legend, ..) => {}
            (Table::Titled(cells), Some(header), _) if header.len() > 1 => self.header(line, cells, header),
            (Table::Rows(cells, at), _, Some(address)) => self.row(line, cells, at, &address, &words[1..]),
            _ if text.starts_with("Legend") => self.table = Table::Legend,
            _ => match title(text) {
                Some(cells) => {
                    self.end_table(line);
                    self.table = Table::Titled(cells);
                }
                None => self.damage(line, "not part of a table with a title and a header"),
            },
        }
    }

    fn header(&mut self, line: &Line, cells: Cells, header: Vec<String>) {
        let mut sorted = header.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() != header.len() {
            return self.damage(line, "a GPU is there twice");
        }
        if self.gpus.is_empty() {
            self.gpus = header;
        } else if self.gpus != header {
            return self.damage(line, "other GPUs than in the tables before it");
        }
        self.table = Table::Rows(cells, 0);
    }

    fn row(&mut self, line: &Line, cells: Cells, at: usize, address: &str, words: &[&str]) {
        if self.gpus.get(at).map(String::as_str) != Some(address) {
            return self.damage(line, "rows before it are missing");
        }
        if words.len() != self.gpus.len() {
            // The row gives nothing, those after it are whole.
            self.damage(line, "not as many cells as the header has GPUs");
            self.table = Table::Rows(cells, at + 1);
            return;
        }
        self.table = Table::Rows(cells, at + 1);
        for (from, to, word) in (0..).zip(words).map(|(to, word)| (at, to, *word)) {
            let Ok(from) = u32::try_from(from) else { return };
            if from != to {
                let link = self.links.entry((from, to)).or_default();
                match cells {
                    Cells::Access => link.status = Status::Told(word.to_owned()),
                    Cells::Weight => link.weight = plain(word),
                    Cells::Hops => link.hops = plain(word),
                    Cells::Kind => link.kind = Some(word.to_owned()),
                    Cells::Other => {}
                }
            }
        }
    }

    /// A table ends with a blank line, with the next title, or with the text.
    fn end_table(&mut self, line: &Line) {
        match self.table {
            Table::Rows(_, rows) if rows == self.gpus.len() => self.whole = true,
            Table::Rows(..) => self.damage(line, "rows of the table before it are missing"),
            Table::Titled(_) | Table::None => {}
            Table::Legend => return,
        }
        self.table = Table::None;
    }

    fn end(mut self) {
        if let Table::Rows(_, rows) = self.table {
            self.whole |= rows == self.gpus.len();
            self.damaged |= rows != self.gpus.len();
        }
        for (index, address) in (0..).zip(&self.gpus) {
            self.facts.gpu_mut(index).pci_address.merge(Fact::known(address.clone(), self.file));
        }
        write(&self.links, self.file, self.facts);
        let count = match u32::try_from(self.gpus.len()) {
            Ok(count) if self.whole && !self.damaged => Fact::known(count, self.file),
            _ => Fact::unknown(format!("{} holds no table that is whole", self.file)),
        };
        self.facts.gpu_count.merge(count);
    }
}

fn title(text: &str) -> Option<Cells> {
    match text.strip_suffix(':').unwrap_or(text) {
        "ACCESS TABLE" => Some(Cells::Access),
        "WEIGHT TABLE" => Some(Cells::Weight),
        "HOPS TABLE" => Some(Cells::Hops),
        "LINK TYPE TABLE" => Some(Cells::Kind),
        other => other.ends_with(" TABLE").then_some(Cells::Other),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_only_less, damaged, facts};
    use super::*;
    use crate::facts::LinkClass;

    const THREE: &str = "ACCESS TABLE:\n\
        \x20            0000:0c:00.0 0000:22:00.0 0000:38:00.0\n\
        0000:0c:00.0 ENABLED      ENABLED      ENABLED\n\
        0000:22:00.0 ENABLED      ENABLED      DISABLED\n\
        0000:38:00.0 ENABLED      DISABLED     ENABLED\n\n\
        WEIGHT TABLE:\n\
        \x20            0000:0c:00.0 0000:22:00.0 0000:38:00.0\n\
        0000:0c:00.0 0            15           40\n\
        0000:22:00.0 15           0            15\n\
        0000:38:00.0 40           15           0\n\n\
        HOPS TABLE:\n\
        \x20            0000:0c:00.0 0000:22:00.0 0000:38:00.0\n\
        0000:0c:00.0 0            1            2\n\
        0000:22:00.0 1            0            1\n\
        0000:38:00.0 2            1            0\n\n\
        LINK TYPE TABLE:\n\
        \x20            0000:0c:00.0 0000:22:00.0 0000:38:00.0\n\
        0000:0c:00.0 SELF         XGMI         PCIE\n\
        0000:22:00.0 XGMI         SELF         XGMI\n\
        0000:38:00.0 PCIE         XGMI         SELF\n\n\
        NUMA BW TABLE:\n\
        \x20            0000:0c:00.0 0000:22:00.0 0000:38:00.0\n\
        0000:0c:00.0 N/A          50000-50000  N/A\n\
        0000:22:00.0 50000-50000  N/A          50000-50000\n\
        0000:38:00.0 N/A          50000-50000  N/A\n\n\
        Legend:\n SELF = Current GPU\n N/A = Not supported\n";

    #[test]
    fn three_gpus() {
        let read = facts(read, THREE);
        assert_eq!(read.damage, []);
        assert_eq!(read.gpu_count.value(), Some(&3));
        assert_eq!(read.gpu(2).unwrap().pci_address.value().map(String::as_str), Some("0000:38:00.0"));
        let near = read.pair(0, 1).unwrap();
        assert_eq!((near.class.value(), near.weight.value()), (Some(&LinkClass::Xgmi), Some(&15)));
        let far = read.pair(0, 2).unwrap();
        assert_eq!((far.class.value(), far.hops.value()), (Some(&LinkClass::Pcie), Some(&2)));
        assert_eq!(read.pair(1, 2).unwrap().class.reason(), Some("file: GPU 1 to GPU 2: the XGMI link is DISABLED"));
    }

    #[test]
    fn without_types() {
        let text = &THREE[..THREE.find("LINK TYPE").unwrap()];
        let read = facts(read, text);
        assert_eq!(read.pair(0, 1).unwrap().class.reason(), Some("file: GPU 0 to GPU 1: link type not shown"));
        assert_eq!((read.pair(0, 1).unwrap().weight.value(), read.gpu_count.value()), (Some(&15), Some(&3)));
    }

    #[test]
    fn a_row_that_lost_a_cell() {
        let read = facts(read, &THREE.replace("XGMI         PCIE\n", "XGMI\n"));
        assert_eq!(read.damage.len(), 1);
        assert_eq!(read.pair(0, 1).unwrap().class.value(), None);
        assert_eq!(read.pair(0, 1).unwrap().weight.value(), Some(&15));
        assert_eq!(read.gpu_count.value(), None);
    }

    #[test]
    fn a_title_that_is_lost() {
        let read = facts(read, &THREE.replace("HOPS TABLE:\n", ""));
        assert_eq!(read.pair(0, 1).unwrap().hops.value(), None);
        assert_eq!(read.pair(0, 1).unwrap().class.value(), Some(&LinkClass::Xgmi));
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(THREE)) {
            assert_only_less(&facts(read, THREE), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in "(?s)(HOPS TABLE:\n|0000:0c:00.0 |0000:22:00.0 |\n|1 |.){0,40}") {
            facts(read, &text);
        }
    }
}
