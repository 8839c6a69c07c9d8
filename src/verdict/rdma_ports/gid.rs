use crate::{
    facts::{Fact, Gid, RdmaPort},
    spec::{GidExpect, Placed},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
    },
};

/// Judges whether the GID table holds an entry with the properties asked.
pub(super) fn judge(wanted: &Placed<GidExpect>, name: &str, port: &RdmaPort, ledger: &mut Ledger<'_>) {
    let check = Check::new(FindingCode::PortGid, "GID", "has no such GID ({})", &wanted.place);
    let routable = wanted.routable.map(|yes| if yes { "routable" } else { "not routable" }.to_owned());
    let expected = wanted.kind.iter().cloned().chain(routable).collect::<Vec<_>>().join(", ");
    let (gids, source) = match &port.gids {
        Fact::Known { value, source } => (value, source),
        unknown => return ledger.unknown(&check, name, &expected, unknown.reason().unwrap_or_default()),
    };
    let address = |gid: &Gid| wanted.routable.is_none_or(|asked| is_routable(&gid.address) == asked);
    let kind =
        |gid: &Gid| wanted.kind.as_ref().is_none_or(|asked| gid.kind.as_ref().is_some_and(|kind| is_kind(asked, kind)));
    if let Some(gid) = gids.iter().find(|gid| address(gid) && kind(gid)) {
        return ledger.met(&check, name, &expected, &gid.address, None);
    }
    if wanted.kind.is_some() && gids.iter().any(|gid| address(gid) && gid.kind.is_none()) {
        return ledger.unknown(&check, name, &expected, &format!("{source} gives no type for a GID that would do"));
    }
    let shown = gids.iter().map(|gid| gid.address.as_str()).collect::<Vec<_>>().join(", ");
    ledger.violated(&check, name, &expected, if shown.is_empty() { "none" } else { &shown }, source);
}

fn is_kind(asked: &str, kind: &str) -> bool {
    let plain = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    plain(asked) == plain(kind)
}

/// Whether an address reaches other subnets: neither empty nor link-local, of IPv6 or as a mapped IPv4 address.
fn is_routable(address: &str) -> bool {
    let address = address.trim().to_ascii_lowercase();
    let first = address.split(':').next().and_then(|group| u16::from_str_radix(group, 16).ok());
    let link_local = first.is_some_and(|group| group & 0xffc0 == 0xfe80);
    let mapped_link_local = address.contains("ffff:169.254.") || address.contains("ffff:a9fe:");
    let empty = address.chars().all(|c| matches!(c, '0' | ':' | '.'));
    !(empty || link_local || mapped_link_local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_local_and_empty_entries_lead_nowhere() {
        for address in ["", "::", "0000:0000:0000:0000:0000:0000:0000:0000", "fe80::1", "::ffff:169.254.1.2"] {
            assert!(!is_routable(address), "{address}");
        }
        for address in ["::ffff:10.0.0.1", "0000:0000:0000:0000:0000:ffff:0a00:0001", "2001:db8::1"] {
            assert!(is_routable(address), "{address}");
        }
    }
}
