use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::UnitError;

/// A number of bytes. `8`, `64K`, `8M` and `2GiB` are powers of two, as in nccl-tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Size(pub u64);

const EXPECTED: &str = "a size such as 8, 64K, 8M or 2GiB";
const UNITS: [(&str, u32); 5] = [("T", 40), ("G", 30), ("M", 20), ("K", 10), ("B", 0)];

impl Size {
    /// The number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for Size {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wrong = || UnitError::new(text, EXPECTED);
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
        let number: u64 = trimmed[..end].parse().map_err(|_| wrong())?;
        let unit = trimmed[end..].trim();
        let shift = match unit {
            "" | "B" => 0,
            _ => {
                let letter = unit.strip_suffix("iB").or_else(|| unit.strip_suffix('B')).unwrap_or(unit);
                UNITS.iter().find(|(name, _)| letter.eq_ignore_ascii_case(name)).map(|(_, s)| *s).ok_or_else(wrong)?
            }
        };
        number.checked_mul(1 << shift).map(Size).ok_or_else(wrong)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, shift) in UNITS {
            if shift > 0 && self.0 >= 1 << shift && self.0.is_multiple_of(1 << shift) {
                return f.pad(&format!("{}{name}", self.0 >> shift));
            }
        }
        f.pad(&self.0.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_as_in_nccl_tests() {
        for (text, bytes) in
            [("8", 8), ("64K", 65_536), ("8M", 8_388_608), ("2GiB", 2_147_483_648), ("1g", 1 << 30), ("512 B", 512)]
        {
            assert_eq!(text.parse::<Size>(), Ok(Size(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_size() {
        for text in ["", "K", "-8", "1.5G", "8X", "99999999999G", "8 8"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn prints_the_largest_whole_unit() {
        assert_eq!(Size(1 << 30).to_string(), "1G");
        assert_eq!(Size(1000).to_string(), "1000");
        assert_eq!(Size(1536).to_string(), "1536");
        assert_eq!(Size(0).to_string(), "0");
    }
}
