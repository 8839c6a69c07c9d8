use std::{iter, ops::Range};

use super::hash;
use crate::collective::Datatype;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Bytes at either end that are always checked.
const END: u64 = MIB;
/// Bytes of any other window.
const WINDOW: u64 = 64 * KIB;
/// What libraries cut data into, or a multiple of it: the step buffer of NCCL's Simple protocol (NVIDIA/nccl
/// `src/init.cc`, DEFAULT_BUFFSIZE).
const CHUNK: u64 = 4 * MIB;
/// Chunk borders that are checked at most, so that the checking of 16 GiB takes no longer than that of 1 GiB.
const BORDERS: u64 = 256;
/// Windows at places that the seed decides.
const RANDOM: u64 = 64;

/// The byte ranges of a rank's data that are checked: ascending, apart from each other, whole elements. Data up to
/// `whole_check` bytes is checked whole. Of larger data: both ends, both sides of every rank's share, of chunk borders
/// spread over all of it, and what the seed picks.
pub fn windows(bytes: u64, ranks: u32, datatype: Datatype, whole_check: u64, seed: u64) -> Vec<Range<u64>> {
    let width = datatype.bytes();
    let bytes = bytes - bytes % width;
    if bytes <= whole_check {
        return joined(iter::once(0..bytes).collect());
    }
    let around = |border: u64| border.saturating_sub(WINDOW / 2)..(border + WINDOW / 2).min(bytes);
    let mut windows = vec![0..END.min(bytes), bytes.saturating_sub(END)..bytes];
    windows.extend(shares(bytes, ranks).map(around));
    windows.extend(chunks(bytes).map(around));
    windows.extend((0..RANDOM).map(|place| {
        let start = hash::below(hash::at(seed, place), bytes.saturating_sub(WINDOW) + 1);
        start..(start + WINDOW).min(bytes)
    }));
    joined(
        windows.into_iter().map(|range| range.start - range.start % width..range.end.next_multiple_of(width)).collect(),
    )
}

/// The borders between the ranks' shares.
fn shares(bytes: u64, ranks: u32) -> impl Iterator<Item = u64> {
    let ranks = u128::from(ranks.max(1));
    (1..ranks).map(move |share| (u128::from(bytes) * share / ranks) as u64)
}

/// The borders of chunks: of all, or of as many as are checked, a power of two of chunks apart.
fn chunks(bytes: u64) -> impl Iterator<Item = u64> {
    let step = CHUNK * (bytes / CHUNK).div_ceil(BORDERS).max(1).next_power_of_two();
    (1..=(bytes - 1) / step).map(move |chunk| chunk * step)
}

/// The ranges in their order, those that touch made one.
fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn total(windows: &[Range<u64>]) -> u64 {
        windows.iter().map(|window| window.end - window.start).sum()
    }

    #[test]
    fn small_data_is_checked_whole() {
        let of = |bytes| {
            let windows = windows(bytes, 8, Datatype::Float, 64 * MIB, 1);
            windows.iter().map(|window| (window.start, window.end)).collect::<Vec<_>>()
        };
        assert_eq!(of(64 * MIB), [(0, 64 * MIB)]);
        assert_eq!(of(7), [(0, 4)]);
        assert_eq!(of(0), []);
    }

    #[test]
    fn large_data_is_checked_in_a_part_that_stays_small() {
        for size in [1_u64 << 30, 16 << 30, 64 << 30] {
            let windows = windows(size, 8, Datatype::Bfloat16, 256 * MIB, 9);
            assert!((8 * MIB..24 * MIB).contains(&total(&windows)), "{} of {size}", total(&windows));
            assert!(windows.len() > 100);
        }
    }

    #[test]
    fn windows_that_touch_are_one_and_borders_are_within() {
        assert_eq!(joined(vec![8..12, 0..4, 4..8, 13..14, 5..6, 20..20]), [0..12, 13..14]);
        assert_eq!(chunks(3 * CHUNK).collect::<Vec<_>>(), [CHUNK, 2 * CHUNK]);
        assert_eq!(shares(100, 4).collect::<Vec<_>>(), [25, 50, 75]);
    }

    #[test]
    fn another_seed_has_other_windows() {
        let of = |seed| windows(1 << 30, 8, Datatype::Float, MIB, seed);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn windows_are_whole_elements_in_order(
            bytes in prop_oneof![0_u64..4 * MIB, 0..1_u64 << 36],
            ranks in 1_u32..80,
            datatype in (0_usize..12).prop_map(|index| Datatype::NAMES[index].1),
            whole in 0_u64..1 << 30,
            seed: u64,
        ) {
            let width = datatype.bytes();
            let windows = windows(bytes, ranks, datatype, whole, seed);
            prop_assert!(total(&windows) <= bytes);
            prop_assert!(windows.is_sorted_by(|one, next| one.end < next.start));
            prop_assert!(windows.iter().all(|window| window.start < window.end && window.end <= bytes));
            prop_assert!(windows.iter().all(|window| window.start % width == 0 && window.end % width == 0));
            let within = |place: u64| windows.iter().any(|window| window.contains(&place));
            let whole_elements = bytes - bytes % width;
            if whole_elements > 0 {
                prop_assert!(within(0) && within(whole_elements - 1));
                for border in shares(whole_elements, ranks).chain(chunks(whole_elements)) {
                    prop_assert!(within(border) && within(border.saturating_sub(1)));
                }
            }
        }
    }
}
