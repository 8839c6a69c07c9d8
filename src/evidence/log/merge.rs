//! Several files of one run become one log.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::{Carrier, Edge, LibraryLog, LogRank},
    reader::{MOST_DAMAGE, MOST_WARNINGS},
};

impl LibraryLog {
    /// What two files of one run say together.
    #[must_use]
    pub fn merged(mut self, other: Self) -> Self {
        self.sources.extend(other.sources);
        self.libraries.extend(other.libraries);
        for (rank, said) in other.ranks {
            let known = self.ranks.entry(rank).or_default();
            *known = std::mem::take(known).merged(said);
        }
        self.communicators.extend(other.communicators);
        self.nodes.extend(other.nodes);
        self.edges.extend(other.edges);
        without_plain_twins(&mut self.edges);
        self.rings.extend(other.rings);
        self.trees.extend(other.trees);
        self.rings_connected |= other.rings_connected;
        self.trees_connected |= other.trees_connected;
        self.channels.extend(other.channels);
        self.choices.extend(other.choices);
        extend_sets(&mut self.environment, other.environment);
        self.networks.extend(other.networks);
        extend_sets(&mut self.network_devices, other.network_devices);
        self.gpudirect_disabled.extend(other.gpudirect_disabled);
        self.nvls_used |= other.nvls_used;
        self.paths.extend(other.paths);
        self.warnings.extend(other.warnings);
        self.warnings.truncate(MOST_WARNINGS);
        self.warning_count += other.warning_count;
        self.lines += other.lines;
        self.unknown_lines += other.unknown_lines;
        self.damage.extend(other.damage);
        self.damage.truncate(MOST_DAMAGE);
        self
    }
}

impl LogRank {
    /// What two lines say of a rank. Of communicators of different sizes the larger one counts: ranks of a part of the
    /// job are other processes than those of the whole.
    pub(super) fn merged(self, other: Self) -> Self {
        if self.of.is_some() && other.of.is_some() && self.of != other.of {
            return if self.of > other.of { self } else { other };
        }
        Self {
            host: self.host.or(other.host),
            of: self.of.or(other.of),
            device: self.device.or(other.device),
            bus: self.bus.or(other.bus),
            complete: self.complete || other.complete,
        }
    }
}

fn extend_sets<K: Ord>(known: &mut BTreeMap<K, BTreeSet<String>>, other: BTreeMap<K, BTreeSet<String>>) {
    for (key, values) in other {
        known.entry(key).or_default().extend(values);
    }
}

/// The receiver's line does not name the proxy of a connection: where the sender's does, it adds nothing.
fn without_plain_twins(edges: &mut BTreeSet<Edge>) {
    let plain = |edge: &Edge| match &edge.carrier {
        Carrier::Network { name, device, gpudirect, proxy: Some(_) } => {
            let carrier = Carrier::Network { name: name.clone(), device: *device, gpudirect: *gpudirect, proxy: None };
            Some(Edge { from: edge.from, to: edge.to, carrier })
        }
        _ => None,
    };
    let twins: Vec<Edge> = edges.iter().filter_map(plain).collect();
    for twin in twins {
        edges.remove(&twin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(proxy: Option<u32>) -> Edge {
        let carrier = Carrier::Network { name: "IB".into(), device: Some(1), gpudirect: true, proxy };
        Edge { from: 0, to: 9, carrier }
    }

    #[test]
    fn union_of_two_files() {
        let first = LibraryLog {
            sources: vec!["a".into()],
            edges: [network(None)].into(),
            environment: [("NCCL_ALGO".to_owned(), ["Ring".to_owned()].into())].into(),
            lines: 3,
            ..LibraryLog::default()
        };
        let second = LibraryLog {
            sources: vec!["b".into()],
            edges: [network(Some(1))].into(),
            environment: [("NCCL_ALGO".to_owned(), ["Tree".to_owned()].into())].into(),
            lines: 4,
            nvls_used: true,
            ..LibraryLog::default()
        };
        let both = first.merged(second);
        assert_eq!(both.sources, ["a", "b"]);
        assert_eq!(both.edges, [network(Some(1))].into());
        assert_eq!(both.environment["NCCL_ALGO"], ["Ring".to_owned(), "Tree".to_owned()].into());
        assert_eq!((both.lines, both.nvls_used), (7, true));
    }

    #[test]
    fn the_rank_of_the_larger_communicator_stays() {
        let of = |of, device| LogRank { of: Some(of), device: Some(device), ..LogRank::default() };
        assert_eq!(of(16, 3).merged(of(8, 5)), of(16, 3));
        assert_eq!(of(8, 5).merged(of(16, 3)), of(16, 3));
        let complete = LogRank { of: Some(8), complete: true, bus: Some("1a000".into()), ..LogRank::default() };
        assert_eq!(of(8, 5).merged(complete.clone()), LogRank { device: Some(5), ..complete });
    }
}
