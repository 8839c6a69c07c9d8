use super::super::{Difference, Fact, PcieLink};

impl PcieLink {
    /// Joins a read of the generation that the link runs at, and whether the GPU was at work then.
    ///
    /// A link at rest lowers itself and a link at work does not: of two reads at rest the higher stands, as the link ran
    /// at it; a read at work stands over one at rest, which can be lower and not higher.
    pub fn merge_generation(&mut self, generation: Fact<u32>, under_load: Fact<bool>) {
        if generation.value().is_none() {
            return self.generation.merge(generation);
        }
        let [ours, theirs] = [&self.under_load, &under_load].map(|at_work| at_work.value() == Some(&true));
        if self.generation.value().is_none() || theirs && !ours {
            self.under_load = under_load;
        } else if !ours {
            self.under_load.merge(under_load);
        }
        self.generation.merge_by(generation, |first, second, _| {
            let agree = match (ours, theirs) {
                (true, true) => first == second,
                (true, false) => second <= first,
                (false, true) => first <= second,
                (false, false) => true,
            };
            let shown =
                |generation: &u32, at_work| format!("{generation} {}", if at_work { "at work" } else { "at rest" });
            if agree { Ok(*first.max(second)) } else { Err(Difference::new(shown(first, ours), shown(second, theirs))) }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(first: (u32, bool), second: (u32, bool)) -> PcieLink {
        let mut link = PcieLink::default();
        for ((generation, at_work), source) in [(first, "a"), (second, "b")] {
            link.merge_generation(Fact::known(generation, source), Fact::known(at_work, source));
        }
        link
    }

    #[test]
    fn the_higher_stands_of_two_reads_at_rest() {
        for (first, second) in [(5, 1), (1, 5)] {
            let link = joined((first, false), (second, false));
            assert_eq!(link.generation, Fact::known(5, "a, b"));
            assert_eq!(link.under_load.value(), Some(&false));
        }
    }

    #[test]
    fn a_read_at_work_stands_over_a_lower_one_at_rest() {
        for (first, second) in [((4, true), (1, false)), ((1, false), (4, true))] {
            let link = joined(first, second);
            assert_eq!((link.generation.value(), link.under_load.value()), (Some(&4), Some(&true)));
        }
    }

    #[test]
    fn a_link_at_work_that_is_lower_than_at_rest_is_a_contradiction() {
        let link = joined((3, true), (5, false));
        assert_eq!(link.generation.reason(), Some("a says 3 at work, b says 5 at rest"));
        let link = joined((3, true), (4, true));
        assert_eq!(link.generation.reason(), Some("a says 3 at work, b says 4 at work"));
    }

    #[test]
    fn a_source_that_does_not_tell_changes_nothing() {
        let mut link = PcieLink::default();
        link.merge_generation(Fact::known(4, "a"), Fact::known(true, "a"));
        link.merge_generation(Fact::unknown("b does not tell it"), Fact::default());
        assert_eq!((link.generation, link.under_load), (Fact::known(4, "a"), Fact::known(true, "a")));
    }
}
