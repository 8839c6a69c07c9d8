use serde::Serialize;

use super::{
    statistics::{median, odd_even, range},
    times::Key,
};

/// From this size on what the links carry decides, below what launching costs: 1 MiB.
const LARGE: u64 = 1 << 20;
/// What two medians may differ by, in parts of the reference's.
const ALLOWED: f64 = 0.01;
/// What no row of a large size may differ by, in parts of the reference's median.
const FAR: f64 = 0.02;
/// What two medians of a small size may differ by, in microseconds.
const ALLOWED_SMALL: f64 = 0.5;

/// One size and place over all pairs of runs. Times are of one operation, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Size and place.
    #[serde(flatten)]
    pub key: Key,
    /// What nccl-tests measured, in the order of the runs.
    pub theirs: Vec<f64>,
    /// What linkspec measured, in the order of the runs.
    pub ours: Vec<f64>,
    /// nccl-tests' median.
    pub their_median: f64,
    /// linkspec's median.
    pub our_median: f64,
    /// nccl-tests' least and largest.
    pub their_range: (f64, f64),
    /// linkspec's least and largest.
    pub our_range: (f64, f64),
    /// How far the medians of nccl-tests' odd and even runs lie apart; `None` of one run.
    pub their_own: Option<f64>,
    /// What the medians may differ by.
    pub allowed: f64,
    /// Whether they agree.
    pub agreement: Agreement,
}

/// Whether two medians agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// They differ by no more than is allowed.
    Within,
    /// They differ by more.
    Outside,
    /// They differ by more than any row of a large size may.
    Far,
}

impl Row {
    /// The row of these times; `None` where a side has none.
    pub fn of(key: Key, theirs: Vec<f64>, ours: Vec<f64>) -> Option<Self> {
        let (their_median, our_median) = (median(&theirs)?, median(&ours)?);
        let (their_range, our_range) = (range(&theirs)?, range(&ours)?);
        let their_own = odd_even(&theirs);
        let large = key.size >= LARGE;
        let allowed = match large {
            true => (ALLOWED * their_median).max(their_own.unwrap_or(0.0)),
            false => {
                let half_range = (their_range.1 - their_range.0) / 2.0;
                (ALLOWED * their_median).max(half_range).max(ALLOWED_SMALL)
            }
        };
        let off = (our_median - their_median).abs();
        let agreement = if off <= allowed {
            Agreement::Within
        } else if large && off > FAR * their_median {
            Agreement::Far
        } else {
            Agreement::Outside
        };
        Some(Self {
            key,
            theirs,
            ours,
            their_median,
            our_median,
            their_range,
            our_range,
            their_own,
            allowed,
            agreement,
        })
    }

    /// Whether the size is one whose figure the links decide.
    pub const fn is_large(&self) -> bool {
        self.key.size >= LARGE
    }

    /// How much longer linkspec's median is, in parts of nccl-tests'.
    pub fn difference(&self) -> f64 {
        (self.our_median - self.their_median) / self.their_median
    }

    /// How far nccl-tests' odd and even runs lie apart, in parts of its median.
    pub fn their_own_difference(&self) -> Option<f64> {
        self.their_own.map(|own| own / self.their_median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(size: u64, theirs: &[f64], ours: f64) -> Row {
        let key = Key { size, in_place: false };
        Row::of(key, theirs.to_vec(), vec![ours; theirs.len()]).unwrap()
    }

    #[test]
    fn a_large_size_may_differ_by_a_hundredth() {
        let steady = [200.0; 7];
        for (ours, agreement) in [
            (202.0, Agreement::Within),
            (198.0, Agreement::Within),
            (202.1, Agreement::Outside),
            (197.9, Agreement::Outside),
            (204.0, Agreement::Outside),
            (204.1, Agreement::Far),
            (195.9, Agreement::Far),
        ] {
            assert_eq!(row(LARGE, &steady, ours).agreement, agreement, "{ours}");
        }
    }

    #[test]
    fn a_large_size_may_differ_as_the_reference_does_from_itself() {
        // Odd runs 200, even runs 206: the median of the seven is 200, and 6 lie between.
        let shaky = [200.0, 206.0, 200.0, 206.0, 200.0, 206.0, 200.0];
        let of = |ours| row(LARGE, &shaky, ours);
        assert_eq!((of(206.0).their_own, of(206.0).allowed), (Some(6.0), 6.0));
        assert_eq!(of(206.0).agreement, Agreement::Within);
        assert_eq!(of(206.1).agreement, Agreement::Far);
        // A range alone, without a difference of odd and even runs, gives no room.
        let spread = [200.0, 200.0, 190.0, 190.0, 210.0, 210.0, 200.0];
        assert_eq!(row(LARGE, &spread, 202.1).agreement, Agreement::Outside);
    }

    #[test]
    fn a_small_size_may_differ_by_half_a_microsecond() {
        let steady = [10.0; 7];
        assert_eq!(row(LARGE - 1, &steady, 10.5).agreement, Agreement::Within);
        assert_eq!(row(LARGE - 1, &steady, 10.75).agreement, Agreement::Outside);
        // However far, no small size is far.
        assert_eq!(row(8, &steady, 20.0).agreement, Agreement::Outside);
    }

    #[test]
    fn a_small_size_may_differ_by_half_of_the_reference_s_range() {
        let wide = [10.0, 10.0, 9.0, 13.0, 10.0, 10.0, 10.0];
        assert_eq!(row(8, &wide, 12.0).agreement, Agreement::Within);
        assert_eq!(row(8, &wide, 12.1).agreement, Agreement::Outside);
    }

    #[test]
    fn a_small_size_that_takes_long_may_differ_by_a_hundredth() {
        let steady = [200.0; 7];
        assert_eq!(row(8, &steady, 202.0).agreement, Agreement::Within);
        assert_eq!(row(8, &steady, 202.1).agreement, Agreement::Outside);
    }

    #[test]
    fn what_is_shown_beside() {
        let row = row(8, &[10.0, 12.0, 8.0], 11.0);
        assert_eq!((row.their_range, row.our_range), ((8.0, 12.0), (11.0, 11.0)));
        assert!((row.difference() - 0.1).abs() < 1e-12);
        // Odd runs 10 and 8, even run 12: 9 against 12 of 10.
        assert_eq!(row.their_own_difference(), Some(0.3));
    }
}
