use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{UnitError, split_number};

/// The signalling rate of a port in Gb/s of 10^9 bits per second, as ibstat prints it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Rate(pub f64);

const EXPECTED: &str = "a port rate such as 400 Gb/s";

impl Rate {
    /// The value in 10^9 bits per second.
    pub const fn gigabits_per_second(self) -> f64 {
        self.0
    }
}

impl FromStr for Rate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wrong = || UnitError::new(text, EXPECTED);
        let (number, unit) = split_number(text).ok_or_else(wrong)?;
        matches!(unit, "Gb/s" | "Gb/sec" | "Gbit/s" | "Gbps").then_some(Self(number)).ok_or_else(wrong)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} Gb/s", self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_not_bytes() {
        assert_eq!("400 Gb/s".parse::<Rate>(), Ok(Rate(400.0)));
        assert_eq!("2.5 Gb/sec".parse::<Rate>(), Ok(Rate(2.5)));
        for text in ["400", "400 GB/s", "400 gb", ""] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }
}
