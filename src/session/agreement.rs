use crate::evidence::{LoadedLibrary, RankPlacement, Trouble, TroubleKind};

/// The trouble of ranks that loaded different libraries: what they measure would be no one library's figure.
pub(super) fn libraries(loaded: &[Vec<LoadedLibrary>]) -> Option<Trouble> {
    let first = loaded.first()?;
    loaded.iter().zip(0_u32..).skip(1).find_map(|(own, rank)| {
        let (here, there) = difference(first, own)?;
        let message = format!("rank {rank} loaded {there}, rank 0 {here}");
        Some(Trouble { kind: TroubleKind::Library, rank: Some(rank), message, details: Vec::new() })
    })
}

fn difference(first: &[LoadedLibrary], own: &[LoadedLibrary]) -> Option<(String, String)> {
    let most = first.len().max(own.len());
    let at = (0..most).find(|&at| first.get(at) != own.get(at))?;
    let words = |library: Option<&LoadedLibrary>| match library {
        Some(library) => format!("{} {} ({})", library.name, library.version, library.path),
        None => "none of that place".to_owned(),
    };
    Some((words(first.get(at)), words(own.get(at))))
}

/// The trouble of a rank that the kernel does not hold where it was to be.
pub(super) fn pin(placement: &RankPlacement) -> Option<Trouble> {
    let missed = |what: &str, asked: &Option<_>, found: &Option<_>| {
        let asked: &crate::units::IndexList = asked.as_ref()?;
        if found.as_ref() == Some(asked) {
            return None;
        }
        let found = found.as_ref().map_or_else(|| "any".to_owned(), ToString::to_string);
        Some(format!("{what} {asked} were asked for, the kernel says {found}"))
    };
    let why = missed("CPUs", &placement.asked_cpus, &placement.cpus)
        .or_else(|| missed("NUMA nodes", &placement.asked_nodes, &placement.nodes))?;
    let message = format!("rank {} (GPU{}) is not pinned: {why}", placement.rank, placement.gpu);
    Some(Trouble { kind: TroubleKind::Pin, rank: Some(placement.rank), message, details: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::IndexList;

    fn library(name: &str, version: &str, path: &str) -> LoadedLibrary {
        LoadedLibrary { name: name.into(), path: path.into(), version: version.into(), fake: false }
    }

    #[test]
    fn libraries_that_differ_are_both_named() {
        let driver = library("CUDA driver", "13.0", "/lib/libcuda.so.1");
        let old = library("NCCL", "2.27.3", "/old/libnccl.so.2");
        let new = library("NCCL", "2.28.3", "/new/libnccl.so.2");
        let same = [vec![driver.clone(), new.clone()], vec![driver.clone(), new.clone()]];
        assert_eq!(libraries(&same), None);
        assert_eq!(libraries(&[]), None);
        let trouble = libraries(&[
            vec![driver.clone(), new.clone()],
            vec![driver.clone(), new.clone()],
            vec![driver.clone(), old],
        ]);
        let trouble = trouble.unwrap();
        assert_eq!((trouble.kind, trouble.rank), (TroubleKind::Library, Some(2)));
        assert_eq!(
            trouble.message,
            "rank 2 loaded NCCL 2.27.3 (/old/libnccl.so.2), rank 0 NCCL 2.28.3 (/new/libnccl.so.2)"
        );
        // The same version from another file is another library.
        let elsewhere = library("NCCL", "2.28.3", "/other/libnccl.so.2");
        assert!(libraries(&[vec![driver.clone(), new.clone()], vec![driver.clone(), elsewhere]]).is_some());
        assert!(libraries(&[vec![driver.clone(), new], vec![driver]]).unwrap().message.contains("none"));
    }

    fn placement() -> RankPlacement {
        RankPlacement {
            rank: 1,
            gpu: 3,
            pci: "0000:1a:00.0".into(),
            name: None,
            pid: 1,
            asked_cpus: None,
            asked_nodes: None,
            cpus: None,
            nodes: None,
        }
    }

    fn list(text: &str) -> Option<IndexList> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn a_pin_that_took() {
        assert_eq!(pin(&RankPlacement { cpus: list("0-127"), ..placement() }), None);
        let both = RankPlacement { asked_cpus: list("0-3"), cpus: list("0-3"), ..placement() };
        assert_eq!(pin(&RankPlacement { asked_nodes: list("0"), nodes: list("0"), ..both }), None);
    }

    #[test]
    fn a_pin_that_did_not_take_names_both() {
        let other = RankPlacement { asked_cpus: list("0-3"), cpus: list("0-7"), ..placement() };
        let trouble = pin(&other).unwrap();
        assert_eq!((trouble.kind, trouble.rank), (TroubleKind::Pin, Some(1)));
        assert_eq!(trouble.message, "rank 1 (GPU3) is not pinned: CPUs 0-3 were asked for, the kernel says 0-7");
        let unbound = RankPlacement { asked_nodes: list("0"), ..placement() };
        assert!(pin(&unbound).unwrap().message.contains("NUMA nodes 0 were asked for, the kernel says any"));
    }
}
