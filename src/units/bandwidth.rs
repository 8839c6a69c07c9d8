use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{UnitError, split_number};

/// A bandwidth in GB/s of 10^9 bytes per second, the unit of nccl-tests and of NVLink.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Bandwidth(pub f64);

const EXPECTED: &str = "a bandwidth such as 440 GB/s";

impl Bandwidth {
    /// The value in 10^9 bytes per second.
    pub const fn gigabytes_per_second(self) -> f64 {
        self.0
    }
}

impl FromStr for Bandwidth {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wrong = || UnitError::new(text, EXPECTED);
        let (number, unit) = split_number(text).ok_or_else(wrong)?;
        let scale = match unit {
            "GB/s" => 1.0,
            "MB/s" => 1e-3,
            "TB/s" => 1e3,
            _ => return Err(wrong()),
        };
        Ok(Self(number * scale))
    }
}

impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} GB/s", self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_units() {
        assert_eq!("440 GB/s".parse::<Bandwidth>(), Ok(Bandwidth(440.0)));
        assert_eq!("26.562GB/s".parse::<Bandwidth>(), Ok(Bandwidth(26.562)));
        assert_eq!("500 MB/s".parse::<Bandwidth>(), Ok(Bandwidth(0.5)));
    }

    #[test]
    fn a_bit_rate_or_a_bare_number_is_refused() {
        for text in ["440", "400 Gb/s", "GB/s", "-1 GB/s", "1e400 GB/s", ". GB/s"] {
            assert!(text.parse::<Bandwidth>().is_err(), "{text}");
        }
    }
}
