//! Identifiers that only the words before them tell of: arguments of the kernel, serial numbers, names of disks.

use std::net::Ipv4Addr;

use super::{
    forms::{formed, ipv6},
    stand_ins::{Kind, StandIns, is_plain},
};

/// Arguments whose values are names of hosts. An IOMMU's log has `domain=` before a number.
pub(super) const HOST_NAME: &str = r"(?:hostname=[A-Za-z]|domain=[A-Za-z][\w-]*\.)[\w.-]*";
/// `ip=` of the kernel; its fields are told apart in [`is_addressed`].
pub(super) const ADDRESSED: &str = r"ip=[^\s,\x22']+";
/// The server of a root over the network. A path alone is of the server that DHCP told.
pub(super) const NFS_SERVER: &str = r"(?:nfsroot=|nfs4?:)[^\s:/,]+:";
pub(super) const NETWORK_ROOT: &str = r"netroot=[a-z0-9]+:[^\s\x22']+";
/// As the kernel's log tells of them.
pub(super) const LOGGED_SERVER: &str = r"(?i:nfs): server [^\s:,]+";
pub(super) const SECRET: &str = r"(?:user(?:name)?|passw(?:or)?d|rootpw|secret|token)=[^\s\x22']+";
/// Who built a kernel, and addresses of mail.
pub(super) const PERSON: &str = r"\([\w.+-]+@[\w.-]+\)|[A-Za-z0-9][\w.+-]*@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}";
pub(super) const SERIAL: &str = r"(?:(?i:serial[ _]?(?:number|no\.?)|S/N)\s?[:=]\s?|SN:\s?)[0-9A-Za-z._-]{4,}";
/// A disk by its names below /dev/disk, with slashes, or in a unit's name.
pub(super) const DISK: &str = r"by-(?:id|uuid|partuuid)/[^\s/]+|by\\x2d(?:id|uuid|partuuid)-[^\s/]+";
/// A disk by its world-wide name.
pub(super) const WORLD_WIDE: &str = r"(?:naa|eui|t10)\.[^\s,/\x22']{8,}";
pub(super) const QUALIFIED: &str = r"(?:iqn|nqn)\.[0-9]{4}-[0-9]{2}\.[^\s,]+";

/// What systemd's units end in: `user@host.service` is no address.
const UNITS: [&str; 11] =
    ["service", "socket", "target", "mount", "automount", "timer", "slice", "scope", "device", "swap", "path"];

/// How units' names spell a hyphen.
const ESCAPED: &str = r"\x2d";

pub(super) fn is_person(before: &str, found: &str, after: &str) -> bool {
    let is_unit = found.rsplit('.').next().is_some_and(|ending| UNITS.contains(&ending));
    super::forms::apart(before, found, after) && !is_unit
}

/// Whether a host's name is among the fields: client, server, gateway, netmask, host, device.
pub(super) fn is_addressed(before: &str, found: &str, after: &str) -> bool {
    let host = fields(found).get(HOST_FIELD).copied().unwrap_or_default();
    super::forms::apart(before, found, after) && host.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The place of the host's name (Linux, Documentation/admin-guide/nfs/nfsroot.rst).
const HOST_FIELD: usize = 4;

/// The fields after `ip=`. IPv6 addresses stand in brackets.
fn fields(found: &str) -> Vec<&str> {
    let text = found.strip_prefix("ip=").unwrap_or(found);
    let mut inside = false;
    let ends = |c: char| {
        inside = (inside || c == '[') && c != ']';
        c == ':' && !inside
    };
    text.split(ends).collect()
}

pub(super) fn addressed(found: &str, all: &mut StandIns) -> String {
    let field = |(at, field): (usize, &&str)| if at == HOST_FIELD { host(field, all) } else { address(field, all) };
    format!("ip={}", fields(found).iter().enumerate().map(field).collect::<Vec<_>>().join(":"))
}

/// The address that a text is, if it is one.
fn address(text: &str, all: &mut StandIns) -> String {
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return format!("[{}]", ipv6(inner, all));
    }
    match text.parse::<Ipv4Addr>() {
        Ok(address) if !is_plain(address) => all.ipv4(address).to_string(),
        _ => text.to_owned(),
    }
}

/// A host by its address, or by its name with a domain or without.
fn host(text: &str, all: &mut StandIns) -> String {
    match text {
        "" | "localhost" => text.to_owned(),
        _ if text.parse::<Ipv4Addr>().is_ok() || text.starts_with('[') => address(text, all),
        _ => all.host(text.split('.').next().unwrap_or(text)),
    }
}

/// The value of `name=value`, which is a host.
pub(super) fn host_name(found: &str, all: &mut StandIns) -> String {
    let (name, value) = found.split_once('=').unwrap_or_default();
    format!("{name}={}", host(value, all))
}

pub(super) fn nfs_server(found: &str, all: &mut StandIns) -> String {
    let at = found.find(['=', ':']).map_or(0, |at| at + 1);
    let (name, server) = found.split_at(at);
    format!("{name}{}:", host(server.trim_end_matches(':'), all))
}

pub(super) fn network_root(found: &str, all: &mut StandIns) -> String {
    let (protocol, root) = found.split_once(':').unwrap_or_default();
    format!("{protocol}:{}", all.host(root))
}

pub(super) fn logged_server(found: &str, all: &mut StandIns) -> String {
    let (words, server) = found.rsplit_once(' ').unwrap_or_default();
    format!("{words} {}", host(server, all))
}

pub(super) fn secret(found: &str, _: &mut StandIns) -> String {
    let (name, _) = found.split_once('=').unwrap_or_default();
    format!("{name}=hidden")
}

pub(super) fn person(found: &str, all: &mut StandIns) -> String {
    let (_, place) = found.trim_end_matches(')').split_once('@').unwrap_or_default();
    let place = host(place, all);
    if found.starts_with('(') { format!("(user@{place})") } else { format!("user@{place}") }
}

pub(super) fn serial(found: &str, all: &mut StandIns) -> String {
    let at = found.find([':', '=']).map_or(0, |at| at + 1);
    let (name, value) = found.split_at(at);
    let blank = &value[..value.len() - value.trim_start().len()];
    format!("{name}{blank}{}", formed(Kind::Serial, value.trim_start(), all))
}

/// A disk, named by what it is and its serial number, or by its file system; the numbers at the end of some are
/// partitions.
pub(super) fn disk(found: &str, all: &mut StandIns) -> String {
    let plain = found.replacen(ESCAPED, "-", 1);
    let at = "by-".len() + plain["by-".len()..].find(['/', '-']).map_or(0, |at| at + 1);
    let kind = if plain[..at].contains("uuid") { Kind::Uuid } else { Kind::Serial };
    let name = unit(kind, &plain[at..], all);
    format!("{}{name}", &found[..found.len() - plain.len() + at])
}

/// A UUID, as a unit's name spells it too.
pub(super) fn uuid(found: &str, all: &mut StandIns) -> String {
    unit(Kind::Uuid, found, all)
}

fn unit(kind: Kind, found: &str, all: &mut StandIns) -> String {
    if !found.contains(ESCAPED) {
        return formed(kind, found, all);
    }
    formed(kind, &found.replace(ESCAPED, "-"), all).replace('-', ESCAPED)
}

pub(super) fn world_wide(found: &str, all: &mut StandIns) -> String {
    let (name, number) = found.split_once('.').unwrap_or_default();
    format!("{name}.{}", formed(Kind::Serial, number, all))
}

/// A name of iSCSI or NVMe over fabrics. The UUID of some is an identifier all the same.
pub(super) fn qualified(found: &str, all: &mut StandIns) -> String {
    let (name, _) = found.split_once('.').unwrap_or_default();
    let date = if name == "nqn" { "2014-08" } else { "2001-01" };
    format!("{name}.{date}.example:{}", all.host(found))
}
