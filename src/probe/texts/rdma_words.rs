//! The spellings that ibstat, ibstatus, ibv_devinfo and sysfs have for the same thing.

use crate::{facts::PortState, units::Rate};

/// Physical states by their number, as ibstat spells them.
const PHYSICAL_STATES: [&str; 8] = [
    "No state change",
    "Sleep",
    "Polling",
    "Disabled",
    "PortConfigurationTraining",
    "LinkUp",
    "LinkErrorRecovery",
    "PhyTest",
];

/// `Active` (ibstat), or the word of another tool: `ACTIVE`, `PORT_ACTIVE`.
pub(super) fn state(word: &str) -> Option<PortState> {
    match word {
        "Down" | "DOWN" | "PORT_DOWN" => Some(PortState::Down),
        "Initializing" | "INIT" | "PORT_INIT" => Some(PortState::Init),
        "Armed" | "ARMED" | "PORT_ARMED" => Some(PortState::Armed),
        "Active" | "ACTIVE" | "PORT_ACTIVE" => Some(PortState::Active),
        _ => None,
    }
}

/// A state with its number; both have to say the same.
pub(in crate::probe) fn numbered_state(number: u32, word: &str) -> Option<PortState> {
    let read = state(word)?;
    let numbers = [PortState::Down, PortState::Init, PortState::Armed, PortState::Active];
    let at = usize::try_from(number.checked_sub(1)?).ok()?;
    (numbers.get(at) == Some(&read)).then_some(read)
}

/// A physical state as ibstat spells it.
pub(super) fn physical_state(word: &str) -> Option<&'static str> {
    PHYSICAL_STATES.into_iter().find(|known| *known == word)
}

/// A physical state by its number.
pub(in crate::probe) fn numbered_physical_state(number: u32) -> Option<&'static str> {
    PHYSICAL_STATES.get(usize::try_from(number).ok()?).copied()
}

/// `InfiniBand` or `Ethernet`; other layers are no link of a GPU server.
pub(in crate::probe) fn link_layer(word: &str) -> Option<&'static str> {
    ["InfiniBand", "Ethernet"].into_iter().find(|known| *known == word)
}

/// A GUID as `946d:ae03:00d4:8e1c`, from that or from `0x946dae0300d48e1c`.
pub(in crate::probe) fn guid(text: &str) -> Option<String> {
    let digits: String = match text.strip_prefix("0x") {
        Some(digits) => digits.to_ascii_lowercase(),
        None if text.len() == 19 && text.split(':').all(|part| part.len() == 4) => {
            text.replace(':', "").to_ascii_lowercase()
        }
        None => return None,
    };
    let whole = digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    whole.then(|| [&digits[..4], &digits[4..8], &digits[8..12], &digits[12..]].join(":"))
}

/// Gigabits per second from a plain decimal number.
pub(super) fn gigabits(number: &str) -> Option<Rate> {
    format!("{number} Gb/s").parse().ok()
}

/// `400 Gb/sec (4X NDR)` as rate and width.
pub(in crate::probe) fn rate_and_width(text: &str) -> Option<(Rate, String)> {
    let (rate, lanes) = text.strip_suffix(')')?.split_once(" Gb/sec (")?;
    let width = lanes.split(' ').next()?;
    let plain_width = width.strip_suffix('X').and_then(plain).is_some();
    Some((gigabits(rate.trim())?, width.to_owned())).filter(|_| plain_width)
}

/// `4: ACTIVE` or `ACTIVE (4)` as number and word.
pub(in crate::probe) fn number_and_word(text: &str) -> Option<(u32, &str)> {
    if let Some((word, number)) = text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        return Some((plain(number)?, word.trim()));
    }
    let (number, word) = text.split_once(':')?;
    Some((plain(number.trim())?, word.trim()))
}

/// A plain decimal number: no sign, no blank.
pub(in crate::probe) fn plain(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_guid_in_two_spellings() {
        assert_eq!(guid("0x946dae0300d48e1c").as_deref(), Some("946d:ae03:00d4:8e1c"));
        assert_eq!(guid("946d:ae03:00d4:8e1c"), guid("0x946DAE0300D48E1C"));
        for text in ["...", "0x946dae", "946d:ae03:00d4", "", "0xé46dae0300d48e1", "94ö:ae03:00d4:8e1c"] {
            assert_eq!(guid(text), None, "{text}");
        }
    }

    #[test]
    fn number_and_word_must_agree() {
        assert_eq!(number_and_word("4: ACTIVE"), Some((4, "ACTIVE")));
        assert_eq!(number_and_word("PORT_ACTIVE (4)"), Some((4, "PORT_ACTIVE")));
        assert_eq!(numbered_state(4, "PORT_ACTIVE"), Some(PortState::Active));
        assert_eq!(numbered_state(1, "ACTIVE"), None);
        assert_eq!(numbered_state(0, "DOWN"), None);
    }

    #[test]
    fn rates() {
        assert_eq!(gigabits("400").map(Rate::gigabits_per_second), Some(400.0));
        assert_eq!(gigabits("2.5").map(Rate::gigabits_per_second), Some(2.5));
        assert_eq!(gigabits("4OO"), None);
    }
}
