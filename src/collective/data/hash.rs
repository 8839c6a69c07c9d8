/// The odd constant of SplitMix64, 2^64 over the golden ratio (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The next number of SplitMix64 at a state: every bit of the state changes every bit of it.
pub(super) const fn mix(state: u64) -> u64 {
    let state = state.wrapping_add(GOLDEN);
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

/// A number that depends on a key and a place.
pub(super) const fn at(key: u64, place: u64) -> u64 {
    mix(key ^ place.wrapping_add(1).wrapping_mul(GOLDEN))
}

/// A number below a bound, from the upper bits of a random one; 0 below 1.
pub(super) const fn below(random: u64, bound: u64) -> u64 {
    ((random as u128 * bound as u128) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // The first numbers of SplitMix64 with seed 0: the state moves on by GOLDEN.
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(GOLDEN), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn numbers_below_a_bound() {
        assert_eq!(below(u64::MAX, 8), 7);
        assert_eq!(below(0, 8), 0);
        assert_eq!(below(u64::MAX, 1), 0);
        let mut seen = [0; 8];
        (0..8000).for_each(|place| seen[below(at(7, place), 8) as usize] += 1);
        assert!(seen.iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
    }
}
