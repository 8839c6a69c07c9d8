use crate::{facts::Fact, units::Size};

use super::super::Difference;

impl Fact<u64> {
    /// [`Fact::merge`] for a counter, which grows between two reads: the higher stands. A counter that was set back in
    /// between counted what it counted.
    pub fn merge_count(&mut self, other: Self) {
        self.merge_by(other, |first, second, _| Ok(*first.max(second)));
    }
}

/// nvidia-smi prints whole mebibytes, NVML bytes.
const MEBIBYTE: u64 = 1 << 20;

impl Fact<Size> {
    /// [`Fact::merge`] for the size of a memory, which some tools round to MiB: the finer one stands.
    pub fn merge_memory(&mut self, other: Self) {
        self.merge_by(other, |first, second, _| {
            if first.bytes().abs_diff(second.bytes()) >= MEBIBYTE {
                return Err(Difference::new(first, second));
            }
            Ok(if first.bytes().is_multiple_of(MEBIBYTE) { *second } else { *first })
        });
    }
}

impl Fact<Vec<String>> {
    /// [`Fact::merge`] for what was active at the moments of two reads: all of it was.
    pub fn merge_moments(&mut self, other: Self) {
        self.merge_by(other, |first, second, _| {
            let mut all: Vec<String> = first.iter().chain(second).cloned().collect();
            all.sort_unstable();
            all.dedup();
            Ok(all)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_higher_count_stands_whichever_is_told_first() {
        for (first, second) in [(3, 7), (7, 3)] {
            let mut fact = Fact::known(first, "NVML");
            fact.merge_count(Fact::known(second, "q.xml"));
            assert_eq!(fact, Fact::known(7, "NVML, q.xml"));
        }
    }

    #[test]
    fn bytes_stand_over_whole_mebibytes() {
        let mut fact = Fact::known(Size(24_147_200_000), "NVML");
        fact.merge_memory(Fact::known(Size(23_028 * MEBIBYTE), "q.xml"));
        assert_eq!(fact, Fact::known(Size(24_147_200_000), "NVML, q.xml"));
        fact.merge_memory(Fact::known(Size(23_027 * MEBIBYTE), "q.txt"));
        assert!(fact.reason().unwrap().contains("q.txt says"));
    }

    #[test]
    fn what_was_active_at_either_moment_was_active() {
        let mut fact = Fact::known(vec!["idle".to_owned()], "NVML");
        fact.merge_moments(Fact::known(vec!["hw-slowdown".to_owned(), "idle".to_owned()], "q.xml"));
        assert_eq!(fact.value().unwrap(), &["hw-slowdown", "idle"]);
    }
}
