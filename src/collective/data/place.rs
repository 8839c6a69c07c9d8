use super::hash;

/// One element of a pattern, as all ranks see it: what is drawn for it, and which rank leads there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    key: u64,
    /// Ranks, 1 at least.
    pub ranks: u32,
    /// The rank that something special is asked of at this element: another one from element to element.
    pub lead: u32,
}

impl Place {
    /// The place of an element.
    pub const fn of(seed: u64, element: u64, ranks: u32) -> Self {
        let key = hash::at(seed, element);
        let lead = hash::below(hash::mix(key), ranks as u64) as u32;
        Self { key, ranks, lead }
    }

    /// A number that belongs to the element.
    pub const fn own(&self) -> u64 {
        self.key
    }

    /// A number that belongs to the element and a rank.
    pub const fn drawn(&self, rank: u32) -> u64 {
        hash::at(self.key, rank as u64)
    }

    /// What each rank may add to a budget that all ranks share: where there are more ranks than units, one unit for as
    /// many of them as there are, counted from the leading one.
    pub const fn allowance(&self, rank: u32, budget: u64) -> u64 {
        let ranks = self.ranks as u64;
        if ranks <= budget {
            return budget / ranks;
        }
        let turn = if rank >= self.lead { rank - self.lead } else { rank + self.ranks - self.lead };
        if (turn as u64) < budget { 1 } else { 0 }
    }

    /// A number from 1 to the rank's allowance of a budget, positive or negative; 0 where it has none.
    pub const fn signed(&self, rank: u32, budget: u64) -> i64 {
        let allowance = self.allowance(rank, budget);
        if allowance == 0 {
            return 0;
        }
        let drawn = self.drawn(rank);
        let magnitude = 1 + hash::below(drawn, allowance) as i64;
        // The lowest bit has no part in the magnitude.
        if drawn & 1 == 0 { magnitude } else { -magnitude }
    }
}

/// How a reduction's data is chosen in a data type.
pub(super) trait Recipe: Send + Sync {
    /// The bits of the element that a rank sends.
    fn sent(&self, place: &Place, rank: u32) -> u64;

    /// The bits of the element that must arrive.
    fn expected(&self, place: &Place) -> u64;

    /// How many values of the type what arrives may lie beside that, because the library rounds.
    fn tolerance(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_kept_and_every_rank_has_its_turn() {
        for (ranks, budget) in [(1, 16), (3, 16), (16, 16), (17, 16), (72, 8), (200, 127)] {
            let mut turns = vec![0; ranks as usize];
            for element in 0..4000 {
                let place = Place::of(5, element, ranks);
                let signed: Vec<i64> = (0..ranks).map(|rank| place.signed(rank, budget)).collect();
                assert!(signed.iter().map(|value| value.unsigned_abs()).sum::<u64>() <= budget);
                assert_ne!(signed[place.lead as usize], 0);
                turns.iter_mut().zip(&signed).for_each(|(turns, value)| *turns += u32::from(*value != 0));
            }
            assert!(turns.iter().all(|&turns| turns > 200), "{ranks} ranks, budget {budget}: {turns:?}");
        }
    }
}
