//! `amd-smi topology`: tables such as `LINK TYPE TABLE:`, rows and columns headed by the GPUs' PCI addresses.

use super::amd_tables::{Cells, Shape, Tables};
use super::listing::{cut_line, is_frame};
use super::{lines, pci_address::PciAddress};
use crate::facts::{Fact, Facts};

const SHAPE: Shape = Shape { label: PciAddress::spell, in_place: |_, _| true, title, tells_status: true };

/// Reads it.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let cut = cut_line(text);
    let mut tables = Tables::new(&SHAPE, file, facts);
    for line in lines(text) {
        if is_frame(&line.text, "amd-smi") {
            tables.end_table(&line);
        } else if cut == Some(line.number) && !tables.in_legend() {
            tables.damage(&line, "the file ends within this line");
        } else {
            tables.line(&line);
        }
    }
    for (index, address) in (0..).zip(tables.end()) {
        facts.gpu_mut(index).pci_address.merge(Fact::known(address, file));
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
