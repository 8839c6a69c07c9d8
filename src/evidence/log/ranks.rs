//! Ranks and communicators: `comm 0x.. rank 0 nranks 8 .. - Init COMPLETE`, `.. nRanks 8 nNodes 1 ..`.

use std::collections::{BTreeMap, BTreeSet};

use super::{super::LogRank, scan::Scan};

/// More ranks and communicators than this are not kept.
const MOST: usize = 100_000;

/// The ranks and communicators seen so far.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    ranks: BTreeMap<u32, LogRank>,
    communicators: BTreeSet<String>,
    nodes: BTreeSet<u32>,
    /// Communicators that a rank began to make and did not end, by the rank and the address.
    open: BTreeSet<(u32, u64)>,
}

/// What a line says of a rank when its communicator is being made.
#[derive(Debug)]
struct InitText<'a> {
    address: Option<u64>,
    rank: u32,
    of: u32,
    device: u32,
    bus: Option<&'a str>,
    identity: Option<&'a str>,
    complete: bool,
}

impl Ranks {
    /// A line that begins with a communicator: `[Rank 0] ncclCommInitRank comm 0x.. ..`; `None` where its form is not
    /// known.
    pub(super) fn line(&mut self, message: &str, host: Option<&str>) -> Option<()> {
        if message.contains(" - Init ") {
            let init = InitText::read(message)?;
            self.init(&init, host);
            return Some(());
        }
        if message.contains(" nNodes ") {
            return self.node_count(message);
        }
        const ENDS: &[&str] = &["Destroy COMPLETE", "Abort COMPLETE", "Abort START", "Destroy START"];
        ENDS.iter().any(|end| message.ends_with(end)).then_some(())
    }

    fn init(&mut self, init: &InitText<'_>, host: Option<&str>) {
        if self.ranks.len() >= MOST || self.communicators.len() >= MOST || self.open.len() >= MOST {
            return;
        }
        // Libraries before 2.16 print no identity; their communicators differ in the number of ranks at best.
        match init.identity {
            Some(identity) if !self.communicators.contains(identity) => self.communicators.insert(identity.to_owned()),
            Some(_) => false,
            None => self.communicators.insert(format!("nranks {}", init.of)),
        };
        let open = (init.rank, init.address.unwrap_or(0));
        if init.complete {
            self.open.remove(&open)
        } else {
            self.open.insert(open)
        };
        let rank = LogRank {
            host: host.map(str::to_owned),
            of: Some(init.of),
            device: Some(init.device),
            bus: init.bus.map(str::to_ascii_lowercase),
            complete: init.complete,
        };
        let known = self.ranks.entry(init.rank).or_default();
        *known = std::mem::take(known).merged(rank);
    }

    /// `comm 0x.. rank 0 nRanks 8 nNodes 1 localRanks 8 ..`.
    fn node_count(&mut self, message: &str) -> Option<()> {
        let mut scan = Scan(message);
        scan.after(" nNodes ")?;
        let nodes = scan.number()?;
        scan.skip(" localRanks ")?;
        if self.nodes.len() < MOST {
            self.nodes.insert(nodes);
        }
        Some(())
    }

    /// The ranks, the communicators' identities and the numbers of nodes. A rank that waits for one of its
    /// communicators is not complete.
    pub(super) fn finish(mut self) -> (BTreeMap<u32, LogRank>, BTreeSet<String>, BTreeSet<u32>) {
        for (rank, _) in self.open {
            if let Some(rank) = self.ranks.get_mut(&rank) {
                rank.complete = false;
            }
        }
        (self.ranks, self.communicators, self.nodes)
    }

    /// Whether a ring of that many ranks can be one of the communicators', as far as they are known.
    pub(super) fn can_have(&self, ranks: usize) -> bool {
        let mut sizes = self.ranks.values().filter_map(|rank| rank.of).peekable();
        sizes.peek().is_none() || self.communicators.len() > 1 || sizes.any(|of| of as usize == ranks)
    }
}

impl<'a> InitText<'a> {
    fn read(message: &'a str) -> Option<Self> {
        let mut scan = Scan(message);
        if !scan.skip_if("comm ") {
            scan.after(" comm ")?;
        }
        scan.skip("0x")?;
        let address = u64::from_str_radix(scan.word(), 16).ok();
        scan.after(" rank ")?;
        let rank = scan.number()?;
        scan.skip(" nranks ")?;
        let of = scan.number()?;
        scan.skip(" cudaDev ")?;
        let cuda = scan.number()?;
        let nvml = if scan.skip_if(" nvmlDev ") { Some(scan.number()?) } else { None };
        scan.skip(" busId ")?;
        let bus = Some(scan.word()).filter(|bus| is_hexadecimal(bus));
        let identity = if scan.skip_if(" commId ") { Some(scan.word()).filter(|id| is_identity(id)) } else { None };
        scan.after(" - Init ")?;
        let complete = match scan.0 {
            "COMPLETE" => true,
            "START" => false,
            _ => return None,
        };
        Some(Self { address, rank, of, device: nvml.unwrap_or(cuda), bus, identity, complete })
    }
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_identity(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(is_hexadecimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Ranks {
        let mut ranks = Ranks::default();
        for line in lines {
            assert_eq!(ranks.line(line, Some("gpu-1")), Some(()), "{line}");
        }
        ranks
    }

    #[test]
    fn a_rank_of_every_version() {
        let lines = [
            "comm 0x55d0 rank 3 nranks 4 cudaDev 3 busId 5E000 - Init COMPLETE",
            "comm 0x55d0 rank 3 nranks 4 cudaDev 3 busId 5e000 commId 0x9f - Init COMPLETE",
            "comm 0x55d0 rank 3 nranks 4 cudaDev 1 nvmlDev 3 busId 5e000 commId 0x9f - Init COMPLETE",
            "ncclCommInitRank comm 0x55d0 rank 3 nranks 4 cudaDev 1 nvmlDev 3 busId 5e000 commId 0x9f - Init COMPLETE",
            "[Rank 3] ncclCommInitAll comm 0x55d0 rank 3 nranks 4 cudaDev 0 nvmlDev 3 busId 5e000 commId 0x9f - Init COMPLETE",
            "ncclCommSplit comm 0x55d0 rank 3 nranks 4 cudaDev 0 nvmlDev 3 busId 5e000 parent 0x77 color 1 key 3 commId 0x9f - Init COMPLETE",
        ];
        for line in lines {
            let (ranks, _, _) = read(&[line]).finish();
            let rank = LogRank {
                host: Some("gpu-1".into()),
                of: Some(4),
                device: Some(3),
                bus: Some("5e000".into()),
                complete: true,
            };
            assert_eq!(ranks, [(3, rank)].into(), "{line}");
        }
    }

    #[test]
    fn one_run_has_one_identity() {
        let old = [
            "comm 0x1 rank 0 nranks 2 cudaDev 0 busId 1a000 - Init COMPLETE",
            "comm 0x2 rank 1 nranks 2 cudaDev 1 busId 2b000 - Init COMPLETE",
        ];
        assert_eq!(read(&old).finish().1, ["nranks 2".to_owned()].into());
        let new = [
            "comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1a000 commId 0xbeef - Init START",
            "comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1a000 commId 0xbeef - Init COMPLETE",
        ];
        assert_eq!(read(&new).finish().1, ["0xbeef".to_owned()].into());
    }

    #[test]
    fn a_communicator_that_is_not_made_leaves_its_rank_incomplete() {
        let lines = [
            "comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1a000 commId 0xa - Init START",
            "comm 0x2 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1a000 commId 0xb - Init START",
            "comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1a000 commId 0xa - Init COMPLETE",
        ];
        assert!(!read(&lines).finish().0[&0].complete);
    }

    #[test]
    fn nodes_and_ends() {
        let lines = [
            "comm 0x1 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0",
            "comm 0x1 rank 0 nranks 16 cudaDev 0 busId 1a000 - Destroy COMPLETE",
        ];
        let (ranks, communicators, nodes) = read(&lines).finish();
        assert_eq!((ranks.len(), communicators.len(), nodes), (0, 0, [2].into()));
    }

    #[test]
    fn elided_addresses_give_what_is_left() {
        let line = "comm 0x... rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId xxxx commId 0x... - Init COMPLETE";
        let (ranks, communicators, _) = read(&[line]).finish();
        assert_eq!((ranks[&1].of, ranks[&1].bus.as_deref()), (Some(2), None));
        assert_eq!(communicators, ["nranks 2".to_owned()].into());
    }

    #[test]
    fn what_is_cut_says_nothing() {
        for cut in ["comm 0x1 rank 0 nranks 2 cudaDev 0 busId 1a000 - Init COMPL", "comm 0x1 rank 0 nRanks 16 nNodes 2"]
        {
            assert_eq!(Ranks::default().line(cut, None), None, "{cut}");
        }
    }
}
