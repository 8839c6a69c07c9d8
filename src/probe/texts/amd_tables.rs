//! Tables with a title, a header of GPUs and a row for each GPU, as amd-smi and rocm-smi print them.

use super::Line;
use super::amd_links::{Links, Status, write};
use super::rdma_words::plain;
use crate::facts::{Damage, Fact, Facts};

/// How a tool writes its tables.
pub(super) struct Shape {
    /// A GPU's label in headers and rows, in one spelling.
    pub(super) label: fn(&str) -> Option<String>,
    /// Whether a label may stand in a column (from 0): a column's place is its GPU's index.
    pub(super) in_place: fn(&str, usize) -> bool,
    /// A table's title.
    pub(super) title: fn(&str) -> Option<Cells>,
    /// Whether the tool has a table that tells which links work.
    pub(super) tells_status: bool,
}

/// What the tables that are read here say of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cells {
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

/// Tables while they are read.
pub(super) struct Tables<'a> {
    shape: &'static Shape,
    file: &'a str,
    facts: &'a mut Facts,
    /// The addresses of the first header, in the order of the GPUs' indices.
    gpus: Vec<String>,
    table: Table,
    links: Links,
    /// Whether a table had all its rows.
    whole: bool,
    damaged: bool,
    in_damage: bool,
}

impl<'a> Tables<'a> {
    pub(super) fn new(shape: &'static Shape, file: &'a str, facts: &'a mut Facts) -> Self {
        Self {
            shape,
            file,
            facts,
            gpus: Vec::new(),
            table: Table::None,
            links: Links::new(),
            whole: false,
            damaged: false,
            in_damage: false,
        }
    }

    /// Whether the legend has begun: nothing after it is part of a table.
    pub(super) fn in_legend(&self) -> bool {
        self.table == Table::Legend
    }

    pub(super) fn damage(&mut self, line: &Line, reason: &str) {
        // A run of lines that are no table is one damage.
        if !self.in_damage {
            self.facts.damage.push(Damage::new(self.file, line.number, &line.text, reason));
        }
        self.table = Table::None;
        (self.damaged, self.in_damage) = (true, true);
    }

    pub(super) fn line(&mut self, line: &Line) {
        let text = line.text.trim();
        let words: Vec<&str> = text.split_whitespace().collect();
        let addresses: Option<Vec<String>> = words.iter().map(|word| (self.shape.label)(word)).collect();
        let first = words.first().and_then(|word| (self.shape.label)(word));
        match (self.table, addresses, first) {
            (Table::Legend, ..) => {}
            (Table::Titled(cells), Some(header), _) if header.len() > 1 => self.header(line, cells, header),
            (Table::Rows(cells, at), _, Some(address)) => self.row(line, cells, at, &address, &words[1..]),
            _ if text.starts_with("Legend") => self.table = Table::Legend,
            _ => match (self.shape.title)(text) {
                Some(cells) => {
                    self.end_table(line);
                    (self.table, self.in_damage) = (Table::Titled(cells), false);
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
        if !header.iter().enumerate().all(|(at, label)| (self.shape.in_place)(label, at)) {
            return self.damage(line, "the columns are not GPU 0, 1 and so on");
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
            self.in_damage = false;
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
    pub(super) fn end_table(&mut self, line: &Line) {
        match self.table {
            Table::Rows(_, rows) if rows == self.gpus.len() => self.whole = true,
            Table::Rows(..) => self.damage(line, "rows of the table before it are missing"),
            Table::Titled(_) | Table::None => {}
            Table::Legend => return,
        }
        self.table = Table::None;
    }

    /// Writes the facts; gives the GPUs' labels in the order of their indices.
    pub(super) fn end(mut self) -> Vec<String> {
        if let Table::Rows(_, rows) = self.table {
            self.whole |= rows == self.gpus.len();
            self.damaged |= rows != self.gpus.len();
        }
        if !self.shape.tells_status {
            self.links.values_mut().for_each(|link| link.status = Status::Untold);
        }
        write(&self.links, self.file, self.facts);
        let count = match u32::try_from(self.gpus.len()) {
            Ok(count) if self.whole && !self.damaged => Fact::known(count, self.file),
            _ => Fact::unknown(format!("{} holds no table of links that is whole", self.file)),
        };
        self.facts.gpu_count.merge(count);
        self.gpus
    }
}
