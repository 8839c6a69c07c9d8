use proptest::prelude::*;

use super::*;
use crate::evidence::{Figure, Rank, Row, Sample, SizeRange, Wrong};

fn printed(text: &str) -> Figure {
    Figure::printed(text).unwrap()
}

fn sample(busbw: &str) -> Sample {
    Sample { time: printed("10.0"), algbw: printed("20.0"), busbw: printed(busbw), wrong: Wrong::Elements(0) }
}

fn row(file: &str, line: u32, size: u64, busbw: &str) -> Row {
    Row {
        size,
        count: None,
        datatype: Some("float".to_owned()),
        redop: Some("sum".to_owned()),
        root: None,
        out_of_place: Some(sample("20.0")),
        in_place: Some(sample(busbw)),
        doubt: None,
        source: file.to_owned(),
        line,
    }
}

fn rank(rank: u32, host: Option<&str>) -> Rank {
    Rank { rank, host: host.map(str::to_owned), device: None, pci: None, name: None }
}

fn of(file: &str, rows: Vec<Row>) -> Measurement {
    Measurement { sources: vec![file.to_owned()], rows, ..Measurement::default() }
}

fn both(one: Measurement, two: Measurement) -> [Measurement; 2] {
    [one.clone().merged(two.clone()), two.merged(one)]
}

#[test]
fn equal_within_their_rounding_the_more_precise_figure_stays() {
    for merged in
        both(of("a.txt", vec![row("a.txt", 7, 8, "345.1")]), of("a.json", vec![row("a.json", 0, 8, "345.1478")]))
    {
        let [row] = merged.rows.as_slice() else { panic!("{:?}", merged.rows) };
        assert_eq!((row.in_place.unwrap().busbw, row.doubt.as_deref()), (printed("345.1478"), None));
    }
}

#[test]
fn figures_that_differ_are_doubtful_and_both_places_named() {
    for merged in
        both(of("A.txt", vec![row("A.txt", 7, 8, "345.1")]), of("A.json", vec![row("A.json", 0, 8, "300.00")]))
    {
        let [row] = merged.rows.as_slice() else { panic!("{:?}", merged.rows) };
        let doubt = "A.json says 300 GB/s in place busbw, A.txt:7 says 345.1 GB/s in place busbw";
        assert_eq!((row.in_place.unwrap().busbw, row.doubt.as_deref()), (printed("300.00"), Some(doubt)));
    }
}

#[test]
fn data_that_one_calls_wrong_or_unchecked_is_doubtful() {
    for wrong in [Wrong::Elements(4), Wrong::Unchecked] {
        let mut bad = row("b", 1, 8, "5.0");
        bad.in_place = bad.in_place.map(|sample| Sample { wrong, ..sample });
        for merged in both(of("a", vec![row("a", 1, 8, "5.0")]), of("b", vec![bad.clone()])) {
            assert_eq!(merged.rows[0].in_place.unwrap().wrong, wrong);
            assert!(merged.rows[0].doubt.as_deref().unwrap().contains("b:1 says "), "{:?}", merged.rows[0].doubt);
        }
    }
}

#[test]
fn a_row_or_place_of_one_output_is_kept_as_it_is() {
    let half = Row { in_place: None, ..row("a", 1, 8, "5.0") };
    for merged in both(of("a", vec![half.clone()]), of("b", vec![row("b", 1, 8, "5.0"), row("b", 2, 16, "6.0")])) {
        assert_eq!(merged.rows.iter().map(|row| row.size).collect::<Vec<_>>(), [8, 16]);
        assert!(merged.rows.iter().all(|row| row.doubt.is_none() && row.in_place.is_some()));
    }
}

#[test]
fn sizes_are_paired_by_type_and_in_their_order() {
    let half = Row { datatype: Some("half".to_owned()), ..row("b", 3, 8, "9.0") };
    let twice = || vec![row("a", 1, 8, "5.0"), row("a", 2, 8, "6.0")];
    let merged = of("a", twice()).merged(of("b", vec![half, row("b", 1, 8, "5.0"), row("b", 2, 8, "6.0")]));
    assert_eq!(merged.rows.len(), 3);
    assert!(merged.rows.iter().all(|row| row.doubt.is_none()), "{:?}", merged.rows);
}

#[test]
fn a_whole_list_of_ranks_wins() {
    let whole = Measurement { ranks: vec![rank(0, Some("n0.lan")), rank(1, Some("n0"))], ..of("a", vec![]) };
    let partial = Measurement {
        ranks: vec![rank(0, Some("n0"))],
        ranks_doubt: Some("it lists 1 of 2".to_owned()),
        ..of("b", vec![])
    };
    for merged in both(whole.clone(), partial) {
        assert_eq!((merged.whole_ranks(), merged.ranks_doubt), (Some(2), None));
    }
    let bare = Measurement { ranks: vec![rank(1, None), rank(0, None)], ..of("b", vec![]) };
    for merged in both(whole, bare) {
        assert_eq!((merged.whole_ranks(), merged.hosts()), (Some(2), Some(2)));
    }
}

#[test]
fn lists_of_ranks_that_differ_are_doubtful() {
    let list = |file: &str, hosts: &[&str]| Measurement {
        ranks: (0..).zip(hosts).map(|(index, host)| rank(index, Some(host))).collect(),
        ..of(file, vec![])
    };
    for merged in both(list("a", &["n0", "n0"]), list("b", &["n0", "n0", "n0", "n0"])) {
        assert_eq!(merged.ranks_doubt.as_deref(), Some("a lists 2 ranks, b lists 4 ranks"));
    }
    for merged in both(list("a", &["n0", "n0"]), list("b", &["n0", "n1"])) {
        assert_eq!(merged.ranks_doubt.as_deref(), Some("a and b differ on rank 1"));
    }
    let stray = Measurement { ranks: vec![rank(5, Some("n0"))], ..of("b", vec![]) };
    for merged in both(list("a", &["n0", "n0"]), stray) {
        assert_eq!(merged.ranks_doubt.as_deref(), Some("a and b differ on rank 5"));
    }
}

#[test]
fn headers_that_contradict_each_other_make_the_rows_doubtful() {
    let one = Measurement { operation: Some("all_reduce".to_owned()), iterations: Some(20), ..of("a.txt", vec![]) };
    let two = Measurement {
        operation: Some("broadcast".to_owned()),
        range: Some(SizeRange { from: 8, to: 16 }),
        ..of("b.json", vec![])
    };
    let [first, second] = both(one, two);
    assert_eq!(first.operation.as_deref(), Some("all_reduce"));
    let doubt = "a.txt says operation all_reduce, b.json says operation broadcast";
    assert_eq!((first.rows_doubt.as_deref(), second.rows_doubt.as_deref()), (Some(doubt), Some(doubt)));
    assert_eq!((first.iterations, first.range), (Some(20), Some(SizeRange { from: 8, to: 16 })));
}

#[test]
fn a_failure_stays_and_one_whole_output_is_enough() {
    let one = Measurement {
        unfinished: Some("it is cut".to_owned()),
        out_of_bounds: Some(OutOfBounds { count: 2, ok: false }),
        validation: Some(true),
        ..of("a", vec![])
    };
    let two = Measurement {
        out_of_bounds: Some(OutOfBounds { count: 0, ok: true }),
        validation: Some(false),
        tool: Some("nccl-tests 2.19.6".to_owned()),
        ..of("b", vec![])
    };
    let named = Measurement { tool: Some("nccl-tests".to_owned()), ..one.clone() };
    for merged in both(named, two) {
        assert_eq!(merged.out_of_bounds, Some(OutOfBounds { count: 2, ok: false }));
        assert_eq!((merged.validation, merged.unfinished), (Some(false), None));
        assert_eq!(merged.tool.as_deref(), Some("nccl-tests 2.19.6"));
    }
    let cut = Measurement { unfinished: Some("it has no end".to_owned()), ..of("b", vec![]) };
    for merged in both(one, cut) {
        assert_eq!(merged.unfinished.as_deref(), Some("it has no end; it is cut"));
    }
}

#[test]
fn environments_are_joined_and_two_values_told() {
    let with = |file: &str, variables: &[(&str, &str)]| Measurement {
        environment: Some(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()),
        ..of(file, vec![])
    };
    let [merged, _] =
        both(with("a", &[("NCCL_ALGO", "Ring")]), with("b", &[("NCCL_ALGO", "Tree"), ("NCCL_NET", "IB")]));
    assert_eq!(merged.environment.unwrap()["NCCL_NET"], "IB");
    assert_eq!(merged.rows_doubt.as_deref(), Some("a says NCCL_ALGO Ring, b says NCCL_ALGO Tree"));
}

fn any_row() -> impl Strategy<Value = Row> {
    let type_ = prop::option::of(prop::sample::select(vec!["float".to_owned(), "half".to_owned()]));
    (0..3u64, type_, "[1-3]\\.[0-9]{0,2}", 0..3u32, any::<bool>()).prop_map(|(size, datatype, busbw, wrong, whole)| {
        let mut row = Row { datatype, ..row("", size as u32, size, &busbw) };
        let wrong = if wrong == 2 { Wrong::Unchecked } else { Wrong::Elements(wrong.into()) };
        row.in_place = row.in_place.filter(|_| whole).map(|sample| Sample { wrong, ..sample });
        row
    })
}

fn any_measurement(file: &'static str) -> impl Strategy<Value = Measurement> {
    let hosts = prop::option::of(prop::sample::select(vec!["n0", "n1"]));
    let ranks = prop::collection::vec((0..4u32, hosts), 0..4);
    let rows = prop::collection::vec(any_row(), 0..6);
    let flags = (any::<Option<bool>>(), any::<bool>(), prop::option::of((0..2u64, any::<bool>())), 0..3u32);
    (rows, ranks, flags).prop_map(move |(rows, ranks, (validation, cut, footer, iterations))| Measurement {
        rows: rows.into_iter().map(|row| Row { source: file.to_owned(), ..row }).collect(),
        ranks: ranks.into_iter().map(|(index, host)| rank(index, host)).collect(),
        ranks_doubt: cut.then(|| format!("{file} is cut")),
        validation,
        unfinished: cut.then(|| "it is cut".to_owned()),
        out_of_bounds: footer.map(|(count, ok)| OutOfBounds { count, ok }),
        iterations: Some(iterations).filter(|count| *count > 0),
        ..of(file, vec![])
    })
}

/// What a judge takes from the rows, whatever their order.
fn judged(measurement: &Measurement) -> Vec<String> {
    let of = |row: &Row| {
        let place = |sample: Option<Sample>| sample.map(|sample| (sample.busbw, sample.wrong));
        format!("{} {:?} {:?} {:?}", row.size, row.doubt, place(row.out_of_place), place(row.in_place))
    };
    let mut rows: Vec<String> = measurement.rows.iter().map(of).collect();
    rows.sort();
    rows
}

proptest! {
    #[test]
    fn which_comes_first_changes_no_judgement(one in any_measurement("a.txt"), two in any_measurement("b.json")) {
        let [first, second] = both(one, two);
        prop_assert_eq!(judged(&first), judged(&second));
        prop_assert_eq!(first.whole_ranks(), second.whole_ranks());
        prop_assert_eq!(&first.ranks_doubt, &second.ranks_doubt);
        prop_assert_eq!(&first.rows_doubt, &second.rows_doubt);
        prop_assert_eq!(&first.unfinished, &second.unfinished);
        prop_assert_eq!(first.validation, second.validation);
        prop_assert_eq!(first.out_of_bounds, second.out_of_bounds);
    }

    #[test]
    fn merging_never_takes_a_doubt_or_a_wrong_element_away(
        one in any_measurement("a.txt"), two in any_measurement("b.json")
    ) {
        let wrong = |measurement: &Measurement| {
            let wrong = |row: &Row| row.in_place.is_some_and(|sample| matches!(sample.wrong, Wrong::Elements(1..)));
            measurement.rows.iter().any(wrong)
        };
        let before = wrong(&one) || wrong(&two);
        prop_assert_eq!(wrong(&one.merged(two)), before);
    }
}
