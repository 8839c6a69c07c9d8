use super::Header;
use crate::probe::texts::Line;

/// A line below a header that begins with a device's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::probe::texts) struct Row {
    /// The line it stands on.
    pub line: Line,
    /// The device.
    pub device: String,
    /// Everything after the name. Where the row has TABs these separate the cells, and cells may be empty; else
    /// blanks do.
    pub cells: Vec<String>,
    /// Whether TABs separate the cells.
    pub tabbed: bool,
    /// Whether the text ends in this line, so that its last cell may be cut.
    pub unterminated: bool,
}

impl Row {
    /// Splits a line. `unterminated` says that the text ends in it without a line end.
    pub fn split(line: &Line, unterminated: bool) -> Option<Self> {
        let text = line.text.trim_start().trim_end_matches(' ');
        let by_words = || text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let by_tabs = || text.split('\t').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        let device = text.split_whitespace().next()?;
        let tabbed = text.split('\t').next() == Some(device) && text.contains('\t');
        let mut cells = if tabbed { by_tabs() } else { by_words() };
        cells.remove(0);
        Some(Self { line: line.clone(), device: device.to_owned(), cells, tabbed, unterminated })
    }

    /// The cells under the devices, `None` under the row's own, and after them those under the titles.
    ///
    /// A row with a cell too few, one too many, or a word that no cell can hold is refused as a whole: which of its
    /// cells stand under their own column cannot be told. `read` reads one cell.
    pub fn read<T>(&self, header: &Header, read: impl Fn(&str) -> Option<T>) -> Result<Devices<'_, T>, String> {
        let own = header.column(&self.device).ok_or("the header has no such device")?;
        let columns = header.devices();
        let mut cells = Vec::with_capacity(columns);
        for column in 0..columns {
            let Some(cell) = self.cells.get(column) else {
                return Err(format!("{} of {columns} cells", self.cells.len()));
            };
            let wrong = || format!("{cell:?} in the place of {}", header.device(column));
            match (column == own, cell == SELF) {
                (true, true) => cells.push(None),
                (false, false) => cells.push(Some(read(cell).ok_or_else(wrong)?)),
                _ => return Err(wrong()),
            }
        }
        let rest = self.cells.get(columns..).unwrap_or_default();
        if let Some(cell) = rest.iter().find(|cell| *cell == SELF || read(cell).is_some()) {
            return Err(format!("{cell:?} after the last device"));
        }
        Ok(Devices { cells, rest })
    }
}

/// A device to itself.
const SELF: &str = "X";

/// The cells of a whole row.
pub(in crate::probe::texts) struct Devices<'a, T> {
    /// One for each device column, `None` under the row's own.
    pub cells: Vec<Option<T>>,
    /// The cells after them.
    pub rest: &'a [String],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::LinkClass;

    fn line(text: &str) -> Line {
        Line { number: 2, text: text.into() }
    }

    fn read(row: &str) -> Result<usize, String> {
        let header = Header::read(&line("GPU0 GPU1 GPU2 CPU Affinity")).unwrap();
        let row = Row::split(&line(row), false).unwrap();
        row.read(&header, |cell| cell.parse::<LinkClass>().ok()).map(|devices| devices.rest.len())
    }

    #[test]
    fn whole_rows() {
        assert_eq!(read("GPU1\tNV4\t X \tSYS\t0-7"), Ok(1));
        assert_eq!(read("   GPU2  SYS SYS  X"), Ok(0));
        assert_eq!(read("\tGPU0 X NV4 SYS 0-7"), Ok(1));
    }

    #[test]
    fn nothing_is_shifted() {
        for row in [
            "GPU0\tX\tNV4\t0-7",
            "GPU0 X NV4 0-7",
            "GPU0 X NV4SYS 0-7",
            "GPU0\tX\t\tSYS\t0-7",
            "GPU0 NV4 X SYS 0-7",
            "GPU0 X NV4 SYS PIX 0-7",
            "GPU0 X NV4 SY",
            "GPU0",
            "GPU7 X NV4 SYS",
        ] {
            assert!(read(row).is_err(), "{row}");
        }
    }
}
