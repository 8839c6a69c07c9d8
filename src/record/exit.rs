//! The exit codes. They are an interface: scripts and CI gates read them.

use super::Counts;

/// Every case passed, or was skipped beside one that passed.
pub const PASSED: u8 = 0;
/// A case failed, whatever else could not be judged.
pub const FAILED: u8 = 1;
/// The command line, a spec or the output place is wrong; nothing was judged.
pub const USAGE: u8 = 2;
/// A case could not be judged, and none failed.
pub const NOT_JUDGED: u8 = 3;
/// Nothing was selected, or nothing but skips.
pub const NOTHING: u8 = 4;
/// A person or a signal ended the run: 128 and SIGINT, as shells have it. The cases that it did not reach are errors.
pub const INTERRUPTED: u8 = 130;
/// A case failed or could not be judged, under the target that nextest drives: libtest's own code.
pub const LIBTEST_FAILED: u8 = 101;

/// The exit code of a run, given the sum over its suites.
///
/// An interruption wins over all: the run is no verdict on the machine, whatever had failed by then, and the reports
/// tell what had. A failure wins over what could not be judged.
pub const fn exit_code(counts: Counts, interrupted: bool) -> u8 {
    match counts {
        _ if interrupted => INTERRUPTED,
        Counts { fail: 1.., .. } => FAILED,
        Counts { error: 1.., .. } => NOT_JUDGED,
        Counts { pass: 1.., .. } => PASSED,
        Counts { .. } => NOTHING,
    }
}

/// The exit code under the target that nextest drives.
pub const fn libtest_exit_code(counts: Counts) -> u8 {
    if counts.fail + counts.error > 0 { LIBTEST_FAILED } else { PASSED }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination of "none" and "some" for each outcome, with the code by the contract's own words.
    #[test]
    fn every_combination() {
        for bits in 0..32_usize {
            let some = |bit: usize| (bits >> bit & 1) * (bit + 1);
            let counts = Counts { pass: some(0), fail: some(1), error: some(2), skip: some(3) };
            let interrupted = some(4) > 0;
            let expected = if interrupted {
                130
            } else if counts.fail > 0 {
                1
            } else if counts.error > 0 {
                3
            } else if counts.pass == 0 {
                4
            } else {
                0
            };
            assert_eq!(exit_code(counts, interrupted), expected, "{counts:?} interrupted: {interrupted}");
            assert_eq!(libtest_exit_code(counts) == 101, counts.fail > 0 || counts.error > 0);
        }
    }

    #[test]
    fn over_several_suites() {
        let code = |suites: &[Counts]| exit_code(suites.iter().copied().sum(), false);
        let [pass, fail, error, skip] = [0, 1, 2, 3].map(|at| {
            let one = |n| usize::from(n == at);
            Counts { pass: one(0), fail: one(1), error: one(2), skip: one(3) }
        });
        assert_eq!(code(&[pass, skip]), PASSED);
        assert_eq!(code(&[error, fail, pass]), FAILED);
        assert_eq!(code(&[pass, error]), NOT_JUDGED);
        assert_eq!(code(&[skip, skip]), NOTHING);
        assert_eq!(code(&[]), NOTHING);
    }
}
