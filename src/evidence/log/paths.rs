//! The library's own matrix of paths: `GPU/0-1a000 :GPU/0-1a000 (0/5000.0/LOC) GPU/0-2b000 (2/370.8/NVL) ..`.

use std::collections::{BTreeMap, BTreeSet};

use super::{super::GpuPath, scan::Scan};

/// More rows than this of one host, and more hosts, are not kept.
const MOST: usize = 1_024;

/// The paths seen so far.
#[derive(Debug, Default)]
pub(super) struct Paths {
    cells: BTreeSet<GpuPath>,
    /// Rows by host: every rank of a host prints them all.
    rows: BTreeMap<String, BTreeSet<String>>,
}

impl Paths {
    /// A row; `None` where it is cut or no row.
    pub(super) fn row(&mut self, message: &str, host: Option<&str>) -> Option<()> {
        let rows = self.rows.get(host.unwrap_or_default());
        if rows.is_some_and(|rows| rows.contains(message)) {
            return Some(());
        }
        if self.rows.len() >= MOST || rows.is_some_and(|rows| rows.len() >= MOST) {
            return Some(());
        }
        self.rows.entry(host.unwrap_or_default().to_owned()).or_default().insert(message.to_owned());
        let mut scan = Scan(message);
        let from = address(&mut scan)?;
        scan.skip(" :")?;
        let mut cells = scan.0.split_ascii_whitespace();
        while let Some(to) = cells.next() {
            let class = cells.next()?.strip_suffix(')')?.rsplit_once('/')?.1;
            if let Some(to) = address(&mut Scan(to)).filter(|to| *to != from) {
                self.cells.insert(GpuPath {
                    host: host.map(str::to_owned),
                    from: from.to_ascii_lowercase(),
                    to: to.to_ascii_lowercase(),
                    class: class.to_owned(),
                });
            }
        }
        Some(())
    }

    pub(super) fn into_set(self) -> BTreeSet<GpuPath> {
        self.cells
    }
}

/// `GPU/0-1a000`, and `GPU/1A000` of old versions: the address without the number of the system.
fn address<'a>(scan: &mut Scan<'a>) -> Option<&'a str> {
    scan.skip("GPU/")?;
    let first = scan.take(|byte| byte.is_ascii_hexdigit());
    let address = if scan.skip_if("-") { scan.take(|byte| byte.is_ascii_hexdigit()) } else { first };
    (!address.is_empty()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(from: &str, to: &str, class: &str) -> GpuPath {
        GpuPath { host: Some("gpu-1".into()), from: from.into(), to: to.into(), class: class.into() }
    }

    #[test]
    fn cells_of_two_gpus_in_both_forms() {
        for row in [
            "GPU/0-1a000 :GPU/0-1a000 (0/5000.0/LOC) GPU/0-2b000 (2/370.8/NVL) NVS/0-0 (1/370.8/NVL) CPU/0-0 (3/24.0/PHB)",
            "GPU/1A000 :GPU/1A000 (0/5000.000000/LOC) GPU/2B000 (2/370.8/NVL) CPU/0 (3/24.0/PHB) ",
        ] {
            let mut paths = Paths::default();
            assert_eq!(paths.row(row, Some("gpu-1")), Some(()), "{row}");
            assert_eq!(paths.row(row, Some("gpu-1")), Some(()), "{row}");
            assert_eq!(paths.into_set(), [path("1a000", "2b000", "NVL")].into(), "{row}");
        }
    }

    #[test]
    fn a_cut_cell_is_none() {
        let mut paths = Paths::default();
        assert_eq!(paths.row("GPU/0-60 :GPU/0-70 (2/370.8/PIX) GPU/0-80 (2/370.8/P", Some("gpu-1")), None);
        assert_eq!(paths.into_set(), [path("60", "70", "PIX")].into());
    }
}
