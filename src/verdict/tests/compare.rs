//! Two cases' bandwidths set against each other.

use crate::{
    evidence::{Measurement, Wrong},
    spec::{Collective, Compare, CompareSide, InPlace, Kind, Operation, Wanted},
    verdict::{
        FindingCode, Outcome, Severity, Verdict,
        testing::placed,
        testing_measured::{case_among, collective, figure, judged_among, measured, messages, nothing_known, size},
    },
};

fn compare(right: CompareSide, min: f64) -> Compare {
    Compare {
        left: placed(CompareSide::Case("near".into())),
        right: placed(right),
        at: placed(vec![size("1G")]),
        ratio: placed(Wanted::Range { min: Some(min), max: None }),
    }
}

fn one(name: &str) -> CompareSide {
    CompareSide::Case(name.into())
}

fn with(compare: Compare, far: &Collective, measurements: &[(&str, Measurement)]) -> Verdict {
    let near = collective(Operation::AllReduce, &["1G"]);
    let case = case_among(Kind::Compare(compare), &[("near", near.clone()), ("far", far.clone()), ("farther", near)]);
    judged_among(&case, &nothing_known(), measurements)
}

fn judged(compare: Compare, measurements: &[(&str, Measurement)]) -> Verdict {
    with(compare, &collective(Operation::AllReduce, &["1G"]), measurements)
}

fn of(busbw: f64) -> Measurement {
    measured(8, &[("1G", busbw, busbw)])
}

#[test]
fn the_ratio_is_held_against_its_bound_in_each_placement() {
    let asked = compare(one("far"), 1.5);
    let verdict = judged(asked.clone(), &[("near", of(300.0)), ("far", of(200.0))]);
    assert_eq!((verdict.outcome, verdict.measured.len()), (Outcome::Pass, 2), "{:?}", verdict.findings);
    let verdict = judged(asked, &[("near", measured(8, &[("1G", 300.0, 270.0)])), ("far", of(200.0))]);
    assert_eq!(
        messages(&verdict, Severity::Failure),
        [
            "ratio at 1G in place is 1.35 (270.00 GB/s of near over 200.00 GB/s of far), expected at least 1.5, missed by \
             10.00 %"
        ]
    );
}

#[test]
fn the_best_of_several_counts() {
    let best = CompareSide::BestOf(vec!["far".into(), "farther".into()]);
    let all = |far, farther| [("near", of(300.0)), ("far", of(far)), ("farther", of(farther))];
    assert_eq!(judged(compare(best.clone(), 1.5), &all(100.0, 200.0)).outcome, Outcome::Pass);
    assert_eq!(judged(compare(best.clone(), 1.5), &all(210.0, 100.0)).outcome, Outcome::Fail);
    let missing = judged(compare(best, 1.5), &all(100.0, 100.0)[..2]);
    assert_eq!(missing.outcome, Outcome::Error, "the one that is missing could be the best");
}

#[test]
fn a_case_that_was_not_measured_is_named() {
    let verdict = judged(compare(one("far"), 1.0), &[("near", of(300.0))]);
    assert_eq!((verdict.outcome, verdict.findings[0].code), (Outcome::Error, FindingCode::CaseMissing));
    assert!(verdict.findings[0].message.contains("far"));
    let verdict = judged(compare(one("nowhere"), 1.0), &[("near", of(300.0))]);
    assert_eq!(verdict.findings[0].code, FindingCode::CaseMissing);
}

#[test]
fn figures_that_could_not_pass_are_not_compared() {
    let changes: [fn(&mut Measurement); 7] = [
        |far| far.unfinished = Some("the footer is missing".into()),
        |far| far.ranks.clear(),
        |far| far.rows_doubt = Some("the header is cut".into()),
        |far| far.rows[0].doubt = Some("two outputs disagree".into()),
        |far| far.rows[0].out_of_place.as_mut().unwrap().wrong = Wrong::Unchecked,
        |far| far.validation = Some(false),
        |far| {
            let sample = far.rows[0].out_of_place.as_mut().unwrap();
            (sample.algbw, sample.busbw) = (figure(0.0), figure(0.0));
        },
    ];
    for change in changes {
        let mut far = of(100.0);
        change(&mut far);
        let verdict = judged(compare(one("far"), 1.0), &[("near", of(300.0)), ("far", far)]);
        assert_eq!((verdict.outcome, verdict.findings[0].code), (Outcome::Error, FindingCode::Unknown));
        assert!(verdict.findings[0].message.contains("of far: "), "{}", verdict.findings[0].message);
    }
}

#[test]
fn only_placements_that_both_sides_have_are_compared_and_one_must_be_left() {
    let mut far = collective(Operation::AllReduce, &["1G"]);
    far.in_place = Some(placed(InPlace::Never));
    let measurements = [("near", of(300.0)), ("far", of(200.0))];
    let verdict = with(compare(one("far"), 1.5), &far, &measurements);
    assert_eq!((verdict.outcome, verdict.measured.len()), (Outcome::Pass, 1));
    let mut near = collective(Operation::AllReduce, &["1G"]);
    near.in_place = Some(placed(InPlace::Only));
    let case = case_among(Kind::Compare(compare(one("far"), 1.5)), &[("near", near), ("far", far)]);
    let verdict = judged_among(&case, &nothing_known(), &measurements);
    assert_eq!(verdict.outcome, Outcome::Error);
}
