use std::{collections::BTreeSet, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::UnitError;

/// A set of small numbers as Linux and the vendors' tools write it: `0-31`, `0,3-9,11-17`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct IndexList(pub BTreeSet<u32>);

const EXPECTED: &str = "a list of numbers such as 0-3,8";
/// No machine has more CPUs than this; a larger span is a damaged text, not a list.
const MOST: u32 = 65_536;

impl IndexList {
    /// Whether the number is in the list.
    pub fn contains(&self, index: u32) -> bool {
        self.0.contains(&index)
    }
}

impl FromIterator<u32> for IndexList {
    fn from_iter<I: IntoIterator<Item = u32>>(indices: I) -> Self {
        Self(indices.into_iter().collect())
    }
}

impl FromStr for IndexList {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wrong = || UnitError::new(text, EXPECTED);
        let mut indices = BTreeSet::new();
        let mut listed = 0;
        for part in text.trim().split(',') {
            let (low, high) = part.split_once('-').unwrap_or((part, part));
            let number = |digits: &str| {
                let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                plain.then(|| digits.parse::<u32>().ok()).flatten()
            };
            let (low, high) = (number(low.trim()).ok_or_else(wrong)?, number(high.trim()).ok_or_else(wrong)?);
            if low > high || high >= MOST {
                return Err(wrong());
            }
            // Counted as written, so that a text of many overlapping spans costs no more than one whole span.
            listed += high - low + 1;
            if listed > MOST {
                return Err(wrong());
            }
            indices.extend(low..=high);
        }
        Ok(Self(indices))
    }
}

impl fmt::Display for IndexList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        let mut rest = self.0.iter().copied().peekable();
        while let Some(low) = rest.next() {
            let mut high = low;
            // In facts of anyone's making the highest number may be the highest there is.
            while let Some(next) = high.checked_add(1).and_then(|next| rest.next_if_eq(&next)) {
                high = next;
            }
            parts.push(if low == high { low.to_string() } else { format!("{low}-{high}") });
        }
        f.pad(&parts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints_ranges() {
        let list: IndexList = "0,3-9,11-17".parse().unwrap();
        assert_eq!(list.0.len(), 15);
        assert!(list.contains(9) && !list.contains(10));
        assert_eq!(list.to_string(), "0,3-9,11-17");
    }

    #[test]
    fn the_highest_number_prints() {
        let list: IndexList = [u32::MAX - 1, u32::MAX].into_iter().collect();
        assert_eq!(list.to_string(), "4294967294-4294967295");
    }

    #[test]
    fn damaged_lists_are_refused() {
        for text in ["", "a", "3-1", "1,,2", "-1", "1-", "0-99999999", "+1", "0-65535,0-65535"] {
            assert!(text.parse::<IndexList>().is_err(), "{text}");
        }
    }
}
