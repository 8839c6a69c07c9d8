use super::{
    super::{Difference, Identifiers, NumaNode, PciBridge, PciDevice},
    lists::{Listed, richer, same, united},
};

/// `lscpu` knows no distances.
impl Listed for NumaNode {
    fn agree(first: &[Self], second: &[Self], _: Identifiers) -> Result<Vec<Self>, Difference> {
        same(
            (first, second),
            "NUMA node",
            |node| node.index,
            |one, other| {
                let known = |node: &Self| (!node.distances.is_empty()).then(|| node.distances.clone());
                match richer(&known(one), &known(other)) {
                    Some(distances) if one.cpus == other.cpus => {
                        Ok(Self { distances: distances.unwrap_or_default(), ..one.clone() })
                    }
                    Some(_) => Err(cpus(one, other)),
                    None => Err(Difference::new(distances(one), distances(other))),
                }
            },
        )
    }
}

fn cpus(one: &NumaNode, other: &NumaNode) -> Difference {
    let shown = |node: &NumaNode| format!("node {} with {}", node.index, node.cpus);
    Difference::new(shown(one), shown(other))
}

fn distances(node: &NumaNode) -> String {
    let distances: Vec<String> = node.distances.iter().map(u32::to_string).collect();
    format!("node {} at distances {}", node.index, distances.join(" "))
}

/// Without root's rights neither lspci nor `/sys` shows the ACS control, and `/sys` alone says why not.
impl Listed for PciBridge {
    fn agree(first: &[Self], second: &[Self], _: Identifiers) -> Result<Vec<Self>, Difference> {
        same(
            (first, second),
            "bridge",
            |bridge| bridge.address.clone(),
            |one, other| {
                let sorted = |bridge: &Self| {
                    let mut bits = bridge.acs_redirect.clone()?;
                    bits.sort_unstable();
                    Some(bits)
                };
                let buses_below = richer(&one.buses_below, &other.buses_below)
                    .ok_or_else(|| Difference::new(buses(one), buses(other)))?;
                richer(&sorted(one), &sorted(other)).ok_or_else(|| Difference::new(redirect(one), redirect(other)))?;
                let acs_redirect = one.acs_redirect.clone().or_else(|| other.acs_redirect.clone());
                let acs_unread = one.acs_unread.clone().or_else(|| other.acs_unread.clone());
                let acs_unread = acs_unread.filter(|_| acs_redirect.is_none());
                Ok(Self { address: one.address.clone(), buses_below, acs_redirect, acs_unread })
            },
        )
    }
}

fn buses(bridge: &PciBridge) -> String {
    let (first, last) = bridge.buses_below.unwrap_or_default();
    format!("buses {first:02x} to {last:02x} below bridge {}", bridge.address)
}

fn redirect(bridge: &PciBridge) -> String {
    match bridge.acs_redirect.as_deref().unwrap_or_default() {
        [] => format!("no ACS redirect on bridge {}", bridge.address),
        bits => format!("ACS redirect {} on bridge {}", bits.join(" "), bridge.address),
    }
}

/// lspci lists every device and names it, `/sys` is read of GPUs and NICs alone, and a link lowers itself at rest:
/// nothing here contradicts anything.
impl Listed for PciDevice {
    fn agree(first: &[Self], second: &[Self], _: Identifiers) -> Result<Vec<Self>, Difference> {
        Ok(united(
            first,
            second,
            |device| device.address.clone(),
            |one, other| Self {
                generation: one.generation.max(other.generation),
                width: one.width.max(other.width),
                ..one.clone()
            },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bridge(acs_redirect: Option<&[&str]>) -> PciBridge {
        let acs_redirect = acs_redirect.map(|bits| bits.iter().map(|bit| (*bit).to_owned()).collect());
        let acs_unread = acs_redirect.is_none().then(|| "config is cut at 64 bytes".to_owned());
        PciBridge { address: "0000:40:01.0".to_owned(), buses_below: Some((0x41, 0x44)), acs_redirect, acs_unread }
    }

    #[test]
    fn what_a_source_could_not_read_of_a_bridge_the_other_tells() {
        let plain = PciBridge { buses_below: None, ..bridge(None) };
        let known = bridge(Some(&["ReqRedir"]));
        for (first, second) in [([plain.clone()], [known.clone()]), ([known.clone()], [plain])] {
            let both = PciBridge::agree(&first, &second, Identifiers::Own).unwrap();
            assert!(matches!(both.as_slice(), [both] if *both == known), "{both:?}");
        }
    }

    #[test]
    fn bridges_that_differ_are_named() {
        let on = bridge(Some(&["ReqRedir"]));
        let wrong = PciBridge::agree(std::slice::from_ref(&on), &[bridge(Some(&[]))], Identifiers::Own).unwrap_err();
        assert_eq!(wrong.first, "ACS redirect ReqRedir on bridge 0000:40:01.0");
        assert_eq!(wrong.second, "no ACS redirect on bridge 0000:40:01.0");
        let wrong = PciBridge::agree(&[on], &[], Identifiers::Own).unwrap_err();
        assert_eq!(wrong, Difference::new("1 bridge", "0 bridges without bridge 0000:40:01.0"));
    }

    #[test]
    fn nodes_without_distances_agree_with_those_that_have_them() {
        let plain = NumaNode::new(0, "0-31".parse().unwrap());
        let near = NumaNode { distances: vec![10, 21], ..plain.clone() };
        let (plain_list, near_list) = ([plain.clone()], [near.clone()]);
        for (first, second) in [(&plain_list, &near_list), (&near_list, &plain_list)] {
            assert_eq!(NumaNode::agree(first, second, Identifiers::Own).unwrap(), near_list);
        }
        let far = NumaNode { distances: vec![10, 32], ..plain.clone() };
        let wrong = NumaNode::agree(&[near], &[far], Identifiers::Own).unwrap_err();
        assert_eq!(wrong, Difference::new("node 0 at distances 10 21", "node 0 at distances 10 32"));
        let fewer = NumaNode::new(0, "0-15".parse().unwrap());
        let wrong = NumaNode::agree(&[plain], &[fewer], Identifiers::Own).unwrap_err();
        assert_eq!(wrong, Difference::new("node 0 with 0-31", "node 0 with 0-15"));
    }

    #[test]
    fn devices_never_contradict_each_other() {
        let device = |address: &str, description: &str, generation| PciDevice {
            address: address.to_owned(),
            description: description.to_owned(),
            generation,
            width: Some(16),
        };
        let own = [device("0000:41:00.0", "class 030200", Some(5))];
        let listed =
            [device("0000:40:00.0", "Host bridge: x", None), device("0000:41:00.0", "3D controller: x", Some(1))];
        let all = PciDevice::agree(&own, &listed, Identifiers::Own).unwrap();
        assert_eq!(all, [own[0].clone(), listed[0].clone()]);
    }
}
