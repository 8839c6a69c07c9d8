//! What goes wrong on machines is found.

use proptest::prelude::*;

use super::{
    arithmetic::{Mean, reduce},
    exactness::{bytes, each_kind, elements, reduced, sent},
};
use crate::collective::{
    Datatype, Reduction,
    data::{Check, Expected, POISON, Pattern},
};

const PERIOD: u64 = 2003;
/// Where every rank is left out in turn.
const FEW: u64 = 331;

fn wrong(expected: &Expected, received: &[u8]) -> u64 {
    let mut check = Check::default();
    expected.compare(received, 0, &mut check);
    check.wrong
}

/// What arrives over so many elements, which may be more than a period.
fn arrived(expected: &Expected, elements: usize, datatype: Datatype) -> Vec<u8> {
    expected.bytes().iter().copied().cycle().take(elements * datatype.bytes() as usize).collect()
}

#[test]
fn a_missing_rank_and_one_that_counts_twice() {
    each_kind(|datatype, reduction| {
        for ranks in [2, 3, 8] {
            let pattern = Pattern::with_period(datatype, reduction, ranks, 11, FEW);
            let (sent, expected) = (sent(&pattern, datatype, ranks), pattern.expected());
            let of = |element: usize, order: &[u32]| -> u64 {
                let chosen: Vec<u64> = order.iter().map(|rank| sent[*rank as usize][element]).collect();
                // A mean is that of all ranks, of which one gave nothing.
                let mut chosen = chosen;
                if reduction == Reduction::Avg {
                    chosen.resize(ranks as usize, 0);
                }
                reduce(datatype, reduction, Mean::Before, &chosen)
            };
            for rank in 0..ranks {
                let others: Vec<u32> = (0..ranks).filter(|other| *other != rank).collect();
                let missing: Vec<u64> = (0..FEW as usize).map(|element| of(element, &others)).collect();
                let found = wrong(&expected, &bytes(datatype, &missing));
                assert!(found > FEW / u64::from(4 * ranks), "{datatype:?} {reduction:?} {rank}/{ranks}: {found}");
                // In place of another one; extremes and means of one rank see it where that one matters.
                let other = (rank + 1) % ranks;
                let twice: Vec<u32> = others.iter().map(|own| if *own == other { rank } else { *own }).collect();
                let twice: Vec<u32> = twice.into_iter().chain([rank]).collect();
                let twice: Vec<u64> = (0..FEW as usize).map(|element| of(element, &twice)).collect();
                let found = wrong(&expected, &bytes(datatype, &twice));
                assert!(found > FEW / u64::from(8 * ranks), "{datatype:?} {reduction:?} {rank}/{ranks}: {found}");
            }
        }
    });
}

#[test]
fn one_that_is_added_on_top() {
    each_kind(|datatype, reduction| {
        if !matches!(reduction, Reduction::Sum | Reduction::Prod) {
            return;
        }
        for ranks in [2, 8, 72] {
            let pattern = Pattern::with_period(datatype, reduction, ranks, 12, FEW);
            let mut sent = sent(&pattern, datatype, ranks);
            sent.push(sent[1].clone());
            let received = reduced(datatype, reduction, Mean::Before, &sent);
            assert!(wrong(&pattern.expected(), &received) > FEW / 20, "{datatype:?} {reduction:?} {ranks}");
        }
    });
}

#[test]
fn data_at_another_place() {
    each_kind(|datatype, reduction| {
        let width = datatype.bytes() as usize;
        for ranks in [2, 3, 8, 72] {
            let expected = Pattern::with_period(datatype, reduction, ranks, 13, PERIOD).expected();
            let right = arrived(&expected, 8192, datatype);
            let all = right.len();
            assert_eq!(wrong(&expected, &right), 0);
            let least = if datatype == Datatype::Int8 && reduction == Reduction::Avg { 50 } else { 500 };
            for shift in (0..).map(|power| 1 << power).take_while(|shift| *shift < all) {
                let shifted = [&right[shift..], &right[..shift]].concat();
                let found = wrong(&expected, &shifted);
                assert!(found > least, "{datatype:?} {reduction:?} {ranks}, by {shift}: {found}");
            }
            for chunk in (0..).map(|power| width << power).skip(9).take_while(|chunk| 2 * chunk <= all) {
                let swapped = [&right[chunk..2 * chunk], &right[..chunk], &right[2 * chunk..]].concat();
                let found = wrong(&expected, &swapped);
                assert!(found > 40, "{datatype:?} {reduction:?} {ranks}, chunks of {chunk}: {found}");
            }
        }
    });
}

#[test]
fn what_never_arrived() {
    each_kind(|datatype, reduction| {
        for ranks in [1, 2, 8, 72] {
            let pattern = |seed| Pattern::with_period(datatype, reduction, ranks, seed, PERIOD);
            let expected = pattern(14).expected();
            let right = arrived(&expected, 5000, datatype);
            let half = right.len() / 2;
            let poisoned = [&right[..half], &vec![POISON; half]].concat();
            let mut check = Check::default();
            expected.compare(&poisoned, 0, &mut check);
            assert_eq!(check.wrong, 2500, "{datatype:?} {reduction:?} {ranks}");
            let first = check.first.unwrap();
            assert_eq!(first.element, 2500);
            assert!(first.found.ends_with("as if never written"), "{first:?}");
            // Of the data before, and of what the rank itself has sent.
            let stale = arrived(&pattern(15).expected(), 5000, datatype);
            assert!(wrong(&expected, &[&right[..half], &stale[half..]].concat()) > 300, "{datatype:?} {reduction:?}");
            if ranks > 1 {
                assert!(wrong(&expected, &pattern(14).sent(1)) > 300, "{datatype:?} {reduction:?} {ranks}");
            }
        }
    });
}

#[test]
fn bytes_that_are_no_whole_element_are_wrong() {
    let expected = Pattern::with_period(Datatype::Float, Reduction::Sum, 2, 1, PERIOD).expected();
    let mut check = Check::default();
    expected.compare(&expected.bytes()[..10], 0, &mut check);
    assert_eq!((check.wrong, check.checked, check.first.unwrap().element), (1, 10, 2));
}

#[test]
fn the_first_wrong_element_is_kept_whatever_the_order() {
    let expected = Pattern::with_period(Datatype::Int32, Reduction::Sum, 2, 1, PERIOD).expected();
    let poison = [POISON; 16];
    let of = |element| {
        let mut check = Check::default();
        expected.compare(&poison, element, &mut check);
        check
    };
    let (mut one, mut other) = (of(40), of(8));
    one.add(of(8));
    other.add(of(40));
    assert_eq!(one, other);
    assert_eq!((one.wrong, one.checked, one.first.unwrap().element), (8, 32, 8));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn a_changed_element_is_found_and_named(
        kind in (0_usize..12, 0_usize..5),
        ranks in prop_oneof![1_u32..=16, Just(72)],
        length in 1_usize..70_000,
        place: prop::sample::Index,
        first in 0_u64..1 << 40,
        cut: prop::sample::Index,
        bit in 0_u32..64,
    ) {
        let (datatype, reduction) = (Datatype::NAMES[kind.0].1, Reduction::NAMES[kind.1].1);
        let expected = Pattern::with_period(datatype, reduction, ranks, 21, 101).expected();
        let period = elements(datatype, expected.bytes());
        let mut received: Vec<u64> =
            (0..length as u64).map(|element| period[((first + element) % 101) as usize]).collect();
        let place = place.index(length);
        // What rounding explains is no fault: there a sign or a high bit of the exponent changes.
        let rounds = reduction == Reduction::Avg && !ranks.is_power_of_two();
        let bits = datatype.bytes() as u32 * 8;
        received[place] ^= 1 << if rounds { bits - 1 } else { bit % bits };
        let received = bytes(datatype, &received);
        // In two parts, as it comes through a staging buffer.
        let cut = cut.index(length + 1);
        let (one, other) = received.split_at(cut * datatype.bytes() as usize);
        let mut check = Check::default();
        expected.compare(one, first, &mut check);
        expected.compare(other, first + cut as u64, &mut check);
        prop_assert_eq!((check.wrong, check.checked), (1, received.len() as u64));
        let named = check.first.unwrap();
        prop_assert_eq!(named.element, first + place as u64);
        prop_assert_ne!(named.expected, named.found);
    }
}
