//! Figures near their bound: measured five times, judged by the median.

use crate::{healthy::test, seat::Seat};

/// A rank's calls of one measurement: one to warm up, then in each place one that is not timed, two that are, one to check.
const CALLS: u32 = 1 + 2 * 4;

fn within(time: &str) -> String {
    test("a", &format!("      expect: {{ latency: {{ 1K: {time} }} }}\n"))
}

#[test]
fn one_disturbed_measurement_of_five_is_told_and_does_not_fail_the_case() {
    // The first timed call out of place takes 2 s: a second for each of the two.
    let seat = Seat::two_h200().fault("slow:call=2:ms=2000");
    let ran = seat.run(&within("500 ms"), &[]);
    ran.expect(0, &["1 passed", "in 5 measurements, 1 of them outside its bound; the median counts"]);
    let engine = seat.record()["cases"][0]["collective"]["engine"].clone();
    // 2 places, 2 ranks.
    let counts: Vec<usize> =
        engine["repeats"].as_array().unwrap().iter().map(|samples| samples.as_array().unwrap().len()).collect();
    assert_eq!(counts, [4; 5]);
    assert_eq!(engine["samples"].as_array().unwrap().len(), 4);
    seat.judge("linkspec-out/one").expect(0, &["1 passed", "in 5 measurements"]);
}

#[test]
fn three_of_five_fail_it() {
    let slow = [0, 1, 2].map(|measurement| format!("slow:call={}:ms=2000", measurement * CALLS + 2)).join(";");
    let ran = Seat::two_h200().fault(&slow).run(&within("500 ms"), &[]);
    ran.expect(1, &["latency at 1K out of place", "3 of them outside its bound"]);
}

#[test]
fn wrong_data_in_a_later_measurement_fails_the_case() {
    // The check out of place of the second measurement.
    let wrong = format!("slow:call=2:ms=2000;wrong:rank=1:call={}", CALLS + 4);
    let ran = Seat::two_h200().fault(&wrong).run(&within("500 ms"), &[]);
    ran.expect(1, &["wrong-data", "rank 1"]);
}

#[test]
fn what_is_well_within_its_bound_is_measured_once() {
    let seat = Seat::two_h200();
    seat.run(&within("60 s"), &[]).expect(0, &["1 passed"]);
    assert!(seat.record()["cases"][0]["collective"]["engine"].get("repeats").is_none());
}
