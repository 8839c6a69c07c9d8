//! What nvidia-smi prints in place of an answer, and the GPUs that it names but cannot reach.

use super::{Line, pci_address::PciAddress};
use crate::facts::{Damage, Facts, LostGpu};

/// Openings of nvidia-smi's own error messages (and of the shell's, when there is no nvidia-smi).
const MESSAGES: [&str; 9] = [
    "NVIDIA-SMI has failed",
    "Failed to initialize NVML",
    "NVML:",
    "Option \"",
    "Unable to determine the device handle",
    "No devices were found",
    "Invalid combination of input arguments",
    "command not found",
    "Unknown Error",
];

/// A text that names more lost GPUs than any machine has is not read further for them.
const MOST_LOST: usize = 64;

/// Adds the GPUs that the tool says it has lost, each with the line that says so as damage.
pub(super) fn note_lost_gpus(lines: &[Line], file: &str, facts: &mut Facts) {
    for line in lines {
        if let Some(address) = lost_address(&line.text) {
            add_lost_gpu(address, line.number, line.text.trim(), file, facts);
        }
    }
}

/// Adds one lost GPU, unless the same source has named it already.
pub(super) fn add_lost_gpu(address: &str, line: usize, quote: &str, file: &str, facts: &mut Facts) {
    facts.damage.push(Damage::new(file, line, quote, format!("the GPU at {address} cannot be reached")));
    let named = || facts.lost_gpus.iter().any(|lost| lost.pci_address == address && lost.source == file);
    if facts.lost_gpus.len() < MOST_LOST && !named() {
        let quote = quote.to_owned();
        facts.lost_gpus.push(LostGpu { pci_address: address.to_owned(), source: file.to_owned(), quote });
    }
}

/// Notes that the text holds no `expected`: the line that says why where there is one, else the first with any text.
pub(super) fn note_nothing(lines: &[Line], file: &str, expected: &str, facts: &mut Facts) {
    let message = lines.iter().find(|line| MESSAGES.iter().any(|message| line.text.contains(message)));
    let told = message.or_else(|| lines.iter().find(|line| !line.text.trim().is_empty()));
    facts.damage.push(match told {
        None => Damage::of_file(file, "is empty"),
        Some(line) => Damage::new(file, line.number, &line.text, format!("no {expected} in this text")),
    });
}

/// The PCI address in a line that says that a GPU cannot be reached.
fn lost_address(line: &str) -> Option<&str> {
    let lost = line.contains("Unable to determine the device handle")
        || line.contains("GPU is lost")
        || (line.trim_start().starts_with("GPU") && line.contains("Unknown Error"));
    lost.then(|| PciAddress::find(line)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_lost_gpu() {
        for (line, address) in [
            ("Unable to determine the device handle for GPU0000:07:00.0: Unknown Error", "0000:07:00.0"),
            ("Unable to determine the device handle for GPU1: 0000:C3:00.0: Unknown Error", "0000:C3:00.0"),
            ("GPU 0000:0B:00.0: Unknown Error", "0000:0B:00.0"),
            (
                "Unable to determine the device handle for GPU 00000000:1A:00.0: GPU is lost.  Reboot",
                "00000000:1A:00.0",
            ),
        ] {
            assert_eq!(lost_address(line), Some(address), "{line}");
        }
        for line in ["GPU is lost", "GPU 0000:0B:00.0: fine", "Unknown Error at 0000:0B:00.0", "GPU is lost é:00:00.0"]
        {
            assert_eq!(lost_address(line), None, "{line}");
        }
    }
}
