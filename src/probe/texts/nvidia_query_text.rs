//! `nvidia-smi -q`.

use super::{
    Line, lines,
    nvidia_message::{note_lost_gpus, note_nothing},
    nvidia_query::{Block, Listing, Values},
    pci_address::PciAddress,
};
use crate::facts::Facts;

/// The values that give facts lie no deeper, and their paths are no longer.
const DEEPEST: usize = 5;
const LONGEST: usize = 200;

/// Reads the output of `nvidia-smi -q`, also of `-d` with some of its sections. `file` is its name in the folder.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let lines = lines(text);
    note_lost_gpus(&lines, file, facts);
    if !lines.iter().any(|line| line.text.contains("NVSMI LOG") || gpu_address(&line.text).is_some()) {
        note_nothing(&lines, file, "nvidia-smi -q listing", facts);
        return;
    }
    let mut listing = Listing::default();
    let mut path = Path::default();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.text.trim().is_empty()) {
        if let Some(address) = gpu_address(&line.text) {
            let address = address.to_owned();
            listing.gpus.push(Block { address, values: Values::default() });
            path = Path::default();
            continue;
        }
        let doubt = (at + 1 == lines.len() && !text.ends_with('\n')).then_some("the text ends in this line");
        let values = listing.gpus.last_mut().map_or(&mut listing.head, |block| &mut block.values);
        if let Some((path, value)) = path.entry(line) {
            values.add(path, value, line.number, doubt);
        }
    }
    listing.add(file, facts);
}

/// The address in `GPU 00000000:07:00.0`, a line of its own.
fn gpu_address(line: &str) -> Option<&str> {
    let address = line.trim().strip_prefix("GPU ")?;
    PciAddress::read(address).map(|_| address)
}

/// The headings that the lines read last stand under, with their indents.
#[derive(Default)]
struct Path(Vec<(usize, String)>);

impl Path {
    /// Moves to a line; its path and value, if it has one.
    fn entry<'a>(&mut self, line: &'a Line) -> Option<(String, &'a str)> {
        let indent = line.text.len() - line.text.trim_start().len();
        while self.0.last().is_some_and(|(above, _)| *above >= indent) {
            self.0.pop();
        }
        let text = line.text.trim();
        let (name, value) = match text.split_once(": ").or_else(|| text.strip_suffix(':').map(|name| (name, ""))) {
            Some((name, value)) => (name.trim(), value.trim()),
            None => (text, ""),
        };
        self.0.push((indent, name.to_ascii_lowercase()));
        let long = self.0.iter().take(DEEPEST).map(|(_, name)| name.len()).sum::<usize>() > LONGEST;
        if value.is_empty() || long || self.0.len() > DEEPEST {
            return None;
        }
        let names: Vec<&str> = self.0.iter().map(|(_, name)| name.as_str()).collect();
        Some((names.join("/"), value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::facts::{FabricState, Origin, Switch};

    const FILE: &str = "nvidia-smi-q.txt";

    fn reads(text: &str) -> Facts {
        let mut facts = Facts::new(Origin::Live);
        read(text, FILE, &mut facts);
        facts
    }

    const ONE: &str = "
==============NVSMI LOG==============

Timestamp                                 : Thu Jan  1 10:00:00 2026
Driver Version                            : 550.54.15
CUDA Version                              : 12.4

Attached GPUs                             : 1
GPU 00000000:0F:00.0
    Product Name                          : NVIDIA A100-SXM4-40GB
    Persistence Mode                      : Disabled
    MIG Mode
        Current                           : Enabled
        Pending                           : Disabled
    Serial Number                         : 99
    GPU UUID                              : GPU-bb
    VBIOS Version                         : 92.00.36.00.0a
    PCI
        GPU Link Info
            PCIe Generation
                Max                       : 4
                Current                   : 4
                Device Current            : 4
                Device Max                : 4
                Host Max                  : 5
            Link Width
                Max                       : 16x
                Current                   : 16x
        Replays Since Reset               : 0
    Clocks Throttle Reasons
        Idle                              : Not Active
        SW Power Cap                      : Not Active
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Active
            HW Power Brake Slowdown       : Not Active
        SW Thermal Slowdown               : Not Active
    Clocks Event Reasons Counters
        SW Power Capping                  : 0 us
    FB Memory Usage
        Total                             : 40960 MiB
        Used                              : 0 MiB
    BAR1 Memory Usage
        Total                             : 65536 MiB
    Ecc Mode
        Current                           : Enabled
    ECC Errors
        Volatile
            SRAM Correctable              : 0
            SRAM Uncorrectable            : 1
            DRAM Correctable              : 2
            DRAM Uncorrectable            : 4
        Aggregate
            Single Bit
                Device Memory             : 5
                Total                     : 6
            Double Bit
                Total                     : N/A
    Remapped Rows                         : N/A
    Fabric
        State                             : In Progress
        Status                            : N/A
";

    #[test]
    fn one_gpu_in_full() {
        let facts = reads(ONE);
        assert!(facts.damage.is_empty(), "{:?}", facts.damage);
        assert_eq!(facts.gpu_count.value(), Some(&1));
        assert_eq!(facts.driver.value().unwrap(), "550.54.15");
        let gpu = facts.gpu(0).unwrap();
        assert_eq!(gpu.pci_address.value().unwrap(), "0000:0f:00.0");
        assert_eq!(gpu.uuid.value().unwrap(), "GPU-bb");
        assert_eq!(gpu.vbios.value().unwrap(), "92.00.36.00.0A");
        assert_eq!(gpu.memory.value().unwrap().to_string(), "40G");
        assert_eq!((gpu.mig.value(), gpu.persistence.value()), (Some(&Switch::On), Some(&Switch::Off)));
        assert_eq!(gpu.pcie.generation_max.value(), Some(&4));
        assert_eq!((gpu.pcie.width.value(), gpu.pcie.replays.value()), (Some(&16), Some(&0)));
        assert_eq!(gpu.throttle_reasons.value().unwrap(), &["hw-slowdown", "hw-thermal-slowdown"]);
        assert_eq!(gpu.ecc.value(), Some(&Switch::On));
        assert_eq!((gpu.ecc_volatile.corrected.value(), gpu.ecc_volatile.uncorrected.value()), (Some(&2), Some(&5)));
        assert_eq!(gpu.ecc_aggregate.corrected.value(), Some(&6));
        assert_eq!(gpu.ecc_aggregate.uncorrected.reason(), Some("N/A in nvidia-smi-q.txt"));
        assert_eq!(gpu.remapped_rows.pending.reason(), Some("N/A in nvidia-smi-q.txt"));
        assert_eq!(gpu.fabric_state.value(), Some(&FabricState::InProgress));
    }

    #[test]
    fn an_indented_paste_reads_the_same() {
        let indented: String = ONE.lines().map(|line| format!("    {line}\n")).collect();
        assert_eq!(reads(&indented), reads(ONE));
    }

    #[test]
    fn a_value_that_the_end_cuts_is_unknown() {
        let at = ONE.find("Total                     : 6").unwrap() + "Total                     : 6".len();
        let facts = reads(&ONE[..at]);
        assert_eq!(facts.gpu(0).unwrap().ecc_aggregate.corrected.value(), None);
        assert_eq!(facts.damage.len(), 1);
        assert_eq!(facts.gpu(0).unwrap().ecc_volatile.uncorrected.value(), Some(&5));
    }

    #[test]
    fn a_listing_without_all_gpus_gives_none() {
        let facts = reads(&ONE.replace(": 1\nGPU", ": 2\nGPU"));
        assert!(facts.gpus.is_empty() && facts.gpu_count.value().is_none());
        assert_eq!(facts.damage.len(), 1);
        let tail = &ONE[ONE.find("GPU 0000").unwrap()..];
        assert!(reads(tail).gpus.is_empty());
    }

    #[test]
    fn two_listings_in_one_text_are_not_joined() {
        let facts = reads(&format!("{ONE}{ONE}"));
        assert!(facts.gpus.is_empty());
    }

    #[test]
    fn the_plain_table_of_nvidia_smi_is_no_listing() {
        let text = "+----+\n| NVIDIA-SMI 550.54.15   Driver Version: 550.54.15   CUDA Version: 12.4 |\n\
            |   0  NVIDIA A100   Off |   00000000:0F:00.0 Off |   0 |\n";
        let facts = reads(text);
        assert!(facts.gpus.is_empty() && facts.driver.value().is_none());
        assert_eq!(facts.damage.len(), 1);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            reads(&text);
        }

        #[test]
        fn a_cut_listing_says_nothing_else(cut in 0..ONE.len()) {
            let (whole, cut) = (reads(ONE), reads(&ONE[..cut]));
            if let Some(gpu) = cut.gpu(0) {
                let same = whole.gpu(0).unwrap();
                for (part, all) in [
                    (&gpu.ecc_volatile.corrected, &same.ecc_volatile.corrected),
                    (&gpu.ecc_volatile.uncorrected, &same.ecc_volatile.uncorrected),
                    (&gpu.ecc_aggregate.corrected, &same.ecc_aggregate.corrected),
                    (&gpu.pcie.replays, &same.pcie.replays),
                ] {
                    prop_assert!(part.value().is_none() || part.value() == all.value());
                }
                prop_assert!(gpu.vbios.value().is_none() || gpu.vbios == same.vbios);
                prop_assert!(gpu.throttle_reasons.value().is_none() || gpu.throttle_reasons == same.throttle_reasons);
            }
        }
    }
}
