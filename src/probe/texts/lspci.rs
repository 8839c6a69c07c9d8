//! `lspci -vvv`: PCI bridges with their ACS control, and the PCIe links of the devices below them.

mod block;
mod complete;
mod device;

use self::block::{Listing, listing};
use super::lines;
use crate::facts::{Damage, Fact, Facts};

/// Reads the output of `lspci -vvv`. `file` is its name in the folder.
///
/// Without root's rights lspci cannot read capabilities, and the ACS control of those bridges is unknown. Bridges of a
/// listing that may lack some are kept apart, as seen.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let lines = lines(text);
    let listing = listing(&lines, text);
    if listing.blocks.is_empty() {
        let damage = nothing(&listing, file);
        let reason = damage.to_string();
        facts.damage.push(damage);
        return note_unknown(&reason, facts);
    }
    let gap = complete::gap(&listing, file, &mut facts.damage);
    let (bridges, devices): (Vec<_>, Vec<_>) = listing.blocks.iter().partition(|block| block.is_bridge());
    let host = &mut facts.host;
    match gap {
        None => {
            let bridges = bridges.iter().map(|block| block.bridge()).collect();
            let devices = devices.iter().map(|block| block.device()).collect();
            host.bridges.merge_list(Fact::known(bridges, file));
            host.pci_devices.merge_list(Fact::known(devices, file));
        }
        Some(reason) => {
            let whole = bridges.iter().filter(|block| block.stray.is_none());
            host.bridges_seen.extend(whole.map(|block| block.bridge()));
            note_unknown(&reason, facts);
        }
    }
}

/// Why there is no device at all: the shell's message, or lines that a search picked out of a listing.
fn nothing(listing: &Listing<'_>, file: &str) -> Damage {
    match listing.orphans.first() {
        None => Damage::of_file(file, "is empty"),
        Some(line) if line.text.contains("ACSCtl:") => {
            Damage::new(file, line.number, &line.text, "no device: an ACS control without its bridge says nothing")
        }
        Some(line) => Damage::new(file, line.number, &line.text, "no PCI device in this text"),
    }
}

fn note_unknown(reason: &str, facts: &mut Facts) {
    facts.host.bridges.merge_list(Fact::unknown(reason));
    facts.host.pci_devices.merge_list(Fact::unknown(reason));
}

#[cfg(test)]
mod tests;
