use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{facts::Damage, units::Version};

/// What one output says of a collective: who measured, with which ranks, what, and whether it came to its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measurement {
    /// The files that it was read from, or the engine.
    pub sources: Vec<String>,
    /// Who measured, with its version: `nccl-tests 2.19.6`.
    pub tool: Option<String>,
    /// The operation that the output names, as nccl-tests names it: `all_reduce`.
    pub operation: Option<String>,
    /// The version of the collective library.
    pub library: Option<Version>,
    /// The sizes that the header announces.
    pub range: Option<SizeRange>,
    /// Timed iterations per size.
    pub iterations: Option<u32>,
    /// Iterations before the timed ones.
    pub warmup: Option<u32>,
    /// Whether the header says that data is checked.
    pub validation: Option<bool>,
    /// The ranks as they are listed, in the order of the list, one that is listed twice included.
    pub ranks: Vec<Rank>,
    /// Why the list of ranks may not be whole, as a fragment.
    pub ranks_doubt: Option<String>,
    /// Why the rows can fail a case but never pass it, apart from ranks and end: the header row is cut.
    pub rows_doubt: Option<String>,
    /// The rows in the order of the output.
    pub rows: Vec<Row>,
    /// The footer's count of wrong values.
    pub out_of_bounds: Option<OutOfBounds>,
    /// Why the run did not come to its end, as a fragment; `None` where it did.
    pub unfinished: Option<String>,
    /// The `NCCL_*` and `RCCL_*` variables and the visible devices of the measuring process, where the output shows them.
    pub environment: Option<BTreeMap<String, String>>,
    /// Parts that gave nothing.
    pub damage: Vec<Damage>,
}

/// The least and the largest size that a header announces, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SizeRange {
    /// The least.
    pub from: u64,
    /// The largest.
    pub to: u64,
}

/// One rank of a list of ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rank {
    /// The rank.
    pub rank: u32,
    /// The host that it ran on.
    pub host: Option<String>,
    /// Its GPU, by CUDA's or HIP's index.
    pub device: Option<u32>,
    /// The PCI address of its GPU as it is written: `0000:00:06`, or `0x07` in old outputs.
    pub pci: Option<String>,
    /// The name of its GPU.
    pub name: Option<String>,
}

/// One size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The size in bytes, as printed: after trimming to what the ranks can share.
    pub size: u64,
    /// Elements.
    pub count: Option<u64>,
    /// The type of the elements.
    pub datatype: Option<String>,
    /// The reduction.
    pub redop: Option<String>,
    /// The root rank; -1 where the operation has none.
    pub root: Option<i64>,
    /// Out of place; `None` where it was not measured.
    pub out_of_place: Option<Sample>,
    /// In place; `None` where it was not measured.
    pub in_place: Option<Sample>,
    /// Why the row cannot be relied on, as a fragment: two outputs disagree on it.
    pub doubt: Option<String>,
    /// The file that it stands in.
    pub source: String,
    /// Its line there, from 1; 0 where the file has no lines.
    pub line: u32,
}

/// What was measured of one size and place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Time of one operation, in microseconds.
    pub time: Figure,
    /// Size over time, in GB/s of 10^9 bytes.
    pub algbw: Figure,
    /// The bandwidth that the links carried, in GB/s of 10^9 bytes.
    pub busbw: Figure,
    /// Wrong data.
    pub wrong: Wrong,
}

/// A number as it was printed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// Half a unit of its last printed place: the true value is within it.
    pub rounding: f64,
}

/// What an output says of the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Wrong {
    /// So many wrong elements, over all ranks.
    Elements(u64),
    /// The largest relative deviation, of old outputs; the footer judges it.
    Deviation(f64),
    /// It was not checked.
    Unchecked,
}

/// The footer's `Out of bounds values`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutOfBounds {
    /// How many.
    pub count: u64,
    /// Whether the tool says OK.
    pub ok: bool,
}

impl Measurement {
    /// The number of ranks where the whole list 0 to n-1 is shown, once each.
    pub fn whole_ranks(&self) -> Option<u32> {
        if self.ranks_doubt.is_some() {
            return None;
        }
        let mut ranks: Vec<u32> = self.ranks.iter().map(|rank| rank.rank).collect();
        ranks.sort_unstable();
        let count = u32::try_from(ranks.len()).ok()?;
        (count > 0 && ranks.into_iter().eq(0..count)).then_some(count)
    }

    /// The number of hosts that the ranks ran on, where every rank's host is shown.
    pub fn hosts(&self) -> Option<usize> {
        let hosts: Option<std::collections::BTreeSet<&str>> =
            self.ranks.iter().map(|rank| rank.host.as_deref()).collect();
        hosts.map(|hosts| hosts.len()).filter(|count| *count > 0)
    }
}

impl Sample {
    /// Whether algbw can be so many bytes over the time, within print rounding.
    pub fn is_of_size(&self, bytes: u64) -> bool {
        // Bytes per microsecond are MB/s of 10^6 bytes; algbw is in GB/s.
        let size = bytes as f64 / 1000.0;
        let ((time_from, time_to), (from, to)) = (self.time.wide(), self.algbw.wide());
        let most = if time_from > 0.0 { size / time_from } else { f64::INFINITY };
        time_to > 0.0 && size / time_to <= to && from <= most
    }
}

impl Figure {
    /// A number as a text prints it: `251.32` is within 0.005, `12e+01` within 5. `None` for what is no finite number.
    pub fn printed(text: &str) -> Option<Self> {
        let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-' | b'e' | b'E'));
        let value: f64 = text.parse().ok().filter(|value: &f64| plain && value.is_finite())?;
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
        let exponent = exponent.parse::<i32>().ok()?.saturating_sub(i32::try_from(places).ok()?);
        let rounding = 0.5 * 10f64.powi(exponent);
        // A zero of no place at all, such as 0e999, could be anything.
        rounding.is_finite().then_some(Self { value, rounding })
    }

    /// The least and the most that it can truly be.
    pub fn range(self) -> (f64, f64) {
        (self.value - self.rounding, self.value + self.rounding)
    }

    /// Whether it is printed with an exponent and so few digits that not even its whole numbers are told.
    pub fn is_coarse(self) -> bool {
        self.rounding > 0.5
    }

    /// The range a hair wider: the exact half of the last place is within it, and what floating point adds.
    fn wide(self) -> (f64, f64) {
        let hair = self.rounding * 1e-6 + self.value.abs() * 1e-9;
        (self.value - self.rounding - hair, self.value + self.rounding + hair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_number_knows_its_rounding() {
        for (text, value, rounding) in [
            ("251.32", 251.32, 0.005),
            ("68359", 68359.0, 0.5),
            ("1e+05", 100_000.0, 50_000.0),
            ("1.5e+05", 150_000.0, 5000.0),
        ] {
            let figure = Figure::printed(text).unwrap();
            assert_eq!(figure.value, value, "{text}");
            assert!((figure.rounding / rounding - 1.0).abs() < 1e-9, "{text}: {}", figure.rounding);
        }
        for text in ["nan", "inf", "N/A", "", "1e", "1e999", "0e999", "0x10"] {
            assert_eq!(Figure::printed(text), None, "{text}");
        }
    }

    #[test]
    fn a_size_over_its_time_is_the_bandwidth() {
        // 1000000 bytes in 100 us are 10 GB/s.
        let sample = |time: &str, algbw: &str| {
            let [time, algbw] = [time, algbw].map(|text| Figure::printed(text).unwrap());
            Sample { time, algbw, busbw: algbw, wrong: Wrong::Elements(0) }
        };
        // Nothing is done before it begins.
        assert!(!sample("-100", "10.00").is_of_size(1_000_000));
        for (time, algbw) in [("100.00", "10.00"), ("1e+02", "8.00"), ("100.04", "10.00")] {
            assert!(sample(time, algbw).is_of_size(1_000_000), "{time} {algbw}");
        }
        for (time, algbw) in [("100.00", "10.02"), ("200.00", "10.00"), ("100.00", "0.00")] {
            assert!(!sample(time, algbw).is_of_size(1_000_000), "{time} {algbw}");
        }
    }

    #[test]
    fn ranks_are_whole_from_0_without_gap_or_repetition() {
        let of = |ranks: &[u32]| {
            let rank = |rank: &u32| Rank { rank: *rank, host: None, device: None, pci: None, name: None };
            Measurement { ranks: ranks.iter().map(rank).collect(), ..Measurement::default() }
        };
        assert_eq!(of(&[0, 1, 2]).whole_ranks(), Some(3));
        assert_eq!(of(&[1, 0]).whole_ranks(), Some(2));
        for ranks in [&[][..], &[1, 2], &[0, 0], &[0, 1, 3], &[0, 1, 1]] {
            assert_eq!(of(ranks).whole_ranks(), None, "{ranks:?}");
        }
        let doubtful = Measurement { ranks_doubt: Some("a line is cut".into()), ..of(&[0, 1]) };
        assert_eq!(doubtful.whole_ranks(), None);
    }
}
