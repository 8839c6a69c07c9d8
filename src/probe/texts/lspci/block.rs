use crate::probe::texts::{Line, pci_address::PciAddress};

/// What `lspci -vvv` prints of one device.
#[derive(Debug)]
pub(super) struct Block<'a> {
    /// The line that begins it.
    pub header: &'a Line,
    /// The address in that line.
    pub address: PciAddress,
    /// The rest of that line: class and name.
    pub description: &'a str,
    /// The lines below it, without blanks at their ends.
    pub details: Vec<&'a str>,
    /// A line among them that lspci does not write.
    pub stray: Option<&'a Line>,
}

/// A listing taken apart.
#[derive(Debug, Default)]
pub(super) struct Listing<'a> {
    /// Device after device.
    pub blocks: Vec<Block<'a>>,
    /// Lines before the first device that belong to one that is not shown.
    pub orphans: Vec<&'a Line>,
    /// Whether the empty line stands there that lspci writes after each device, the last one too.
    pub ended: bool,
}

/// Takes a listing apart. An unterminated last line may be cut and is left out.
pub(super) fn listing<'a>(lines: &'a [Line], text: &str) -> Listing<'a> {
    let whole = if text.ends_with('\n') { lines.len() } else { lines.len().saturating_sub(1) };
    let cut = lines[whole..].iter().any(|line| !is_frame(line.text.trim()));
    let mut listing = Listing::default();
    for line in &lines[..whole] {
        let trimmed = line.text.trim();
        if trimmed.is_empty() {
            listing.ended = !listing.blocks.is_empty();
        } else if !is_frame(trimmed) {
            listing.ended = false;
            listing.add(line, trimmed);
        }
    }
    listing.ended &= !cut;
    listing
}

impl<'a> Listing<'a> {
    fn add(&mut self, line: &'a Line, trimmed: &'a str) {
        if let Some((address, description)) = header(trimmed) {
            self.blocks.push(Block { header: line, address, description, details: Vec::new(), stray: None });
            return;
        }
        let Some(block) = self.blocks.last_mut() else { return self.orphans.push(line) };
        if line.text.starts_with([' ', '\t']) {
            block.details.push(trimmed);
        } else {
            block.stray.get_or_insert(line);
        }
    }
}

/// `0000:41:00.0 3D controller: NVIDIA ...`, with or without the domain.
fn header(line: &str) -> Option<(PciAddress, &str)> {
    let (address, description) = line.split_once(' ')?;
    let description = description.trim();
    description.contains(':').then_some((address_of(address)?, description))
}

/// lspci leaves the domain out where all are 0, and writes five digits for the domains of volume managers.
fn address_of(text: &str) -> Option<PciAddress> {
    match text.split(':').count() {
        2 => PciAddress::read(&format!("0000:{text}")),
        3 => PciAddress::read(text).or_else(|| PciAddress::read(&format!("{text:0>16}"))),
        _ => None,
    }
}

/// What stands around lspci's own lines: its warnings, a fence, a prompt.
fn is_frame(line: &str) -> bool {
    let warning = line.starts_with("pcilib:") || line.starts_with("lspci:");
    let command = line.contains("$ ") && line.contains("lspci") || line.contains("# ") && line.contains("lspci");
    let bare = line.starts_with("lspci ") || line.starts_with("sudo lspci");
    warning || command || bare || line.starts_with("```") || line.contains('@') && line.ends_with(['$', '#'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_and_without_domain() {
        for (text, address) in
            [("41:00.0", "0000:41:00.0"), ("0001:C1:00.1", "0001:c1:00.1"), ("10000:e0:06.0", "10000:e0:06.0")]
        {
            assert_eq!(address_of(text).unwrap().to_string(), address);
        }
        for text in ["41:00", "Bus:", "0000:0000:41:00.0", "\u{e9}1:00.0"] {
            assert!(address_of(text).is_none(), "{text}");
        }
    }
}
