/// The middle value, or the mean of the two in the middle; `None` of nothing.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    sorted.get(middle - 1).map(|lower| (lower + upper) / 2.0)
}

/// The least and the largest; `None` of nothing.
pub(super) fn range(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().min_by(f64::total_cmp)?;
    let largest = values.iter().copied().max_by(f64::total_cmp)?;
    Some((least, largest))
}

/// How far the medians of the odd and of the even runs lie apart; `None` of fewer than two runs.
pub(super) fn odd_even(values: &[f64]) -> Option<f64> {
    let every_other = |from: usize| values.iter().copied().skip(from).step_by(2).collect::<Vec<_>>();
    Some((median(&every_other(0))? - median(&every_other(1))?).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[9.0, 1.0, 2.0, 4.0]), Some(3.0));
    }

    #[test]
    fn the_ends() {
        assert_eq!(range(&[]), None);
        assert_eq!(range(&[3.0, 1.0, 2.0]), Some((1.0, 3.0)));
    }

    #[test]
    fn odd_and_even_runs() {
        // The first, third and fifth: median 12; the second and fourth: median 10.5.
        assert_eq!(odd_even(&[12.0, 10.0, 13.0, 11.0, 1.0]), Some(1.5));
        assert_eq!(odd_even(&[12.0]), None);
    }
}
