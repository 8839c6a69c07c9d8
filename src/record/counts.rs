use std::iter::Sum;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verdict::Outcome;

/// How many cases ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Passed.
    pub pass: usize,
    /// Failed.
    pub fail: usize,
    /// Could not be judged.
    pub error: usize,
    /// Skipped.
    pub skip: usize,
}

impl Counts {
    /// How many cases there are.
    pub const fn total(self) -> usize {
        self.pass + self.fail + self.error + self.skip
    }
}

impl FromIterator<Outcome> for Counts {
    fn from_iter<T: IntoIterator<Item = Outcome>>(outcomes: T) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            match outcome {
                Outcome::Pass => counts.pass += 1,
                Outcome::Fail => counts.fail += 1,
                Outcome::Error => counts.error += 1,
                Outcome::Skip => counts.skip += 1,
            }
        }
        counts
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, one| Self {
            pass: sum.pass + one.pass,
            fail: sum.fail + one.fail,
            error: sum.error + one.error,
            skip: sum.skip + one.skip,
        })
    }
}
