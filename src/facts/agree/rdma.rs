use std::net::Ipv6Addr;

use super::{
    super::{Difference, Gid, Identifiers},
    lists::{Listed, richer, same},
};

/// `/sys` knows the network interface; entries without an address are no entries, and not every source shows them.
impl Listed for Gid {
    fn agree(first: &[Self], second: &[Self], identifiers: Identifiers) -> Result<Vec<Self>, Difference> {
        let [first, second] = [first, second].map(|gids| gids.iter().filter(|gid| !gid.is_empty()).cloned().collect());
        let (first, second): (Vec<Self>, Vec<Self>) = (first, second);
        same(
            (&first, &second),
            "GID",
            |gid| gid.index,
            |one, other| {
                let joined = || {
                    (identifiers == Identifiers::Replaced || one.address() == other.address()).then_some(())?;
                    richer(&one.kind(), &other.kind())?;
                    let kind = one.kind.clone().or_else(|| other.kind.clone());
                    let netdev = match identifiers {
                        Identifiers::Own => richer(&one.netdev, &other.netdev)?,
                        Identifiers::Replaced => one.netdev.clone().or_else(|| other.netdev.clone()),
                    };
                    Some(Self { kind, netdev, ..one.clone() })
                };
                joined().ok_or_else(|| Difference::new(shown(one), shown(other)))
            },
        )
    }
}

impl Gid {
    /// The address, however it is spelled.
    fn address(&self) -> Result<Ipv6Addr, &str> {
        self.address.trim().parse().map_err(|_| self.address.as_str())
    }

    fn is_empty(&self) -> bool {
        self.address().is_ok_and(|address| address.is_unspecified())
    }

    /// The kind: the kernel calls the older one `IB/RoCE v1`, ibv_devinfo by the port's link layer.
    fn kind(&self) -> Option<&str> {
        self.kind.as_deref().map(|kind| if kind == "RoCE v1" { "IB/RoCE v1" } else { kind })
    }
}

fn shown(gid: &Gid) -> String {
    let parts = [gid.kind.as_deref(), gid.netdev.as_deref()].into_iter().flatten();
    parts.fold(format!("GID {} {}", gid.index, gid.address), |text, part| format!("{text}, {part}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gid(index: u32, address: &str, kind: Option<&str>, netdev: Option<&str>) -> Gid {
        Gid { index, address: address.to_owned(), kind: kind.map(str::to_owned), netdev: netdev.map(str::to_owned) }
    }

    #[test]
    fn the_richer_table_stays_whichever_is_told_first() {
        let rich = [
            gid(0, "fe80:0000:0000:0000:0e42:a1ff:fe11:2233", Some("IB/RoCE v1"), Some("eth0")),
            gid(1, "fe80:0000:0000:0000:0e42:a1ff:fe11:2233", Some("RoCE v2"), Some("eth0")),
        ];
        let plain = [
            gid(0, "fe80::e42:a1ff:fe11:2233", Some("RoCE v1"), None),
            gid(1, "fe80::e42:a1ff:fe11:2233", None, None),
            gid(2, "::", None, None),
        ];
        assert_eq!(Gid::agree(&rich, &plain, Identifiers::Own).unwrap(), rich);
        for gid in Gid::agree(&plain, &rich, Identifiers::Own).unwrap() {
            let known = &rich[gid.index as usize];
            assert_eq!((gid.kind(), &gid.netdev, gid.address()), (known.kind(), &known.netdev, known.address()));
        }
    }

    #[test]
    fn another_address_is_named_unless_it_stands_in() {
        let (own, other) = ([gid(0, "fe80::1", None, None)], [gid(0, "fe80::2", Some("RoCE v2"), None)]);
        let wrong = Gid::agree(&own, &other, Identifiers::Own).unwrap_err();
        assert_eq!(wrong, Difference::new("GID 0 fe80::1", "GID 0 fe80::2, RoCE v2"));
        let joined = Gid::agree(&own, &other, Identifiers::Replaced).unwrap();
        assert_eq!(joined, [gid(0, "fe80::1", Some("RoCE v2"), None)]);
    }

    #[test]
    fn an_entry_that_one_table_lacks_is_named() {
        let own = [gid(0, "fe80::1", None, None), gid(3, "fe80::2", None, None)];
        let wrong = Gid::agree(&own, &own[..1], Identifiers::Own).unwrap_err();
        assert_eq!(wrong, Difference::new("2 GIDs", "1 GID without GID 3"));
    }
}
