use std::collections::BTreeMap;

use super::RankSample;

/// One measurement of a size and place: the mean time over its ranks, and the ranks' samples.
type Measured<'a> = (f64, Vec<&'a RankSample>);

/// What several measurements of one test say together: for each size and place the samples of the one whose time, the mean
/// over its ranks, is the median of all. Wrong data of any of them stays: an element that was wrong once was wrong.
///
/// Of an even number the slower one of the middle two counts. A size and place that one of them lacks has no median: what is
/// missing once is not known, however often it is there otherwise.
pub fn median_of(measurements: &[Vec<RankSample>]) -> Vec<RankSample> {
    let mut places: BTreeMap<(u64, bool), Vec<Measured<'_>>> = BTreeMap::new();
    for measurement in measurements {
        let mut own: BTreeMap<(u64, bool), Vec<&RankSample>> = BTreeMap::new();
        for sample in measurement {
            own.entry((sample.size, sample.in_place)).or_default().push(sample);
        }
        for (place, samples) in own {
            let mean = samples.iter().map(|sample| sample.time).sum::<f64>() / samples.len() as f64;
            places.entry(place).or_default().push((mean, samples));
        }
    }
    let in_all = |measured: &Vec<Measured<'_>>| measured.len() == measurements.len();
    places.into_values().filter(in_all).flat_map(middle).collect()
}

fn middle(mut measured: Vec<Measured<'_>>) -> Vec<RankSample> {
    measured.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let Some((_, chosen)) = measured.get(measured.len() / 2) else { return Vec::new() };
    let with_all = |sample: &&RankSample| {
        let of_rank = || measured.iter().flat_map(|(_, samples)| samples).filter(|other| other.rank == sample.rank);
        RankSample {
            // What one of them left unchecked is not known to be right.
            checked: of_rank().map(|other| other.checked).min().flatten(),
            wrong: of_rank().map(|other| other.wrong).sum(),
            first_wrong: of_rank().find_map(|other| other.first_wrong.clone()),
            ..(*sample).clone()
        }
    };
    chosen.iter().map(with_all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::WrongElement;

    fn sample(rank: u32, time: f64) -> RankSample {
        RankSample { rank, size: 8, in_place: false, time, checked: Some(8), wrong: 0, first_wrong: None }
    }

    fn times(samples: &[RankSample]) -> Vec<f64> {
        samples.iter().map(|sample| sample.time).collect()
    }

    #[test]
    fn the_samples_of_the_middle_measurement_stay_together() {
        // Means 10, 30, 12: the third is in the middle, though its ranks are apart.
        let all = [[9.0, 11.0], [30.0, 30.0], [4.0, 20.0]].map(|[one, other]| vec![sample(0, one), sample(1, other)]);
        assert_eq!(times(&median_of(&all)), [4.0, 20.0]);
        assert_eq!(times(&median_of(&all[..1])), [9.0, 11.0]);
        // Of two the slower: a figure is not better for having been measured twice.
        assert_eq!(times(&median_of(&all[..2])), [30.0, 30.0]);
        assert_eq!(median_of(&[]), []);
    }

    #[test]
    fn wrong_data_of_any_measurement_stays() {
        let element = WrongElement { offset: 3, expected: "1".into(), found: "2".into() };
        let bad = RankSample { wrong: 2, first_wrong: Some(element.clone()), ..sample(0, 50.0) };
        let unchecked = RankSample { checked: None, ..sample(0, 1.0) };
        let together = median_of(&[vec![sample(0, 10.0)], vec![bad], vec![sample(0, 9.0)]]);
        assert_eq!((together[0].time, together[0].wrong, together[0].first_wrong.clone()), (10.0, 2, Some(element)));
        assert_eq!(median_of(&[vec![sample(0, 10.0)], vec![unchecked]])[0].checked, None);
    }

    #[test]
    fn what_one_measurement_lacks_has_no_median() {
        let larger = RankSample { size: 16, ..sample(0, 5.0) };
        let all = [vec![sample(0, 1.0), larger.clone()], vec![sample(0, 2.0)], vec![sample(0, 3.0), larger]];
        assert_eq!(times(&median_of(&all)), [2.0]);
    }

    #[test]
    fn sizes_and_places_are_apart() {
        let other = |time| RankSample { in_place: true, ..sample(0, time) };
        let all =
            [vec![sample(0, 1.0), other(9.0)], vec![sample(0, 2.0), other(8.0)], vec![sample(0, 3.0), other(7.0)]];
        assert_eq!(times(&median_of(&all)), [2.0, 8.0]);
    }
}
