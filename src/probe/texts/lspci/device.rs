use super::block::Block;
use crate::{
    facts::{PciBridge, PciDevice},
    probe::texts::pcie_speed::generation,
};

/// The ACS control bits that send traffic between devices up to the root: source validation does not.
const REDIRECT_BITS: [&str; 3] = ["ReqRedir", "CmpltRedir", "UpstreamFwd"];

impl Block<'_> {
    /// Whether it is a bridge to another PCI bus.
    pub(super) fn is_bridge(&self) -> bool {
        let class = self.description.split(['[', ':']).next().unwrap_or_default().trim();
        matches!(class, "PCI bridge" | "Semi-transparent PCI-to-PCI bridge" | "Class 0604" | "Class 0609")
    }

    /// Whether it is a device that can only stand below a bridge.
    pub(super) fn needs_bridge(&self) -> bool {
        let below = ["Endpoint", "Legacy Endpoint", "Upstream Port", "Downstream Port"];
        self.port_type().is_some_and(|kind| below.iter().any(|word| kind.starts_with(word)))
    }

    /// The numbers of the buses below, first and last.
    pub(super) fn buses_below(&self) -> Option<(u32, u32)> {
        let (first, last) = (self.bus("secondary=")?, self.bus("subordinate=")?);
        (first <= last && last <= 0xff && self.is_one_device()).then_some((first, last))
    }

    /// Whether the bus above is the one that the address says. It is not where the lines between two bridges are lost
    /// and the second one's stand under the first.
    fn is_one_device(&self) -> bool {
        self.bus("primary=") == Some(self.address.bus().1)
    }

    fn bus(&self, key: &str) -> Option<u32> {
        let (_, rest) = self.only("Bus:")?.split_once(key)?;
        // The comma shows that the number is whole.
        u32::from_str_radix(rest.split_once(',')?.0.trim(), 16).ok()
    }

    pub(super) fn bridge(&self) -> PciBridge {
        let address = self.address.to_string();
        PciBridge { address, buses_below: self.buses_below(), acs_redirect: self.acs_redirect(), acs_unread: None }
    }

    pub(super) fn device(&self) -> PciDevice {
        let link = self.only("LnkSta:");
        let speed = link.and_then(|link| link.strip_prefix("Speed ")).and_then(|speed| generation(word(speed)));
        let width = link.and_then(|link| link.split_once("Width x")).and_then(|(_, width)| word(width).parse().ok());
        PciDevice {
            address: self.address.to_string(),
            description: self.description.to_owned(),
            generation: speed,
            width: width.filter(|width| *width > 0),
        }
    }

    /// The redirect bits that are set; `None` where they could not be read.
    ///
    /// A port of a switch towards the root need not have ACS, so that one without it redirects nothing. Any other
    /// bridge above a GPU has it, and one that does not show it was not read whole.
    fn acs_redirect(&self) -> Option<Vec<String>> {
        if self.stray.is_some() || self.has("<access denied>") || !self.is_one_device() {
            return None;
        }
        if let Some(control) = self.only("ACSCtl:") {
            let bits: Vec<&str> = control.split_whitespace().collect();
            let set = |bit: &&str| {
                let found = bits.iter().find_map(|word| word.strip_prefix(*bit))?;
                matches!(found, "+" | "-").then_some(found == "+")
            };
            let known: Vec<(&str, bool)> =
                REDIRECT_BITS.iter().map(|bit| Some((*bit, set(bit)?))).collect::<Option<_>>()?;
            return Some(known.into_iter().filter(|(_, set)| *set).map(|(bit, _)| bit.to_owned()).collect());
        }
        let upstream = self.port_type().is_some_and(|kind| kind.starts_with("Upstream Port"));
        let none = !self.has("ACSCtl:") && !self.has("Access Control Services") && self.shows_extended();
        (upstream && none).then(Vec::new)
    }

    /// What follows `Express (v2) ` in the line of that capability.
    fn port_type(&self) -> Option<&str> {
        let line = self.details.iter().find(|line| line.starts_with("Capabilities:") && line.contains("] Express "))?;
        let (_, kind) = line.split_once("] Express ")?;
        let kind = kind.strip_prefix('(').and_then(|kind| kind.split_once(") ")).map_or(kind, |(_, kind)| kind);
        Some(kind.trim())
    }

    /// Whether the part of the configuration space is shown that only root may read: `Capabilities: [100 v1] ...`.
    fn shows_extended(&self) -> bool {
        let offset = |line: &str| line.strip_prefix("Capabilities: [").is_some_and(|rest| rest.get(3..5) == Some(" v"));
        self.details.iter().any(|line| offset(line))
    }

    fn has(&self, words: &str) -> bool {
        self.details.iter().any(|line| line.contains(words))
    }

    /// What follows a key, where exactly one line has it.
    fn only(&self, key: &str) -> Option<&str> {
        let mut found = self.details.iter().filter_map(|line| line.strip_prefix(key));
        let first = found.next()?;
        found.next().is_none().then(|| first.trim())
    }
}

/// Up to a blank, a comma or a remark in brackets.
fn word(text: &str) -> &str {
    text.split([' ', ',', '(']).next().unwrap_or_default()
}
