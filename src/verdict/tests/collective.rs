//! Sizes, figures and bounds of a collective.

use crate::{
    evidence::{Measurement, Wrong},
    facts::Damage,
    spec::{BoundBase, BoundValue, InPlace, Kind, Operation},
    units::{Bandwidth, Size, Span},
    verdict::{
        FindingCode, Outcome, Severity, judge,
        testing::{live, placed, saved, server},
        testing_measured::{
            all_reduce, bound, case_among, collective, figure, judged, judged_among, measured, measured_with, messages,
            nothing_known, size,
        },
    },
};

#[test]
fn a_measurement_as_asked_passes_and_shows_its_figures() {
    let verdict = judged(&all_reduce(&[("1G", 440.0)]), &measured(8, &[("1G", 468.2, 470.0)]));
    assert_eq!((verdict.outcome, verdict.findings.len()), (Outcome::Pass, 0), "{:?}", verdict.findings);
    let shown: Vec<(&str, &str)> =
        verdict.measured.iter().map(|one| (one.subject.as_str(), one.actual.as_str())).collect();
    assert_eq!(shown, [("busbw at 1G out of place", "468.20 GB/s"), ("busbw at 1G in place", "470.00 GB/s")]);
    assert!((verdict.worst_margin().unwrap() - 28.2 / 440.0).abs() < 1e-12);
}

#[test]
fn each_size_and_placement_is_held_against_its_own_floor() {
    let asked = all_reduce(&[("512M", 400.0), ("1G", 440.0)]);
    let verdict = judged(&asked, &measured(8, &[("512M", 450.0, 450.0), ("1G", 460.0, 418.25)]));
    assert_eq!(
        messages(&verdict, Severity::Failure),
        ["busbw at 1G in place is 418.25 GB/s, expected at least 440 GB/s, missed by 4.94 %"]
    );
    let finding = &verdict.findings[0];
    assert_eq!((finding.code, finding.device.as_deref()), (FindingCode::BusBandwidth, None));
    assert_eq!(finding.source.as_deref(), Some("nccl-tests/all-reduce.txt:11"));
    assert!((finding.margin.unwrap() + 21.75 / 440.0).abs() < 1e-12);
}

#[test]
fn a_figure_just_below_its_floor_is_not_rounded_up() {
    let mut measurement = measured(8, &[("1G", 439.999, 440.0)]);
    measurement.rows[0].out_of_place.as_mut().unwrap().busbw.rounding = 0.0005;
    let verdict = judged(&all_reduce(&[("1G", 440.0)]), &measurement);
    assert!(messages(&verdict, Severity::Failure)[0].contains("is 439.999 GB/s"));
}

#[test]
fn nothing_measured_names_the_files() {
    let case = case_among(Kind::Collective(all_reduce(&[("1G", 440.0)])), &[]);
    let verdict = judge(&case, &saved(&nothing_known()));
    assert_eq!(verdict.outcome, Outcome::Error);
    let message = &verdict.findings[0].message;
    assert!(message.contains("nccl-tests/all-reduce.txt") && message.contains("nccl-tests/all-reduce.json"));
    assert!(!judge(&case, &live(&server(8))).findings[0].message.contains(".txt"));
}

#[test]
fn a_named_size_that_was_not_measured_is_an_error_and_an_unnamed_one_is_not_judged() {
    let asked = all_reduce(&[("512M", 1.0), ("1G", 440.0)]);
    let verdict = judged(&asked, &measured(8, &[("1G", 460.0, 460.0), ("2G", 400.0, 400.0)]));
    assert_eq!(verdict.outcome, Outcome::Error);
    assert_eq!(messages(&verdict, Severity::Error), ["sizes of the test were not measured: 512M"]);
}

#[test]
fn a_size_between_two_rows_is_not_the_smaller_one() {
    let verdict = judged(&all_reduce(&[("1G", 1.0)]), &measured(8, &[("1073741816", 460.0, 460.0)]));
    assert_eq!(verdict.findings[0].code, FindingCode::SizeNotMeasured);
}

#[test]
fn a_size_that_was_trimmed_to_what_the_ranks_share_is_that_size() {
    let of = |rows: &[(&str, f64, f64)]| measured_with(Operation::AllGather, 6, 5.0 / 6.0, rows);
    let asked = collective(Operation::AllGather, &["1M"]);
    // 1 MiB is 10922 shares of 96 bytes and 64 bytes more.
    assert_eq!(judged(&asked, &of(&[("1048512", 90.0, 90.0)])).outcome, Outcome::Pass);
    let below = judged(&asked, &of(&[("1048480", 90.0, 90.0)]));
    assert_eq!(below.findings[0].code, FindingCode::SizeNotMeasured);
}

#[test]
fn a_size_trimmed_to_nothing_says_so() {
    let mut measurement = measured_with(Operation::AllGather, 8, 7.0 / 8.0, &[("0", 0.0, 0.0), ("128", 1.0, 1.0)]);
    let zero = measurement.rows[0].out_of_place.as_mut().unwrap();
    (zero.time, zero.algbw) = (figure(6.0), figure(0.0));
    measurement.rows[0].in_place = measurement.rows[0].out_of_place;
    let verdict = judged(&collective(Operation::AllGather, &["64", "128"]), &measurement);
    assert_eq!(verdict.outcome, Outcome::Error);
    assert!(verdict.findings[0].message.contains("trimmed to 0") && verdict.findings[0].message.ends_with(": 64"));
}

#[test]
fn of_a_size_that_is_there_twice_both_rows_must_do_and_the_bad_one_is_named() {
    let verdict = judged(&all_reduce(&[("1G", 440.0)]), &measured(8, &[("1G", 460.0, 460.0), ("1G", 300.0, 460.0)]));
    let [message] = messages(&verdict, Severity::Failure)[..] else { panic!("{:?}", verdict.findings) };
    assert!(message.contains("all-reduce.txt:11"), "{message}");
}

#[test]
fn a_placement_that_is_asked_for_and_missing_is_an_error() {
    let mut measurement = measured(8, &[("1G", 460.0, 460.0)]);
    measurement.rows[0].in_place = None;
    let mut asked = all_reduce(&[("1G", 440.0)]);
    let verdict = judged(&asked, &measurement);
    assert_eq!(messages(&verdict, Severity::Error), ["sizes of the test were not measured in place: 1G"]);
    asked.in_place = Some(placed(InPlace::Never));
    assert_eq!(judged(&asked, &measurement).outcome, Outcome::Pass);
    asked.in_place = Some(placed(InPlace::Only));
    assert_eq!(judged(&asked, &measurement).outcome, Outcome::Error);
}

#[test]
fn alltoall_has_nothing_in_place_unless_only_that_is_asked_for() {
    let mut measurement = measured_with(Operation::AllToAll, 8, 7.0 / 8.0, &[("1G", 300.0, 1.0)]);
    measurement.rows[0].in_place.as_mut().unwrap().wrong = Wrong::Unchecked;
    let mut asked = collective(Operation::AllToAll, &["1G"]);
    asked.expect.busbw = all_reduce(&[("1G", 250.0)]).expect.busbw;
    assert_eq!(judged(&asked, &measurement).outcome, Outcome::Pass);
    asked.in_place = Some(placed(InPlace::Only));
    assert_ne!(judged(&asked, &measurement).outcome, Outcome::Pass);
}

#[test]
fn a_bus_bandwidth_that_is_no_positive_number_meets_no_floor() {
    for value in [0.0, -1.0, f64::NAN] {
        let mut measurement = measured(8, &[("1M", 1.0, 1.0)]);
        let sample = measurement.rows[0].out_of_place.as_mut().unwrap();
        (sample.busbw, sample.algbw) = (figure(value), figure(value));
        let verdict = judged(&all_reduce(&[("1M", 0.0)]), &measurement);
        assert_ne!(verdict.outcome, Outcome::Pass, "{value}");
    }
}

#[test]
fn a_latency_is_held_against_its_ceiling() {
    let ceiling = |text: &str| {
        let mut asked = collective(Operation::AllReduce, &["8"]);
        let span: Span = text.parse().unwrap();
        asked.expect.latency.insert(Size(8), bound(BoundValue::Limits { min: None, max: Some(span) }));
        asked
    };
    let mut measurement = measured(8, &[("8", 1.0, 1.0)]);
    let row = &mut measurement.rows[0];
    for sample in [&mut row.out_of_place, &mut row.in_place] {
        let sample = sample.as_mut().unwrap();
        (sample.time, sample.algbw, sample.busbw) = (figure(20.5), figure(0.0), figure(0.0));
    }
    assert_eq!(judged(&ceiling("25 us"), &measurement).outcome, Outcome::Pass);
    let verdict = judged(&ceiling("20 us"), &measurement);
    assert_eq!(
        messages(&verdict, Severity::Failure)[0],
        "latency at 8 out of place is 20.50 us, expected at most 20 us, missed by 2.50 %"
    );
    measurement.rows[0].in_place.as_mut().unwrap().time = figure(0.0);
    assert_eq!(judged(&ceiling("25 us"), &measurement).outcome, Outcome::Error);
}

fn share_of(of: BoundBase) -> crate::spec::Collective {
    let mut asked = collective(Operation::AllReduce, &["1G"]);
    asked.expect.busbw.insert(size("1G"), bound(BoundValue::<Bandwidth>::Share { at_least: 0.85, of }));
    asked
}

#[test]
fn a_share_of_the_links_shows_what_it_came_to() {
    let case = case_among(Kind::Collective(share_of(BoundBase::Link)), &[]);
    let judge = |facts: &crate::facts::Facts, busbw: f64| {
        judged_among(&case, facts, &[("all-reduce", measured(8, &[("1G", busbw, busbw)]))])
    };
    let verdict = judge(&server(8), 400.0);
    assert_eq!(verdict.outcome, Outcome::Pass, "{:?}", verdict.findings);
    assert_eq!(
        verdict.measured[0].expected,
        "at least 382.5 GB/s (85 % of 450 GB/s, payload per direction of the links of NVIDIA H200)"
    );
    assert_eq!(judge(&server(8), 382.49).outcome, Outcome::Fail);
    assert_eq!(judge(&nothing_known(), 382.5).outcome, Outcome::Pass, "the ranks name their GPUs");
    let mut other = server(8);
    other.gpu_mut(3).name = crate::facts::Fact::known("NVIDIA H100 PCIe".into(), "tool.txt");
    assert_eq!(judge(&other, 400.0).outcome, Outcome::Error);
    let mut unknown = server(8);
    unknown.gpu_mut(3).name = crate::facts::Fact::unknown("the line is cut");
    assert_eq!(judge(&unknown, 400.0).outcome, Outcome::Error);
}

#[test]
fn a_share_of_a_baseline_that_was_not_given_is_unknown() {
    let verdict = judged(&share_of(BoundBase::Baseline), &measured(8, &[("1G", 460.0, 460.0)]));
    assert_eq!(messages(&verdict, Severity::Error), ["the bound is unknown: no baseline was given: 1G"]);
}

#[test]
fn a_share_of_another_case_needs_one_that_could_pass() {
    let asked = share_of(BoundBase::Case { test: "ring".into(), cell: None });
    let case = case_among(Kind::Collective(asked), &[("ring", collective(Operation::AllReduce, &["1G"]))]);
    let judge = |busbw: f64, ring: Option<Measurement>| {
        let own = measured(8, &[("1G", busbw, busbw)]);
        let all: Vec<(&str, Measurement)> =
            [("all-reduce", own)].into_iter().chain(ring.map(|ring| ("ring", ring))).collect();
        judged_among(&case, &nothing_known(), &all)
    };
    let ring = measured(8, &[("1G", 400.0, 400.0)]);
    assert_eq!(judge(340.0, Some(ring.clone())).outcome, Outcome::Pass);
    assert_eq!(judge(339.9, Some(ring.clone())).outcome, Outcome::Fail);
    let missing = judge(460.0, None);
    assert_eq!(missing.findings[0].code, FindingCode::CaseMissing);
    assert!(missing.findings[0].message.contains("ring"));
    let cut = Measurement { unfinished: Some("the footer is missing".into()), ..ring.clone() };
    assert_eq!(judge(460.0, Some(cut)).outcome, Outcome::Error);
    let mut wrong = ring;
    wrong.rows[0].in_place.as_mut().unwrap().wrong = Wrong::Elements(3);
    assert_eq!(judge(460.0, Some(wrong)).outcome, Outcome::Error);
}

#[test]
fn damage_and_sizes_beyond_the_header_are_told_and_do_not_fail() {
    let mut measurement = measured(8, &[("1G", 460.0, 460.0), ("2G", 460.0, 460.0)]);
    measurement.range.as_mut().unwrap().to = 1 << 30;
    measurement.damage.push(Damage::new("nccl-tests/all-reduce.txt", 14, "  4294967296 10", "a row is cut"));
    let verdict = judged(&all_reduce(&[("1G", 440.0), ("2G", 440.0)]), &measurement);
    assert_eq!(verdict.outcome, Outcome::Pass);
    let codes: Vec<FindingCode> = verdict.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [FindingCode::DamagedOutput, FindingCode::SizeAboveRange]);
    assert!(
        verdict.findings[0].message.contains("all-reduce.txt:14")
            && verdict.findings[0].message.contains("4294967296 10")
    );
    assert_eq!(verdict.measured.len(), 4);
}
