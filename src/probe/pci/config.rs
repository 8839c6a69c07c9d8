use serde::{Deserialize, Serialize};

/// What the configuration space of a bridge says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Bridge {
    /// The numbers of the buses below it, first and last.
    pub(super) buses_below: Option<(u32, u32)>,
    /// The ACS redirect bits that are set, by the names that lspci gives them; or why they are not known.
    pub(super) acs_redirect: Result<Vec<String>, String>,
}

// Offsets and numbers of the PCI Express Base Specification; Linux has them in include/uapi/linux/pci_regs.h.
const SECONDARY_BUS: usize = 0x19;
const SUBORDINATE_BUS: usize = 0x1a;
const STATUS: usize = 0x06;
const STATUS_HAS_CAPABILITIES: u8 = 0x10;
const CAPABILITIES: usize = 0x34;
const PCI_EXPRESS: u8 = 0x10;
const EXTENDED: usize = 0x100;
const ACS: u16 = 0x000d;
const ACS_CONTROL: usize = 6;
/// The bits that send traffic between peers up to the root complex.
const REDIRECT: [(u16, &str); 3] = [(1 << 2, "ReqRedir"), (1 << 3, "CmpltRedir"), (1 << 4, "UpstreamFwd")];
/// The kernel shows this much to who is not root.
const SHOWN_TO_ALL: usize = 64;
/// A list of capabilities that is longer goes in circles.
const MOST_CAPABILITIES: usize = 512;

/// Reads a bridge's configuration space, as much of it as could be read.
pub(super) fn bridge(bytes: &[u8]) -> Bridge {
    let buses = match (bytes.get(SECONDARY_BUS), bytes.get(SUBORDINATE_BUS)) {
        // A bridge that the firmware left alone has none.
        (Some(first), Some(last)) if *first > 0 && first <= last => Some((u32::from(*first), u32::from(*last))),
        _ => None,
    };
    Bridge { buses_below: buses, acs_redirect: acs_redirect(bytes) }
}

fn acs_redirect(bytes: &[u8]) -> Result<Vec<String>, String> {
    if bytes.iter().all(|byte| *byte == 0xff) {
        return Err("the bridge does not answer".to_owned());
    }
    if bytes.len() <= SHOWN_TO_ALL {
        return Err("its configuration can be read by root only".to_owned());
    }
    if bytes.len() <= EXTENDED {
        // Only PCI Express has ACS, and its control lies beyond what this kernel reaches.
        return match is_express(bytes) {
            Some(false) => Ok(Vec::new()),
            Some(true) | None => Err("its extended configuration is not reached".to_owned()),
        };
    }
    let Some(at) = extended(bytes, ACS)? else { return Ok(Vec::new()) };
    let control = word(bytes, at + ACS_CONTROL).ok_or_else(cut)?;
    Ok(REDIRECT.iter().filter(|(bit, _)| control & bit != 0).map(|(_, name)| (*name).to_owned()).collect())
}

/// Whether the plain capabilities list PCI Express; `None` where the list cannot be followed.
fn is_express(bytes: &[u8]) -> Option<bool> {
    if bytes.get(STATUS)? & STATUS_HAS_CAPABILITIES == 0 {
        return Some(false);
    }
    let mut at = usize::from(*bytes.get(CAPABILITIES)? & 0xfc);
    for _ in 0..MOST_CAPABILITIES {
        if at == 0 {
            return Some(false);
        }
        if *bytes.get(at)? == PCI_EXPRESS {
            return Some(true);
        }
        at = usize::from(*bytes.get(at + 1)? & 0xfc);
    }
    None
}

/// Where an extended capability is; `None` where a list that was followed to its end lacks it.
fn extended(bytes: &[u8], wanted: u16) -> Result<Option<usize>, String> {
    let mut at = EXTENDED;
    for _ in 0..MOST_CAPABILITIES {
        let (id, next) = (word(bytes, at).ok_or_else(cut)?, word(bytes, at + 2).ok_or_else(cut)? >> 4);
        // An empty list begins with zeros; a function without one reads as ones.
        if (id, next) == (0, 0) && at == EXTENDED {
            return Ok(None);
        }
        if id == 0xffff {
            return Err("its extended configuration does not answer".to_owned());
        }
        if id == wanted {
            return Ok(Some(at));
        }
        if next == 0 {
            return Ok(None);
        }
        at = usize::from(next & 0xffc);
        if at < EXTENDED {
            return Err(cut());
        }
    }
    Err(cut())
}

fn cut() -> String {
    "its list of capabilities cannot be followed".to_owned()
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PCI Express bridge of buses 0x41 to 0x44, with an advanced error report and then ACS.
    fn express(control: u16) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        bytes[SECONDARY_BUS] = 0x41;
        bytes[SUBORDINATE_BUS] = 0x44;
        bytes[STATUS] = STATUS_HAS_CAPABILITIES;
        bytes[CAPABILITIES] = 0x40;
        bytes[0x40] = PCI_EXPRESS;
        bytes[0x100..0x104].copy_from_slice(&[0x01, 0x00, 0x01, 0x22]);
        bytes[0x220..0x224].copy_from_slice(&[0x0d, 0x00, 0x01, 0x00]);
        bytes[0x226..0x228].copy_from_slice(&control.to_le_bytes());
        bytes
    }

    #[test]
    fn the_redirect_bits_and_no_others() {
        let bits = |control| bridge(&express(control)).acs_redirect.unwrap();
        assert_eq!(bits(0b1_1101), ["ReqRedir", "CmpltRedir", "UpstreamFwd"]);
        // Source validation and translation blocking redirect nothing.
        assert_eq!(bits(0b0_0011), [""; 0]);
        assert_eq!(bridge(&express(0)).buses_below, Some((0x41, 0x44)));
    }

    #[test]
    fn what_is_not_shown_is_unknown() {
        let bytes = express(0b1_1101);
        let short = bridge(&bytes[..64]);
        assert_eq!(short.buses_below, Some((0x41, 0x44)));
        assert!(short.acs_redirect.unwrap_err().contains("root only"));
        assert!(bridge(&bytes[..256]).acs_redirect.unwrap_err().contains("not reached"));
        assert!(bridge(&bytes[..0x222]).acs_redirect.is_err());
        assert!(bridge(&[0xff; 4096]).acs_redirect.unwrap_err().contains("does not answer"));
    }

    #[test]
    fn a_bridge_without_acs_redirects_nothing() {
        let mut bytes = express(0);
        bytes[0x100..0x104].copy_from_slice(&[0; 4]);
        assert_eq!(bridge(&bytes).acs_redirect, Ok(Vec::new()));
        // A conventional bridge has no extended space.
        let mut conventional = vec![0; 256];
        conventional[SECONDARY_BUS] = 5;
        conventional[SUBORDINATE_BUS] = 5;
        assert_eq!(bridge(&conventional).acs_redirect, Ok(Vec::new()));
    }

    proptest::proptest! {
        #[test]
        fn no_configuration_makes_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..600)) {
            let _ = bridge(&bytes);
        }
    }
}
