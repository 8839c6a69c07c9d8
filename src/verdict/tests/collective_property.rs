//! Whatever is measured, a pass means that everything was looked at and holds.

use proptest::prelude::*;

use crate::{
    evidence::{Measurement, OutOfBounds, Row, Sample, Wrong},
    spec::{Collective, InPlace},
    verdict::{
        Outcome,
        testing::placed,
        testing_measured::{all_reduce, figure, judged, measured, rank, size},
    },
};

const FLOOR: f64 = 100.0;
const SIZES: [&str; 3] = ["1M", "16M", "1G"];

/// One step away from a good measurement.
#[derive(Clone, Debug)]
enum Change {
    Unfinished,
    RowsDoubt,
    RanksDoubt,
    Ranks(Vec<u32>),
    Footer(Option<OutOfBounds>),
    Validation(Option<bool>),
    Operation(&'static str),
    Drop(usize),
    Repeat(usize),
    Resize(usize, u64),
    Doubt(usize),
    Datatype(usize),
    Missing(usize, bool),
    Bandwidth(usize, bool, f64),
    BusOnly(usize, bool, f64),
    Wrong(usize, bool, Wrong),
}

fn change() -> impl Strategy<Value = Change> {
    let at = || 0..SIZES.len();
    let place = any::<bool>;
    let value = || prop_oneof![80.0..120.0, Just(0.0), Just(-5.0), Just(f64::NAN), Just(f64::INFINITY), Just(FLOOR)];
    let wrong = prop_oneof![
        Just(Wrong::Elements(0)),
        Just(Wrong::Elements(7)),
        Just(Wrong::Deviation(1e-7)),
        Just(Wrong::Deviation(f64::NAN)),
        Just(Wrong::Unchecked)
    ];
    let footer = (any::<bool>(), 0..2_u64).prop_map(|(ok, count)| OutOfBounds { count, ok });
    prop_oneof![
        Just(Change::Unfinished),
        Just(Change::RowsDoubt),
        Just(Change::RanksDoubt),
        prop::collection::vec(0..4_u32, 0..5).prop_map(Change::Ranks),
        prop::option::of(footer).prop_map(Change::Footer),
        any::<Option<bool>>().prop_map(Change::Validation),
        prop_oneof![Just("all_reduce"), Just("all_gather")].prop_map(Change::Operation),
        at().prop_map(Change::Drop),
        at().prop_map(Change::Repeat),
        (at(), prop_oneof![Just(0), Just((1 << 20) - 32), Just(1 << 30)]).prop_map(|(at, to)| Change::Resize(at, to)),
        at().prop_map(Change::Doubt),
        at().prop_map(Change::Datatype),
        (at(), place()).prop_map(|(at, place)| Change::Missing(at, place)),
        (at(), place(), value()).prop_map(|(at, place, value)| Change::Bandwidth(at, place, value)),
        (at(), place(), value()).prop_map(|(at, place, value)| Change::BusOnly(at, place, value)),
        (at(), place(), wrong).prop_map(|(at, place, wrong)| Change::Wrong(at, place, wrong)),
    ]
}

fn apply(measurement: &mut Measurement, change: Change) {
    match change {
        Change::Unfinished => measurement.unfinished = Some("cut".into()),
        Change::RowsDoubt => measurement.rows_doubt = Some("cut".into()),
        Change::RanksDoubt => measurement.ranks_doubt = Some("cut".into()),
        Change::Ranks(ranks) => measurement.ranks = ranks.into_iter().map(rank).collect(),
        Change::Footer(footer) => measurement.out_of_bounds = footer,
        Change::Validation(validation) => measurement.validation = validation,
        Change::Operation(name) => measurement.operation = Some(name.into()),
        Change::Drop(at) if at < measurement.rows.len() => drop(measurement.rows.remove(at)),
        Change::Repeat(at) => {
            let row = measurement.rows.get(at).cloned();
            measurement.rows.extend(row);
        }
        other => on_row(measurement, other),
    }
}

fn on_row(measurement: &mut Measurement, change: Change) {
    let rows = &mut measurement.rows;
    match change {
        Change::Resize(at, to) => rows.get_mut(at).into_iter().for_each(|row| row.size = to),
        Change::Doubt(at) => {
            rows.get_mut(at).into_iter().for_each(|row| row.doubt = Some("two outputs disagree".into()))
        }
        Change::Datatype(at) => rows.get_mut(at).into_iter().for_each(|row| row.datatype = Some("half".into())),
        Change::Missing(at, place) => rows.get_mut(at).into_iter().for_each(|row| *half(row, place) = None),
        Change::Bandwidth(at, place, value) => on_sample(rows, at, place, |sample| {
            (sample.busbw, sample.algbw) = (figure(value), figure(value / 1.5));
        }),
        Change::BusOnly(at, place, value) => on_sample(rows, at, place, |sample| sample.busbw = figure(value)),
        Change::Wrong(at, place, wrong) => on_sample(rows, at, place, |sample| sample.wrong = wrong),
        _ => {}
    }
}

fn on_sample(rows: &mut [Row], at: usize, in_place: bool, change: impl FnOnce(&mut Sample)) {
    if let Some(sample) = rows.get_mut(at).and_then(|row| half(row, in_place).as_mut()) {
        change(sample);
    }
}

fn half(row: &mut Row, in_place: bool) -> &mut Option<Sample> {
    if in_place { &mut row.in_place } else { &mut row.out_of_place }
}

/// What a pass promises, said once more without the judge's own code.
fn is_proved(asked: &Collective, measurement: &Measurement) -> bool {
    let places: &[bool] = match asked.in_place.as_ref().map(|in_place| in_place.value) {
        None | Some(InPlace::Both) => &[false, true],
        Some(InPlace::Only) => &[true],
        Some(InPlace::Never) => &[false],
    };
    let mut ranks: Vec<u32> = measurement.ranks.iter().map(|rank| rank.rank).collect();
    ranks.sort_unstable();
    let whole = ranks.len() > 1 && ranks.iter().copied().eq(0..ranks.len() as u32);
    let ended = measurement.unfinished.is_none() && measurement.rows_doubt.is_none();
    let clean = measurement.out_of_bounds.is_none_or(|footer| footer.ok && footer.count == 0);
    let right = |wrong: Wrong| match wrong {
        Wrong::Elements(count) => count == 0,
        Wrong::Deviation(deviation) => deviation.is_finite() && measurement.out_of_bounds.is_some(),
        Wrong::Unchecked => false,
    };
    let good = |row: &Row| {
        let mut row = row.clone();
        row.doubt.is_none()
            && row.datatype.as_deref() == Some("float")
            && places
                .iter()
                .all(|place| half(&mut row, *place).is_some_and(|half| half.busbw.value >= FLOOR && right(half.wrong)))
    };
    let all_good = |text: &&str| {
        let mut rows = measurement.rows.iter().filter(|row| row.size == size(text).0).peekable();
        rows.peek().is_some() && rows.all(good)
    };
    let no_wrong_element = measurement.rows.iter().all(|row| {
        let mut row = row.clone();
        [false, true]
            .iter()
            .all(|place| half(&mut row, *place).is_none_or(|half| !matches!(half.wrong, Wrong::Elements(1..))))
    });
    whole
        && measurement.ranks_doubt.is_none()
        && ended
        && clean
        && measurement.validation != Some(false)
        && measurement.operation.as_deref() == Some("all_reduce")
        && no_wrong_element
        && SIZES.iter().all(all_good)
}

proptest! {
    #[test]
    fn a_pass_is_proved(changes in prop::collection::vec(change(), 0..4), in_place in 0..4_u8) {
        let rows = SIZES.map(|size| (size, 110.0, 110.0));
        let mut measurement = measured(4, &rows);
        changes.into_iter().for_each(|change| apply(&mut measurement, change));
        let mut asked = all_reduce(&SIZES.map(|size| (size, FLOOR)));
        asked.in_place = [InPlace::Both, InPlace::Only, InPlace::Never].get(usize::from(in_place)).copied().map(placed);
        let verdict = judged(&asked, &measurement);
        if verdict.outcome == Outcome::Pass {
            prop_assert!(is_proved(&asked, &measurement), "{measurement:#?}");
        }
    }
}
