use std::{cmp::Ordering, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::UnitError;

/// A dotted version such as `580.159.04` or `2.27`, ordered number by number; a missing part counts as zero.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Version(pub String);

const EXPECTED: &str = "a version such as 580.159.04";

impl Version {
    fn numbers(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.0.split('.').filter_map(|part| part.parse().ok()).collect();
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        numbers
    }
}

impl FromStr for Version {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let part =
            |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) && part.parse::<u64>().is_ok();
        let text = text.trim();
        text.split('.').all(part).then(|| Self(text.to_owned())).ok_or_else(|| UnitError::new(text, EXPECTED))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers().cmp(&other.numbers())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn ordered_by_number_not_by_letter() {
        assert!(version("580.159.04") > version("580.95.05"));
        assert!(version("535.54.03") < version("550"));
        assert_eq!(version("2.27"), version("2.27.0"));
        assert_eq!(version("580.159.4"), version("580.159.04"));
    }

    #[test]
    fn what_is_not_a_version() {
        for text in ["", "2.", "a.b", "2.27+cuda"] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }
}
