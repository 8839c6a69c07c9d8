//! How an output ends: its count of wrong values, or a failure.

use crate::evidence::OutOfBounds;

const NAME: &str = "Out of bounds values";
/// What nccl-tests prints when it gives up.
const FAILURES: [&str; 5] =
    ["Test NCCL failure", "Test CUDA failure", "Test HIP failure", "Test failure", "Test timeout"];

/// Reads `Out of bounds values : 0 OK`. `Some(None)` where the line is damaged.
pub(super) fn out_of_bounds(comment: &str) -> Option<Option<OutOfBounds>> {
    let rest = comment.strip_prefix(NAME)?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [":", count, word @ ("OK" | "FAILED")] = words[..] else { return Some(None) };
    let count = count.parse().ok();
    Some(count.map(|count| OutOfBounds { count, ok: word == "OK" && count == 0 }))
}

/// Several tables have several footers: all must be right.
pub(super) fn both(first: Option<OutOfBounds>, second: OutOfBounds) -> OutOfBounds {
    let Some(first) = first else { return second };
    OutOfBounds { count: first.count.saturating_add(second.count), ok: first.ok && second.ok }
}

/// Whether a line says that the test failed, in place of a result.
pub(super) fn is_failure(text: &str) -> bool {
    FAILURES.iter().any(|failure| text.contains(failure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footers_are_right_failed_or_damaged() {
        let of = |count, ok| Some(Some(OutOfBounds { count, ok }));
        assert_eq!(out_of_bounds("Out of bounds values : 0 OK"), of(0, true));
        assert_eq!(out_of_bounds("Out of bounds values : 12 FAILED"), of(12, false));
        assert_eq!(out_of_bounds("Out of bounds values : 1 OK"), of(1, false));
        for line in [
            "Out of bounds values : 0 O",
            "Out of bounds values : OK",
            "Out of bounds values : 0 OK# Avg",
            "Out of bounds values",
        ] {
            assert_eq!(out_of_bounds(line), Some(None), "{line}");
        }
        assert_eq!(out_of_bounds("Avg bus bandwidth : 1"), None);
    }

    #[test]
    fn two_footers_are_one() {
        let (right, failed) = (OutOfBounds { count: 0, ok: true }, OutOfBounds { count: 3, ok: false });
        assert_eq!(both(Some(right), failed), failed);
        assert_eq!(both(None, right), right);
    }

    #[test]
    fn failures_are_told() {
        assert!(is_failure("n1: Test NCCL failure common.cu:9 'unhandled system error'"));
        assert!(is_failure(" .. n1 pid 12: Test failure common.cu:11"));
        assert!(!is_failure("# Collective test concluded: all_reduce_perf"));
    }
}
