//! Rings and trees: `Channel 00/08 : 0 1 2 3`, `Ring 00 : 3 -> 0 -> 1`, `Trees [0] 1/-1/-1->0->-1`.

use std::collections::{BTreeMap, BTreeSet};

use super::scan::{Scan, without_communicator};

/// More rings than this are not kept; a library has at most 64 channels, and few communicators.
const MOST_RINGS: usize = 1_000;
/// More edges of trees than this are not kept.
const MOST_EDGES: usize = 100_000;
/// More than this many channels with their ranks' neighbours are not put together.
const MOST_CHANNELS: u32 = 256;
/// More ranks than this make no ring that is kept.
const MOST_RANKS: usize = 20_000;

/// The rings and trees seen so far.
#[derive(Debug, Default)]
pub(super) struct Graph {
    rings: BTreeSet<Vec<u32>>,
    /// Who follows whom, by channel, where ranks print their own neighbours only.
    next: BTreeMap<u32, BTreeMap<u32, u32>>,
    trees: BTreeSet<(u32, u32)>,
    /// The ring of the line at hand, kept so that a known one costs no memory.
    ring: Vec<u32>,
}

impl Graph {
    /// A whole ring, from what follows the channel: `0 1 2 3`. A ring holds every rank below its length once.
    pub(super) fn ring(&mut self, text: &str) -> Option<()> {
        self.ring.clear();
        for word in without_communicator(text).split_ascii_whitespace() {
            self.ring.push(word.parse().ok()?);
            if self.ring.len() > MOST_RANKS {
                return None;
            }
        }
        if self.rings.contains(self.ring.as_slice()) {
            return Some(());
        }
        if !is_order(&self.ring) {
            return None;
        }
        if self.rings.len() < MOST_RINGS {
            self.rings.insert(self.ring.clone());
        }
        Some(())
    }

    /// One rank's neighbours in a ring, from what follows `Ring `: `00 : 3 -> 0 -> 1`.
    pub(super) fn neighbours(&mut self, text: &str) -> Option<()> {
        let mut scan = Scan(without_communicator(text));
        let channel: u32 = scan.number()?;
        scan.skip(" : ")?;
        scan.number::<u32>()?;
        scan.skip(" -> ")?;
        let me: u32 = scan.number()?;
        scan.skip(" -> ")?;
        let next: u32 = scan.number()?;
        if !scan.is_empty() {
            return None;
        }
        let known = self.next.values().map(BTreeMap::len).sum::<usize>() < MOST_EDGES;
        if channel < MOST_CHANNELS && known {
            self.next.entry(channel).or_default().insert(me, next);
        }
        Some(())
    }

    /// All trees of one rank, from what follows `Trees `: `[0] 1/2/-1->0->-1 [1] ...`, children, rank, parent.
    pub(super) fn trees(&mut self, text: &str) -> Option<()> {
        let mut scan = Scan(without_communicator(text));
        loop {
            scan.skip("[")?;
            scan.number::<u32>()?;
            scan.skip("] ")?;
            let children = children(&mut scan)?;
            scan.skip("->")?;
            let me = scan.number()?;
            scan.skip("->")?;
            let parent = scan.rank_or_none()?;
            if !scan.is_empty() && !scan.0.starts_with(' ') {
                return None;
            }
            self.tree(children, me, parent);
            scan.blanks();
            if scan.is_empty() {
                return Some(());
            }
        }
    }

    /// One tree of one rank, from what follows `Tree `: `0 : -1 -> 0 -> 1/-1/-1`, parent, rank, children.
    pub(super) fn one_tree(&mut self, text: &str) -> Option<()> {
        let mut scan = Scan(without_communicator(text));
        scan.number::<u32>()?;
        scan.skip(" : ")?;
        let parent = scan.rank_or_none()?;
        scan.skip(" -> ")?;
        let me = scan.number()?;
        scan.skip(" -> ")?;
        let children = children(&mut scan)?;
        scan.is_empty().then(|| self.tree(children, me, parent))
    }

    fn tree(&mut self, children: [Option<u32>; 3], me: u32, parent: Option<u32>) {
        let down = children.into_iter().flatten().map(|child| (child, me));
        for edge in down.chain(parent.map(|parent| (me, parent))) {
            if self.trees.len() < MOST_EDGES {
                self.trees.insert(edge);
            }
        }
    }

    /// The rings and the trees' edges. Rings are put together from neighbours where no whole ring is printed.
    pub(super) fn finish(mut self) -> (BTreeSet<Vec<u32>>, BTreeSet<(u32, u32)>) {
        if self.rings.is_empty() {
            self.rings.extend(self.next.values().filter_map(closed));
        }
        (self.rings, self.trees)
    }
}

fn children(scan: &mut Scan<'_>) -> Option<[Option<u32>; 3]> {
    let first = scan.rank_or_none()?;
    scan.skip("/")?;
    let second = scan.rank_or_none()?;
    scan.skip("/")?;
    Some([first, second, scan.rank_or_none()?])
}

/// The ring from rank 0 on, where every rank has spoken.
fn closed(next: &BTreeMap<u32, u32>) -> Option<Vec<u32>> {
    let mut ring = vec![0];
    let mut rank = *next.get(&0)?;
    while rank != 0 && ring.len() < next.len() {
        ring.push(rank);
        rank = *next.get(&rank)?;
    }
    (rank == 0 && is_order(&ring) && ring.len() == next.len()).then_some(ring)
}

/// Whether every number below the length is there once.
fn is_order(ring: &[u32]) -> bool {
    let ranks: BTreeSet<u32> = ring.iter().copied().collect();
    !ring.is_empty() && ranks.len() == ring.len() && ranks.last().is_some_and(|last| *last as usize == ring.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_rings_win_over_neighbours() {
        let mut graph = Graph::default();
        for text in [" 0  2  1", " 0  1  2", " 0  1  2", "0 2 1 comm 0xab nRanks 03"] {
            assert_eq!(graph.ring(text), Some(()), "{text}");
        }
        assert_eq!(graph.neighbours("00 : 1 -> 0 -> 1"), Some(()));
        assert_eq!(graph.finish().0, [vec![0, 1, 2], vec![0, 2, 1]].into());
    }

    #[test]
    fn what_is_no_order_of_ranks_is_no_ring() {
        for text in ["0 1 1", "0 2", "1 2", "", "0 x"] {
            assert_eq!(Graph::default().ring(text), None, "{text}");
        }
    }

    #[test]
    fn neighbours_close_a_ring_only_when_all_have_spoken() {
        let mut graph = Graph::default();
        for text in ["01 : 1 -> 0 -> 2", "01 : 0 -> 2 -> 1", "01 : 2 -> 1 -> 0", "02 : 2 -> 0 -> 1", "02 : 0 -> 1 -> 2"]
        {
            assert_eq!(graph.neighbours(text), Some(()), "{text}");
        }
        assert_eq!(graph.neighbours("02 : 1 -> 2 -> "), None);
        assert_eq!(graph.finish().0, [vec![0, 2, 1]].into());
    }

    #[test]
    fn trees_of_both_forms() {
        let mut graph = Graph::default();
        assert_eq!(graph.trees("[0] 1/2/-1->0->-1 [1] -1/-1/-1->0->3"), Some(()));
        assert_eq!(graph.one_tree("0 : 0 -> 1 -> 4/-1/-1 comm 0x1 nRanks 05 busId c1000"), Some(()));
        assert_eq!(graph.trees("[0] 1/2/-1->0-"), None);
        assert_eq!(graph.one_tree("0 : 0 -> 1 -> 4/-1/"), None);
        assert_eq!(graph.finish().1, [(0, 3), (1, 0), (2, 0), (4, 1)].into());
    }
}
