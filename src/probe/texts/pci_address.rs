//! PCI addresses in one spelling, however a tool writes them.

/// The parts of an address: domain, bus, device, function. They sort as nvidia-smi numbers its GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::probe) struct PciAddress(u32, u32, u32, u32);

impl PciAddress {
    /// Reads `00000000:C3:00.0` or `0000:c3:00.0`.
    pub fn read(text: &str) -> Option<Self> {
        let (domain, rest) = text.split_once(':')?;
        let (bus, rest) = rest.split_once(':')?;
        let (device, function) = rest.split_once('.')?;
        let hex = |text: &str, lengths: std::ops::RangeInclusive<usize>| {
            let plain = lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
            plain.then(|| u32::from_str_radix(text, 16).ok()).flatten()
        };
        Some(Self(hex(domain, 4..=8)?, hex(bus, 2..=2)?, hex(device, 2..=2)?, hex(function, 1..=1)?))
    }

    /// The one spelling of an address.
    pub fn spell(text: &str) -> Option<String> {
        Self::read(text).map(|address| address.to_string())
    }

    /// The domain and the bus.
    pub const fn bus(&self) -> (u32, u32) {
        (self.0, self.1)
    }

    /// The first address in a line, also where it is glued to other text, as in `GPU0000:07:00.0:`.
    pub fn find(line: &str) -> Option<&str> {
        line.split(|c: char| !(c.is_ascii_hexdigit() || matches!(c, ':' | '.')))
            .map(|word| word.trim_matches([':', '.']))
            .find(|word| Self::read(word).is_some())
    }
}

/// `DDDD:BB:DD.F` in lower case, as sysfs has it.
impl std::fmt::Display for PciAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{:x}", self.0, self.1, self.2, self.3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_as_sysfs_writes_it() {
        for (text, written) in [("00000000:C3:00.0", "0000:c3:00.0"), ("10000:01:00.0", "10000:01:00.0")] {
            assert_eq!(PciAddress::read(text).unwrap().to_string(), written);
        }
        for text in ["C3:00.0", "0000:C3:00", "0000:C3:00.0 ", "000g:C3:00.0", "0000:+3:00.0", ""] {
            assert_eq!(PciAddress::read(text), None, "{text}");
        }
    }
}
