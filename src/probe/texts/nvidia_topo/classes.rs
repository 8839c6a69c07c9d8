use std::collections::BTreeMap;

use crate::{
    facts::{Damage, Fact, LinkClass},
    probe::texts::matrix::{Block, Header, Row},
};

/// The rows of a matrix that can be relied on.
pub(super) struct Classes<'a> {
    /// By device; `Err` says why a device's row gives nothing.
    rows: BTreeMap<String, Result<Cells<'a>, String>>,
    /// Whether every row below the header could be read.
    pub whole: bool,
    /// Whether a row names a device that the header lacks, as when the header was cut.
    pub header_cut: bool,
    file: &'a str,
}

/// One whole row.
pub(super) struct Cells<'a> {
    /// The row.
    pub row: &'a Row,
    /// The class under each device column, `None` under its own.
    pub classes: Vec<Option<LinkClass>>,
    /// The cells under the titles.
    pub rest: &'a [String],
}

impl<'a> Classes<'a> {
    /// Reads every row; those that are damaged, missing, or there twice with different cells are noted.
    pub fn read(block: &'a Block, file: &'a str, damage: &mut Vec<Damage>) -> Self {
        let mut classes = Self { rows: BTreeMap::new(), whole: true, header_cut: false, file };
        for row in &block.rows {
            match cells(row, &block.header) {
                Ok(cells) => classes.add(cells, damage),
                Err(reason) => {
                    classes.whole = false;
                    classes.header_cut |= block.header.column(&row.device).is_none();
                    damage.push(Damage::new(file, row.line.number, &row.line.text, reason.clone()));
                    let reason =
                        format!("{}'s row is damaged in {file}, line {}: {reason}", row.device, row.line.number);
                    classes.rows.entry(row.device.clone()).or_insert(Err(reason));
                }
            }
        }
        classes.note_missing(&block.header, damage);
        classes
    }

    /// The row of a device, or why it gives nothing.
    pub fn row(&self, device: &str) -> Result<&Cells<'a>, String> {
        match self.rows.get(device) {
            Some(Ok(cells)) => Ok(cells),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err(format!("{device}'s row is missing in {}", self.file)),
        }
    }

    /// What the row of `device` says of a column.
    pub fn class(&self, device: &str, column: usize) -> Result<LinkClass, String> {
        let class = self.row(device)?.classes.get(column).copied().flatten();
        class.ok_or_else(|| format!("{} says nothing of {device} to itself", self.file))
    }

    /// What both devices say of each other; `columns` are their columns.
    pub fn agreed(&self, devices: (&str, &str), columns: (usize, usize)) -> Fact<LinkClass> {
        match (self.class(devices.0, columns.1), self.class(devices.1, columns.0)) {
            (Ok(one), Ok(other)) if one == other => Fact::known(one, self.file),
            (Ok(one), Ok(other)) => Fact::Conflict {
                reason: format!("in {} {}'s row says {one}, {}'s row {other}", self.file, devices.0, devices.1),
            },
            (Err(reason), _) | (_, Err(reason)) => Fact::unknown(reason),
        }
    }

    fn add(&mut self, cells: Cells<'a>, damage: &mut Vec<Damage>) {
        let row = cells.row;
        match self.rows.get(&row.device) {
            Some(Ok(first)) if first.row.cells == row.cells => {}
            Some(Ok(first)) => {
                let reason = format!(
                    "{}'s row is there twice, in lines {} and {}",
                    row.device, first.row.line.number, row.line.number
                );
                damage.push(Damage::new(self.file, row.line.number, &row.line.text, reason.clone()));
                self.whole = false;
                self.rows.insert(row.device.clone(), Err(format!("{reason} of {}", self.file)));
            }
            // A row that was damaged elsewhere and is whole here; but one that was whole twice stays refused.
            Some(Err(reason)) if reason.contains("twice") => {}
            _ => {
                self.rows.insert(row.device.clone(), Ok(cells));
            }
        }
    }

    fn note_missing(&mut self, header: &Header, damage: &mut Vec<Damage>) {
        let devices = (0..header.devices()).map(|column| header.device(column));
        let missing: Vec<String> = devices.filter(|device| !self.rows.contains_key(device)).collect();
        if !missing.is_empty() {
            let reason = format!("no rows for {}", missing.join(", "));
            damage.push(Damage::new(self.file, header.line.number, &header.line.text, reason));
        }
    }
}

fn cells<'a>(row: &'a Row, header: &Header) -> Result<Cells<'a>, String> {
    let devices = row.read(header, |cell| cell.parse().ok().filter(|class| in_topo(*class)))?;
    // The text ends in this cell: NV1 may be what is left of NV18.
    let last = devices.cells.last().copied().flatten();
    if row.unterminated && devices.rest.is_empty() && last.is_some_and(may_be_cut) {
        return Err("the text ends in this row's last cell".to_owned());
    }
    Ok(Cells { row, classes: devices.cells, rest: devices.rest })
}

/// Whether nvidia-smi prints it.
const fn in_topo(class: LinkClass) -> bool {
    !matches!(class, LinkClass::Xgmi | LinkClass::Pcie)
}

const fn may_be_cut(class: LinkClass) -> bool {
    matches!(class, LinkClass::NvLink(count) if count < 10)
}
