use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, Ipv6Addr},
};

/// What an identifier identifies. Each kind is numbered by itself, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A host by its name.
    Host,
    /// A board, a disk or another thing by the number that its maker gave it.
    Serial,
    /// Anything by a UUID.
    Uuid,
    /// A network interface by its hardware address.
    Mac,
    /// An RDMA device or port by its GUID.
    Guid,
    /// An interface by an IPv4 address.
    Ipv4,
    /// The same, where the address is of its link alone.
    LinkLocalIpv4,
    /// An interface by an IPv6 address.
    Ipv6,
    /// The same, where the address is of its link alone.
    LinkLocalIpv6,
}

/// The stand-ins that were given so far. They are numbers in the order of first sight: nothing of an identifier is in
/// its stand-in but its form.
#[derive(Debug, Default)]
pub(super) struct StandIns {
    given: BTreeMap<Kind, BTreeMap<String, u32>>,
}

impl StandIns {
    /// Another spelling of a host's name.
    pub(super) fn host(&mut self, name: &str) -> String {
        format!("host-{}", self.number(Kind::Host, name.to_ascii_lowercase()))
    }

    /// A number of the same length and with the same punctuation.
    pub(super) fn formed(&mut self, kind: Kind, original: &str) -> String {
        let (prefix, rest) = match original.strip_prefix("0x").or_else(|| original.strip_prefix("0X")) {
            Some(rest) => (&original[..2], rest),
            None => ("", original),
        };
        // One device is spelled with colons here and without there.
        let key: String = rest.chars().filter(char::is_ascii_alphanumeric).collect();
        let number = self.number(kind, key.to_ascii_lowercase());
        format!("{prefix}{}", in_form(rest, number))
    }

    /// An address of the blocks for documentation (RFC 5737); after these 762, of the one for benchmarks (RFC 2544). A
    /// link-local one stays link-local.
    pub(super) fn ipv4(&mut self, address: Ipv4Addr) -> Ipv4Addr {
        if address.is_link_local() {
            let [.., high, low] = self.number(Kind::LinkLocalIpv4, address.to_string()).to_be_bytes();
            return Ipv4Addr::new(169, 254, high, low);
        }
        let number = self.number(Kind::Ipv4, address.to_string());
        let [_, second, third, fourth] = number.to_be_bytes();
        let last = u8::try_from((number - 1) % 254 + 1).unwrap_or(u8::MAX);
        match (number - 1) / 254 {
            0 => Ipv4Addr::new(192, 0, 2, last),
            1 => Ipv4Addr::new(198, 51, 100, last),
            2 => Ipv4Addr::new(203, 0, 113, last),
            _ => Ipv4Addr::new(198, 18 + (second & 1), third, fourth),
        }
    }

    /// An address of the block for documentation (RFC 3849), of `fe80::/10` where it was link-local, a mapped IPv4
    /// address where it was one.
    pub(super) fn ipv6(&mut self, address: Ipv6Addr) -> Ipv6Addr {
        if let Some(mapped) = address.to_ipv4_mapped() {
            return if is_plain(mapped) { address } else { self.ipv4(mapped).to_ipv6_mapped() };
        }
        self.ipv6_of(address.is_unicast_link_local(), &address.to_string())
    }

    /// The stand-in of an IPv6 address in any spelling, such as one that cannot be read.
    pub(super) fn ipv6_of(&mut self, link_local: bool, address: &str) -> Ipv6Addr {
        let kind = if link_local { Kind::LinkLocalIpv6 } else { Kind::Ipv6 };
        let number = u128::from(self.number(kind, address.to_ascii_lowercase()));
        let block = if link_local { 0xfe80 << 112 } else { 0x2001_0db8 << 96 };
        Ipv6Addr::from_bits(block | number)
    }

    fn number(&mut self, kind: Kind, key: String) -> u32 {
        let given = self.given.entry(kind).or_default();
        let next = u32::try_from(given.len()).unwrap_or(u32::MAX).saturating_add(1);
        *given.entry(key).or_insert(next)
    }
}

/// Whether a host's name may be a stand-in: then it does not tell which host it is.
pub fn is_stand_in(name: &str) -> bool {
    let number = name.strip_prefix("host-");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether an IPv4 address is the same on every machine: loopback, multicast, netmasks, none.
pub(super) fn is_plain(address: Ipv4Addr) -> bool {
    let [first, ..] = address.octets();
    matches!(first, 0 | 127 | 224..)
}

/// `number` with as many digits, and the same punctuation, as `form`.
fn in_form(form: &str, number: u32) -> String {
    let mut digits: Vec<char> = number.to_string().chars().collect();
    let mut last_first: Vec<char> =
        form.chars().rev().map(|c| if c.is_ascii_alphanumeric() { digits.pop().unwrap_or('0') } else { c }).collect();
    last_first.extend(digits.into_iter().rev());
    last_first.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_identifier_has_one_stand_in_in_every_spelling() {
        let mut stand_ins = StandIns::default();
        assert_eq!(stand_ins.formed(Kind::Guid, "0xb83fd20300ab1234"), "0x0000000000000001");
        assert_eq!(stand_ins.formed(Kind::Guid, "b83f:d203:00ab:1235"), "0000:0000:0000:0002");
        assert_eq!(stand_ins.formed(Kind::Guid, "B83F:D203:00AB:1234"), "0000:0000:0000:0001");
        assert_eq!(stand_ins.host("Node17"), stand_ins.host("node17"));
    }

    #[test]
    fn a_number_that_is_longer_than_its_form_stays_whole() {
        assert_eq!(in_form("a-b", 123), "12-3");
        assert_eq!(in_form("", 7), "7");
    }

    #[test]
    fn addresses_keep_their_kind() {
        let mut stand_ins = StandIns::default();
        let mut shown = |text: &str| stand_ins.ipv6(text.parse().unwrap()).to_string();
        assert_eq!(shown("fe80::ba3f:d2ff:feab:1234"), "fe80::1");
        assert_eq!(shown("2a01:4f8::17"), "2001:db8::1");
        assert_eq!(shown("::ffff:10.1.2.3"), "::ffff:192.0.2.1");
        assert_eq!(shown("::ffff:169.254.7.8"), "::ffff:169.254.0.1");
    }

    #[test]
    fn a_thousand_addresses_have_a_thousand_stand_ins() {
        let mut stand_ins = StandIns::default();
        let given: std::collections::BTreeSet<Ipv4Addr> =
            (0..1000).map(|at| stand_ins.ipv4(Ipv4Addr::from_bits(0x0a00_0000 + at))).collect();
        assert_eq!(given.len(), 1000);
        assert!(given.contains(&Ipv4Addr::new(198, 51, 100, 1)));
    }
}
