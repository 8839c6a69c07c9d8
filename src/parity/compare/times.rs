use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    collective::{Ablation, Layout, Sweep},
    evidence::{Measurement, RankSample, Sample, Wrong},
    spec::Operation,
    units::Size,
};

/// What is compared with its like: a size and a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The size in bytes, as nccl-tests prints it.
    pub size: u64,
    /// Whether it is in place.
    pub in_place: bool,
}

/// One run: the time of one operation in microseconds, the mean over the ranks.
pub type Times = BTreeMap<Key, f64>;

/// What is no figure that can be compared, as a fragment.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TimesError {
    /// A time that is none.
    #[error("{key}: {time} us is no time")]
    Time {
        /// Where.
        key: Key,
        /// What was told.
        time: f64,
    },
    /// A size stands twice.
    #[error("{0} was measured twice")]
    Twice(Key),
    /// Not every rank told its time.
    #[error("{key}: rank {rank} told {count} times, not one")]
    Rank {
        /// Where.
        key: Key,
        /// The rank.
        rank: u32,
        /// How often it told one.
        count: usize,
    },
    /// A rank that is not of the session.
    #[error("{key}: rank {rank} of {ranks} ranks told a time")]
    Stranger {
        /// Where.
        key: Key,
        /// The rank.
        rank: u32,
        /// How many there are.
        ranks: u32,
    },
    /// Data arrived wrong.
    #[error("{key}: {count} elements arrived wrong")]
    Wrong {
        /// Where.
        key: Key,
        /// How many.
        count: u64,
    },
    /// Data was not checked.
    #[error("{0}: the data was not checked")]
    Unchecked(Key),
    /// A row that cannot be relied on.
    #[error("{key}: {doubt}")]
    Doubt {
        /// Where.
        key: Key,
        /// Why.
        doubt: String,
    },
    /// A place that the row lacks.
    #[error("{0} was not measured")]
    Missing(Key),
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.in_place { "in place" } else { "out of place" };
        write!(f, "{} {place}", Size(self.size))
    }
}

impl Key {
    /// `in` or `out`, as the table has it.
    pub const fn place(self) -> &'static str {
        if self.in_place { "in" } else { "out" }
    }
}

/// What nccl-tests measured. Size 0, which it prints where the ranks cannot share a size, is no measurement.
pub fn theirs(measurement: &Measurement) -> Result<Times, TimesError> {
    let mut times = Times::new();
    for row in measurement.rows.iter().filter(|row| row.size > 0) {
        for (in_place, sample) in [(false, row.out_of_place), (true, row.in_place)] {
            let key = Key { size: row.size, in_place };
            if let Some(doubt) = &row.doubt {
                return Err(TimesError::Doubt { key, doubt: doubt.clone() });
            }
            let sample = sample.ok_or(TimesError::Missing(key))?;
            insert(&mut times, key, checked(key, &sample)?)?;
        }
    }
    Ok(times)
}

fn checked(key: Key, sample: &Sample) -> Result<f64, TimesError> {
    match sample.wrong {
        Wrong::Elements(0) => Ok(sample.time.value),
        Wrong::Elements(count) => Err(TimesError::Wrong { key, count }),
        // An old output's deviation has no bound here.
        Wrong::Unchecked | Wrong::Deviation(_) => Err(TimesError::Unchecked(key)),
    }
}

/// What linkspec's ranks measured of a sweep: the mean over all of them, as nccl-tests has it by default. Data that is not
/// there need not be checked.
pub fn ours(samples: &[RankSample], sweep: &Sweep, ranks: u32) -> Result<Times, TimesError> {
    let operation = Operation::named(&sweep.operation).unwrap_or(Operation::AllReduce);
    let checked = !sweep.without(Ablation::Data);
    let mut told: BTreeMap<Key, Vec<&RankSample>> = BTreeMap::new();
    for sample in samples {
        let size = Layout::of(operation, sample.size, ranks, sweep.datatype).size();
        if size > 0 {
            told.entry(Key { size, in_place: sample.in_place }).or_default().push(sample);
        }
    }
    let mut times = Times::new();
    for (key, samples) in told {
        insert(&mut times, key, mean(key, &samples, ranks, checked)?)?;
    }
    Ok(times)
}

fn mean(key: Key, samples: &[&RankSample], ranks: u32, checked: bool) -> Result<f64, TimesError> {
    if let Some(stranger) = samples.iter().find(|sample| sample.rank >= ranks) {
        return Err(TimesError::Stranger { key, rank: stranger.rank, ranks });
    }
    for rank in 0..ranks {
        let count = samples.iter().filter(|sample| sample.rank == rank).count();
        if count != 1 {
            return Err(TimesError::Rank { key, rank, count });
        }
    }
    let count = samples.iter().map(|sample| sample.wrong).sum();
    if count > 0 {
        return Err(TimesError::Wrong { key, count });
    }
    if checked && samples.iter().any(|sample| sample.checked.is_none()) {
        return Err(TimesError::Unchecked(key));
    }
    // A time that is none is none for the mean, whatever the others are.
    if let Some(sample) = samples.iter().find(|sample| !is_time(sample.time)) {
        return Err(TimesError::Time { key, time: sample.time });
    }
    Ok(samples.iter().map(|sample| sample.time).sum::<f64>() / f64::from(ranks))
}

fn insert(times: &mut Times, key: Key, time: f64) -> Result<(), TimesError> {
    if !is_time(time) {
        return Err(TimesError::Time { key, time });
    }
    match times.insert(key, time) {
        Some(_) => Err(TimesError::Twice(key)),
        None => Ok(()),
    }
}

fn is_time(time: f64) -> bool {
    time.is_finite() && time > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Figure, Row};

    fn sweep(ablations: Vec<Ablation>) -> Sweep {
        Sweep { ablations, ..crate::parity::compare::testing::report(7, 200.0).setup.sweep }
    }

    const OUT: Key = Key { size: 8, in_place: false };
    const IN: Key = Key { size: 8, in_place: true };

    fn sample(rank: u32, size: u64, time: f64) -> RankSample {
        RankSample { rank, size, in_place: false, time, checked: Some(8), wrong: 0, first_wrong: None }
    }

    fn of(samples: &[RankSample]) -> Result<Times, TimesError> {
        ours(samples, &sweep(Vec::new()), 2)
    }

    #[test]
    fn zeros_have_nothing_to_check() {
        let unchecked = [0, 1].map(|rank| RankSample { checked: None, ..sample(rank, 8, 9.0) });
        assert_eq!(of(&unchecked), Err(TimesError::Unchecked(OUT)));
        assert_eq!(ours(&unchecked, &sweep(vec![Ablation::Data]), 2), Ok(Times::from([(OUT, 9.0)])));
    }

    #[test]
    fn the_mean_over_the_ranks() {
        // 11 bytes are two elements of four: 8 bytes.
        let times = of(&[sample(1, 11, 12.0), sample(0, 11, 9.0)]).unwrap();
        assert_eq!(times, Times::from([(OUT, 10.5)]));
        // Fewer bytes than an element are no measurement.
        assert_eq!(of(&[sample(0, 3, 9.0)]).unwrap(), Times::new());
    }

    #[test]
    fn ranks_that_cannot_be_relied_on() {
        let [first, second] = [sample(0, 8, 9.0), sample(1, 8, 12.0)];
        let unchecked = RankSample { checked: None, ..second.clone() };
        let wrong = RankSample { wrong: 3, ..second.clone() };
        for (samples, error) in [
            (vec![first.clone()], TimesError::Rank { key: OUT, rank: 1, count: 0 }),
            (vec![first.clone(), first.clone(), second], TimesError::Rank { key: OUT, rank: 0, count: 2 }),
            (vec![first.clone(), sample(2, 8, 9.0)], TimesError::Stranger { key: OUT, rank: 2, ranks: 2 }),
            (vec![first.clone(), unchecked], TimesError::Unchecked(OUT)),
            (vec![first.clone(), wrong], TimesError::Wrong { key: OUT, count: 3 }),
            (vec![first, sample(1, 8, 0.0)], TimesError::Time { key: OUT, time: 0.0 }),
        ] {
            assert_eq!(of(&samples), Err(error));
        }
    }

    fn row(size: u64) -> Row {
        let figure = |value| Figure { value, rounding: 0.0 };
        let of = |time| {
            Some(Sample { time: figure(time), algbw: figure(1.0), busbw: figure(1.0), wrong: Wrong::Elements(0) })
        };
        Row {
            size,
            count: None,
            datatype: None,
            redop: None,
            root: None,
            out_of_place: of(10.0),
            in_place: of(11.0),
            doubt: None,
            source: "a.json".into(),
            line: 1,
        }
    }

    fn read(rows: Vec<Row>) -> Result<Times, TimesError> {
        theirs(&Measurement { rows, ..Measurement::default() })
    }

    #[test]
    fn both_places_of_each_row() {
        assert_eq!(read(vec![row(0), row(0), row(8)]).unwrap(), Times::from([(OUT, 10.0), (IN, 11.0)]));
    }

    #[test]
    fn rows_that_cannot_be_relied_on() {
        let of = |change: &dyn Fn(&mut Sample)| {
            let mut row = row(8);
            row.in_place.as_mut().into_iter().for_each(change);
            read(vec![row])
        };
        assert_eq!(read(vec![Row { in_place: None, ..row(8) }]), Err(TimesError::Missing(IN)));
        assert_eq!(read(vec![row(8), row(8)]), Err(TimesError::Twice(OUT)));
        assert_eq!(of(&|s| s.wrong = Wrong::Unchecked), Err(TimesError::Unchecked(IN)));
        assert_eq!(of(&|s| s.wrong = Wrong::Deviation(0.0)), Err(TimesError::Unchecked(IN)));
        assert_eq!(of(&|s| s.wrong = Wrong::Elements(2)), Err(TimesError::Wrong { key: IN, count: 2 }));
        assert_eq!(of(&|s| s.time.value = 0.0), Err(TimesError::Time { key: IN, time: 0.0 }));
        let doubtful = Row { doubt: Some("two outputs disagree".into()), ..row(8) };
        assert_eq!(read(vec![doubtful]), Err(TimesError::Doubt { key: OUT, doubt: "two outputs disagree".into() }));
    }
}
