use super::{
    super::{Difference, Identifiers, NvLink, NvLinkErrors},
    lists::{Listed, richer, same, united},
};

/// NVML knows version and other end of a link, `nvidia-smi nvlink -s` does not; an old NVML knows no speed. A tool that
/// says that no link is active lists none.
impl Listed for NvLink {
    fn agree(first: &[Self], second: &[Self], _: Identifiers) -> Result<Vec<Self>, Difference> {
        let idle = |links: &[Self]| links.iter().all(|link| !link.active);
        match (first, second) {
            ([], links) | (links, []) if idle(links) => return Ok(links.to_vec()),
            _ => {}
        }
        same(
            (first, second),
            "link",
            |link| link.index,
            |one, other| {
                let joined = || {
                    (one.active == other.active).then_some(())?;
                    Some(Self {
                        index: one.index,
                        active: one.active,
                        speed: richer(&one.speed, &other.speed)?,
                        version: richer(&one.version, &other.version)?,
                        remote: richer(&one.remote, &other.remote)?,
                    })
                };
                joined().ok_or_else(|| Difference::new(shown(one), shown(other)))
            },
        )
    }
}

fn shown(link: &NvLink) -> String {
    let speed = match link.speed {
        _ if !link.active => "inactive".to_owned(),
        Some(speed) => format!("at {speed}"),
        None => "active".to_owned(),
    };
    let version = link.version.map(|version| format!(" of version {version}")).unwrap_or_default();
    let remote = link.remote.as_ref().map(|remote| {
        let kind = format!("{:?}", remote.kind).to_lowercase();
        format!(" to {kind} {}", remote.pci_address.as_deref().unwrap_or_default()).trim_end().to_owned()
    });
    format!("link {} {speed}{version}{}", link.index, remote.unwrap_or_default().replace(" to", ", to"))
}

/// No tool and no driver knows every counter of every link, and counters grow.
impl Listed for NvLinkErrors {
    fn agree(first: &[Self], second: &[Self], _: Identifiers) -> Result<Vec<Self>, Difference> {
        Ok(united(
            first,
            second,
            |link| link.index,
            |one, other| {
                let mut counters = one.counters.clone();
                for (name, count) in &other.counters {
                    let known = counters.entry(name.clone()).or_insert(*count);
                    *known = (*known).max(*count);
                }
                Self { index: one.index, counters }
            },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Fact, NvLinkRemote, NvLinkRemoteKind};
    use super::*;
    use crate::units::Bandwidth;

    fn rich(index: u32) -> NvLink {
        let remote = NvLinkRemote { kind: NvLinkRemoteKind::Switch, pci_address: None };
        NvLink { version: Some(6), remote: Some(remote), ..plain(index) }
    }

    fn plain(index: u32) -> NvLink {
        NvLink::new(index, true, Some(Bandwidth(26.562)))
    }

    fn merged(first: Vec<NvLink>, second: Vec<NvLink>) -> Fact<Vec<NvLink>> {
        let mut fact = Fact::known(first, "NVML");
        fact.merge_list(Fact::known(second, "s.txt"));
        fact
    }

    #[test]
    fn the_richer_list_stays_whichever_is_told_first() {
        let (rich, plain): (Vec<_>, Vec<_>) = (0..18).map(|index| (rich(index), plain(index))).unzip();
        assert_eq!(merged(rich.clone(), plain.clone()), Fact::known(rich.clone(), "NVML, s.txt"));
        assert_eq!(merged(plain, rich.clone()), Fact::known(rich, "NVML, s.txt"));
    }

    #[test]
    fn a_contradiction_names_what_differs() {
        let slow = NvLink::new(1, true, Some(Bandwidth(25.0)));
        let down = NvLink::new(1, false, None);
        for (second, reason) in [
            (vec![plain(0)], "NVML says 2 links, s.txt says 1 link without link 1"),
            (
                vec![plain(0), slow],
                "NVML says link 1 at 26.562 GB/s of version 6, to switch, s.txt says link 1 at 25 GB/s",
            ),
            (
                vec![plain(0), down],
                "NVML says link 1 at 26.562 GB/s of version 6, to switch, s.txt says link 1 inactive",
            ),
        ] {
            assert_eq!(merged(vec![rich(0), rich(1)], second).reason(), Some(reason));
        }
    }

    #[test]
    fn no_active_link_is_what_a_list_of_inactive_links_says() {
        let idle = vec![NvLink::new(0, false, None)];
        assert_eq!(merged(idle.clone(), Vec::new()).value(), Some(&idle));
        assert_eq!(merged(vec![plain(0)], Vec::new()).value(), None);
    }

    #[test]
    fn counters_of_both_stand_and_the_higher_of_one() {
        let errors = |index, counters: &[(&str, u64)]| {
            let counters = counters.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
            NvLinkErrors { index, counters }
        };
        let first = [errors(0, &[("Replay Errors", 3), ("CRC Errors", 0)])];
        let second = [errors(0, &[("Replay Errors", 2), ("FLIT Errors", 1)]), errors(1, &[("Replay Errors", 0)])];
        let both = [errors(0, &[("Replay Errors", 3), ("CRC Errors", 0), ("FLIT Errors", 1)]), second[1].clone()];
        assert_eq!(NvLinkErrors::agree(&first, &second, Identifiers::Own).unwrap(), both);
    }
}
