use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

use super::{UnitError, split_number};

/// A length of time: `5 us`, `10ms`, `30s`, `5m`, `2h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub Duration);

const EXPECTED: &str = "a time such as 5 us, 10ms, 30s, 5m or 2h";

impl Span {
    /// The value in microseconds, the unit of nccl-tests' `time` column.
    pub fn microseconds(self) -> f64 {
        self.0.as_secs_f64() * 1e6
    }
}

impl FromStr for Span {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wrong = || UnitError::new(text, EXPECTED);
        let (number, unit) = split_number(text).ok_or_else(wrong)?;
        let seconds = match unit {
            "us" => number * 1e-6,
            "ms" => number * 1e-3,
            "s" => number,
            "m" => number * 60.0,
            "h" => number * 3600.0,
            _ => return Err(wrong()),
        };
        Duration::try_from_secs_f64(seconds).map(Self).map_err(|_| wrong())
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs_f64();
        let (value, unit) = match seconds {
            s if s >= 3600.0 && s % 3600.0 == 0.0 => (s / 3600.0, "h"),
            s if s >= 60.0 && s % 60.0 == 0.0 => (s / 60.0, "m"),
            s if s >= 1.0 || s == 0.0 => (s, "s"),
            s if s >= 1e-3 => (s * 1e3, "ms"),
            s => (s * 1e6, "us"),
        };
        f.pad(&format!("{value} {unit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit() {
        for (text, micros) in [("5 us", 5), ("10ms", 10_000), ("30s", 30_000_000), ("5m", 300_000_000)] {
            assert_eq!(text.parse::<Span>(), Ok(Span(Duration::from_micros(micros))), "{text}");
        }
        assert_eq!("2h".parse::<Span>().unwrap().to_string(), "2 h");
    }

    #[test]
    fn a_number_needs_its_unit() {
        for text in ["5", "5 min", "1 d", "s", "99999999999999999999999 h"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }
}
