use std::collections::BTreeSet;

use serde::Serialize;

use super::{
    row::{Agreement, Row},
    times::{Key, Times},
};

/// Fewer pairs of runs than this tell where to look, and nothing more.
pub const LEAST_PAIRS: usize = 7;
/// One row in so many may lie outside: 2 %.
const ROWS_PER_OUTSIDER: usize = 50;

/// One run of nccl-tests and the one of linkspec beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair {
    /// What nccl-tests measured.
    pub theirs: Times,
    /// What linkspec measured.
    pub ours: Times,
}

/// All pairs, compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// How many pairs of runs were made.
    pub pairs: usize,
    /// Every size and place.
    pub rows: Vec<Row>,
    /// Whether the engines agree.
    pub verdict: Verdict,
}

/// Whether two engines agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// They do, by the rule.
    Within,
    /// They do not.
    Outside,
    /// Too few pairs were made for a verdict.
    Orientation,
}

/// What cannot be compared, as a fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// One side lacks a row that the other has, or that it had in another run.
    #[error("run {run}: {side} lacks {key}")]
    Lacks {
        /// The pair, from 1.
        run: usize,
        /// `nccl-tests` or `linkspec`.
        side: &'static str,
        /// The row.
        key: Key,
    },
    /// There is nothing.
    #[error("nothing was measured")]
    Nothing,
}

/// Compares pairs of runs row by row.
pub fn compare(pairs: &[Pair]) -> Result<Comparison, CompareError> {
    let keys: BTreeSet<Key> =
        pairs.iter().flat_map(|pair| pair.theirs.keys().chain(pair.ours.keys())).copied().collect();
    let rows = keys.into_iter().map(|key| row(key, pairs)).collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() {
        return Err(CompareError::Nothing);
    }
    let verdict = verdict(pairs.len(), &rows);
    Ok(Comparison { pairs: pairs.len(), rows, verdict })
}

fn row(key: Key, pairs: &[Pair]) -> Result<Row, CompareError> {
    let of = |side: &'static str, times: fn(&Pair) -> &Times| {
        let found = pairs
            .iter()
            .zip(1..)
            .map(|(pair, run)| times(pair).get(&key).copied().ok_or(CompareError::Lacks { run, side, key }));
        found.collect::<Result<Vec<f64>, _>>()
    };
    let theirs = of("nccl-tests", |pair| &pair.theirs)?;
    let ours = of("linkspec", |pair| &pair.ours)?;
    Row::of(key, theirs, ours).ok_or(CompareError::Nothing)
}

fn verdict(pairs: usize, rows: &[Row]) -> Verdict {
    if pairs < LEAST_PAIRS {
        return Verdict::Orientation;
    }
    // Over so many rows chance alone puts one outside of a bound of 1 %, which is that of large sizes.
    let outside = rows.iter().filter(|row| row.agreement != Agreement::Within).count();
    let unforgivable = rows.iter().any(|row| match row.agreement {
        Agreement::Within => false,
        Agreement::Outside => !row.is_large(),
        Agreement::Far => true,
    });
    if unforgivable || outside * ROWS_PER_OUTSIDER > rows.len() { Verdict::Outside } else { Verdict::Within }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// So many large rows and one small one, each of seven equal pairs, but for the rows that are named: there linkspec
    /// took so much longer, in parts of the whole.
    fn with(large: u64, pairs: usize, longer: &[(u64, f64)]) -> Comparison {
        let mut pair = Pair::default();
        for size in (0..large).map(|at| MIB + at).chain([8]) {
            let key = Key { size, in_place: false };
            let factor = longer.iter().find(|(named, _)| *named == size).map_or(1.0, |(_, longer)| 1.0 + longer);
            pair.theirs.insert(key, 1000.0);
            pair.ours.insert(key, 1000.0 * factor);
        }
        compare(&vec![pair; pairs]).unwrap()
    }

    #[test]
    fn equal_runs_agree_where_there_are_seven() {
        assert_eq!(with(2, 7, &[]).verdict, Verdict::Within);
        assert_eq!(with(2, 6, &[]).verdict, Verdict::Orientation);
        // Too few pairs are no failure either: they tell nothing.
        assert_eq!(with(2, 6, &[(MIB, 0.5)]).verdict, Verdict::Orientation);
    }

    #[test]
    fn one_row_in_fifty_may_lie_outside_if_it_is_a_large_one() {
        // There is a small row beside the large ones.
        assert_eq!(with(49, 7, &[(MIB, 0.015)]).verdict, Verdict::Within);
        assert_eq!(with(48, 7, &[(MIB, 0.015)]).verdict, Verdict::Outside);
        assert_eq!(with(98, 7, &[(MIB, 0.015), (MIB + 1, 0.015)]).verdict, Verdict::Outside);
        assert_eq!(with(99, 7, &[(MIB, 0.015), (MIB + 1, 0.015)]).verdict, Verdict::Within);
    }

    #[test]
    fn none_may_lie_far_outside() {
        assert_eq!(with(50, 7, &[(MIB, 0.021)]).verdict, Verdict::Outside);
        // Faster than the reference is as wrong as slower.
        assert_eq!(with(50, 7, &[(MIB, -0.021)]).verdict, Verdict::Outside);
    }

    #[test]
    fn no_small_row_may_lie_outside() {
        assert_eq!(with(100, 7, &[(8, 0.009)]).verdict, Verdict::Within);
        assert_eq!(with(100, 7, &[(8, 0.015)]).verdict, Verdict::Outside);
    }

    #[test]
    fn a_row_that_one_side_lacks() {
        let key = Key { size: 8, in_place: true };
        let whole = Pair { theirs: Times::from([(key, 1.0)]), ours: Times::from([(key, 1.0)]) };
        let theirs_only = Pair { ours: Times::new(), ..whole.clone() };
        let error = compare(&[whole.clone(), theirs_only]).unwrap_err();
        assert_eq!(error.to_string(), "run 2: linkspec lacks 8 in place");
        let ours_only = Pair { theirs: Times::new(), ..whole };
        assert_eq!(compare(&[ours_only]).unwrap_err().to_string(), "run 1: nccl-tests lacks 8 in place");
        assert_eq!(compare(&[]), Err(CompareError::Nothing));
        assert_eq!(compare(&[Pair::default()]), Err(CompareError::Nothing));
    }
}
