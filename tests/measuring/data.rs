//! Data that arrives wrong: it fails the case whatever the bandwidth, and says where.

use crate::seat::{Ran, Seat};

/// 1024 elements of four bytes, so that the last is element 1023.
const SUITE: &str = "  - name: data\n    pin: none\n    collective:\n      op: all_reduce\n      sizes: [4K]\n      \
                     iterations: 2\n";

/// Runs with a fault, and checks that both places fail by the rank of this number, on this GPU.
fn fails(seat: Seat, fault: &str, rank: usize) -> Ran {
    let seat = seat.fault(fault);
    let ran = seat.run(SUITE, &["data"]);
    let named = format!("at rank {rank} (GPU{rank}), expected 0");
    ran.expect(1, &["wrong-data", &named, "data at 4K out of place", "data at 4K in place"])
}

/// The same on two GPUs of each vendor.
fn fails_on_both(fault: &str, rank: usize, texts: &[&str]) -> [Ran; 2] {
    Seat::both().map(|seat| fails(seat, fault, rank).expect(1, texts))
}

/// What `expected` and `found` say of the first element: two different numbers.
fn first_element(text: &str) -> (String, String) {
    let unwrapped = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (before, after) = unwrapped.split_once(" instead of ").unwrap();
    let found = before.rsplit(' ').next().unwrap();
    let expected = after.split(' ').next().unwrap();
    (found.to_owned(), expected.to_owned())
}

#[test]
fn a_wrong_element_is_named_wherever_it_is() {
    for (offset, rank) in [(0, 0), (511, 1), (1023, 1)] {
        let fault = format!("wrong:offset={offset}:rank={rank}");
        for ran in fails_on_both(&fault, rank, &["1 wrong element", &format!("the first is element {offset},")]) {
            let (found, expected) = first_element(&ran.text);
            assert_ne!(found.parse::<f64>().unwrap(), expected.parse::<f64>().unwrap());
        }
    }
}

#[test]
fn a_wrong_element_on_the_last_of_eight_mi300x() {
    fails(Seat::eight_mi300x(), "wrong:offset=1023:rank=7", 7).expect(1, &["the first is element 1023,"]);
}

#[test]
fn wrong_data_of_one_size_fails_that_size_alone() {
    let seat = Seat::two_h200().fault("wrong:offset=1:rank=0:size=1024");
    let tests = SUITE.replace("[4K]", "[512, 1K, 4K]");
    let ran = seat.run(&tests, &[]).expect(1, &["data at 1K out of place: 1 wrong element at rank 0 (GPU0)"]);
    assert!(!ran.text.contains("data at 512") && !ran.text.contains("data at 4K"), "{}", ran.text);
}

#[test]
fn half_of_the_data_that_does_not_move() {
    // The second half holds what was there: nothing, out of place.
    fails_on_both("short:rank=1", 1, &["512 wrong elements", "the first is element 512,"]);
    fails_on_both("stale:rank=0", 0, &["512 wrong elements", "the first is element 512,"]);
}

#[test]
fn what_is_written_beyond_the_data() {
    fails_on_both("overrun:rank=1", 1, &["the first is element 1024, beyond the data"]);
}

#[test]
fn a_rank_whose_data_is_in_nobodys_result() {
    // Each rank is told: all have a sum without rank 1.
    fails_on_both("drop-rank:rank=1", 1, &["at rank 0 (GPU0), expected 0", "1024 wrong elements"]);
}

#[test]
fn data_that_is_not_checked_passes_with_a_note() {
    let seat = Seat::two_h200().fault("wrong:rank=1");
    let tests = format!("{SUITE}      expect: {{ wrong: unchecked }}\n");
    let ran = seat.run(&tests, &[]);
    assert_eq!(ran.code, 0, "{}", ran.text);
    let samples = seat.record()["cases"][0].to_string();
    assert!(!samples.contains("first_wrong\":{"), "{samples}");
}
