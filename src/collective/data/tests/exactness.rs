//! Every order of the ranks has the result that is expected, in the type's own arithmetic.

use super::arithmetic::{Mean, reduce};
use crate::collective::{
    Datatype, Reduction,
    data::{Check, POISON, Pattern, hash},
};

const PERIOD: u64 = 61;

/// The numbers of ranks that are tried: one node's, and a rack's.
fn ranks() -> impl Iterator<Item = u32> {
    (1..=16).chain([32, 64, 72])
}

pub(super) fn elements(datatype: Datatype, bytes: &[u8]) -> Vec<u64> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
    bytes.chunks(datatype.bytes() as usize).map(number).collect()
}

pub(super) fn bytes(datatype: Datatype, elements: &[u64]) -> Vec<u8> {
    elements.iter().flat_map(|bits| bits.to_le_bytes()[..datatype.bytes() as usize].to_vec()).collect()
}

/// What each rank sends, as elements.
pub(super) fn sent(pattern: &Pattern, datatype: Datatype, ranks: u32) -> Vec<Vec<u64>> {
    (0..ranks).map(|rank| elements(datatype, &pattern.sent(rank))).collect()
}

/// What arrives when the ranks' elements are reduced in orders that change from element to element.
pub(super) fn reduced(datatype: Datatype, reduction: Reduction, mean: Mean, sent: &[Vec<u64>]) -> Vec<u8> {
    let of = |element: usize| {
        let mut order: Vec<u64> = sent.iter().map(|rank| rank[element]).collect();
        (1..order.len()).for_each(|last| {
            let other = hash::below(hash::at(element as u64, last as u64), last as u64 + 1) as usize;
            order.swap(last, other);
        });
        reduce(datatype, reduction, mean, &order)
    };
    bytes(datatype, &(0..sent[0].len()).map(of).collect::<Vec<_>>())
}

pub(super) fn each_kind(mut test: impl FnMut(Datatype, Reduction)) {
    for (_, datatype) in Datatype::NAMES {
        Reduction::NAMES.iter().for_each(|(_, reduction)| test(datatype, *reduction));
    }
}

#[test]
fn any_order_of_ranks_has_the_expected_result() {
    each_kind(|datatype, reduction| {
        for ranks in ranks() {
            let pattern = Pattern::with_period(datatype, reduction, ranks, u64::from(ranks), PERIOD);
            let (sent, expected) = (sent(&pattern, datatype, ranks), pattern.expected());
            for mean in [Mean::Before, Mean::After] {
                let received = reduced(datatype, reduction, mean, &sent);
                let mut check = Check::default();
                expected.compare(&received, 0, &mut check);
                assert_eq!(check.wrong, 0, "{datatype:?} {reduction:?} {ranks} {mean:?}: {:?}", check.first);
                assert_eq!(check.checked, PERIOD * datatype.bytes());
                let rounds = reduction == Reduction::Avg && !ranks.is_power_of_two();
                assert!(rounds || received == expected.bytes(), "{datatype:?} {reduction:?} {ranks} {mean:?}");
            }
        }
    });
}

#[test]
fn no_result_is_what_memory_holds_by_itself() {
    each_kind(|datatype, reduction| {
        for ranks in ranks() {
            let expected = Pattern::with_period(datatype, reduction, ranks, 3, 997).expected();
            let width = datatype.bytes() as usize;
            let is_all = |byte: u8| expected.bytes().chunks(width).any(|bytes| bytes.iter().all(|own| *own == byte));
            assert!(!is_all(POISON), "{datatype:?} {reduction:?} {ranks}");
            // A mean of small integers may be none.
            let may_be_zero = reduction == Reduction::Avg && width == 1;
            assert!(may_be_zero || !is_all(0), "{datatype:?} {reduction:?} {ranks}");
        }
    });
}

#[test]
fn seeds_and_ranks_have_data_of_their_own() {
    each_kind(|datatype, reduction| {
        let pattern = |seed| Pattern::with_period(datatype, reduction, 8, seed, 997);
        assert_eq!(pattern(1).sent(3), pattern(1).sent(3));
        assert_ne!(pattern(1).sent(3), pattern(2).sent(3), "{datatype:?} {reduction:?}");
        assert_ne!(pattern(1).sent(3), pattern(1).sent(4), "{datatype:?} {reduction:?}");
        let few = pattern(1).within(100);
        assert_eq!(few.sent(3), pattern(1).sent(3)[..few.sent(3).len()]);
        assert_eq!(few.expected().bytes().len() as u64, 100 * datatype.bytes());
        assert_ne!(pattern(1).expected().bytes(), pattern(2).expected().bytes(), "{datatype:?} {reduction:?}");
    });
}
