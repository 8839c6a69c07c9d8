//! Bandwidth that falls as the size grows.

use crate::{
    spec::{Collective, Operation},
    verdict::{
        FindingCode, Outcome, Severity,
        testing::{failures, placed},
        testing_measured::{collective, figure, judged, measured, messages},
    },
};

fn at_most(drop: f64, sizes: &[&str]) -> Collective {
    let mut asked = collective(Operation::AllReduce, sizes);
    asked.expect.max_drop = Some(placed(drop));
    asked
}

#[test]
fn a_fall_beyond_what_is_allowed_fails_and_names_both_sizes() {
    let measurement = measured(8, &[("512M", 400.0, 400.0), ("1G", 390.0, 350.0)]);
    let verdict = judged(&at_most(0.1, &["512M", "1G"]), &measurement);
    assert_eq!(
        messages(&verdict, Severity::Failure),
        [
            "busbw in place falls to 350.00 GB/s at 1G from 400.00 GB/s at 512M, by 12.50 %, expected a fall of 10 % at most"
        ]
    );
    assert!((verdict.findings[0].margin.unwrap() + 10.0 / 360.0).abs() < 1e-12);
    assert_eq!(judged(&at_most(0.125, &["512M", "1G"]), &measurement).outcome, Outcome::Pass, "exactly that much");
}

#[test]
fn a_fall_is_from_the_best_smaller_size_not_from_the_last() {
    let measurement = measured(8, &[("256M", 400.0, 400.0), ("512M", 330.0, 400.0), ("1G", 310.0, 400.0)]);
    let verdict = judged(&at_most(0.2, &["256M", "512M", "1G"]), &measurement);
    assert_eq!(failures(&verdict), [FindingCode::BandwidthDrop]);
}

#[test]
fn sizes_below_8m_and_sizes_that_are_not_named_are_not_held_against_max_drop() {
    let small = measured(8, &[("4M", 400.0, 400.0), ("8M", 300.0, 300.0)]);
    assert_eq!(judged(&at_most(0.1, &["4M", "8M"]), &small).outcome, Outcome::Pass);
    let unnamed = measured(8, &[("256M", 400.0, 400.0), ("512M", 350.0, 350.0), ("1G", 400.0, 400.0)]);
    assert_eq!(judged(&at_most(0.1, &["256M", "1G"]), &unnamed).outcome, Outcome::Pass);
}

#[test]
fn a_fall_of_more_than_a_fifth_is_a_warning_everywhere_and_told_once() {
    let measurement =
        measured(8, &[("64M", 400.0, 400.0), ("128M", 300.0, 320.0), ("256M", 310.0, 330.0), ("512M", 290.0, 400.0)]);
    let verdict = judged(&collective(Operation::AllReduce, &["64M"]), &measurement);
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!(
        messages(&verdict, Severity::Warning),
        [
            "busbw out of place falls to 300.00 GB/s at 128M from 400.00 GB/s at 64M, by 25.00 %",
            "busbw out of place falls to 290.00 GB/s at 512M from 400.00 GB/s at 64M, by 27.50 %"
        ]
    );
}

#[test]
fn a_second_fall_after_a_recovery_is_told_too() {
    let rows = [("64M", 400.0, 400.0), ("128M", 300.0, 400.0), ("256M", 400.0, 400.0), ("512M", 310.0, 400.0)];
    let verdict = judged(&collective(Operation::AllReduce, &["64M"]), &measured(8, &rows[..3]));
    assert_eq!(messages(&verdict, Severity::Warning).len(), 1);
    // The best smaller size of both falls is 64M: 256M does not reach it.
    let rows = [rows[0], rows[1], ("256M", 390.0, 400.0), rows[3]];
    let verdict = judged(&collective(Operation::AllReduce, &["64M"]), &measured(8, &rows));
    assert_eq!(messages(&verdict, Severity::Warning).len(), 2);
}

#[test]
fn a_figure_that_is_no_bandwidth_is_no_fall() {
    let mut measurement = measured(8, &[("64M", 400.0, 400.0), ("128M", 400.0, 400.0)]);
    let sample = measurement.rows[1].out_of_place.as_mut().unwrap();
    (sample.algbw, sample.busbw) = (figure(-1.0), figure(-1.75));
    let verdict = judged(&at_most(0.1, &["64M"]), &measurement);
    assert_eq!(messages(&verdict, Severity::Warning).len(), 0, "{:?}", verdict.findings);
}

#[test]
fn a_fall_that_fails_is_not_a_warning_too() {
    let measurement = measured(8, &[("512M", 400.0, 400.0), ("1G", 200.0, 400.0)]);
    let verdict = judged(&at_most(0.1, &["512M", "1G"]), &measurement);
    assert_eq!(verdict.findings.len(), 1, "{:?}", verdict.findings);
}

#[test]
fn a_row_that_cannot_be_relied_on_is_neither_a_fall_nor_what_others_fall_from() {
    let mut measurement = measured(8, &[("256M", 900.0, 400.0), ("512M", 400.0, 400.0), ("1G", 100.0, 400.0)]);
    measurement.rows[0].doubt = Some("two outputs disagree".into());
    measurement.rows[2].doubt = Some("two outputs disagree".into());
    let verdict = judged(&at_most(0.1, &["512M"]), &measurement);
    assert_eq!((verdict.outcome, verdict.findings.len()), (Outcome::Pass, 0));
}
