//! The exit codes: a public interface.

use crate::record::Counts;

/// All passed.
pub const PASSED: u8 = 0;
/// A case failed.
pub const FAILED: u8 = 1;
/// Wrong usage, a wrong spec, or a place for results that cannot be used.
pub const USAGE: u8 = 2;
/// A case could not be judged.
pub const NOT_JUDGED: u8 = 3;
/// Nothing was selected, or nothing but skips.
pub const NOTHING: u8 = 4;
/// A person or the system ended the run.
pub const INTERRUPTED: u8 = 130;

/// The exit code of a run: an interruption is told as one whatever was found before it, and 1 wins over 3.
pub fn of_run(counts: Counts, interrupted: bool) -> u8 {
    match counts {
        _ if interrupted => INTERRUPTED,
        Counts { fail: 1.., .. } => FAILED,
        Counts { error: 1.., .. } => NOT_JUDGED,
        Counts { pass: 0, .. } => NOTHING,
        _ => PASSED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination() {
        for bits in 0..16_u8 {
            let count = |bit: u8| usize::from(bits >> bit & 1);
            let counts = Counts { pass: count(0), fail: count(1), error: count(2), skip: count(3) };
            let right = match (counts.fail, counts.error, counts.pass) {
                (1, _, _) => 1,
                (0, 1, _) => 3,
                (0, 0, 1) => 0,
                _ => 4,
            };
            assert_eq!(of_run(counts, false), right, "{counts:?}");
            assert_eq!(of_run(counts, true), 130, "{counts:?}");
        }
    }
}
