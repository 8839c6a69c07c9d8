//! The forms by which identifiers are told in a text that may hold anything.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{
    labelled,
    stand_ins::{Kind, StandIns, is_plain},
};

/// A form: a pattern, where it may stand, and what becomes of what is found.
pub(super) struct Form {
    pub(super) pattern: &'static str,
    /// Whether what is found between two texts is of this form; else other forms are tried there.
    pub(super) stands: fn(before: &str, found: &str, after: &str) -> bool,
    pub(super) replace: fn(&str, &mut StandIns) -> String,
}

/// In the order in which they are tried at a place. The first is no identifier, and is there so that no other form is
/// seen in it.
pub(super) const FORMS: [Form; 24] = [
    Form { pattern: PCI, stands: is_pci, replace: |found, _| found.to_owned() },
    Form { pattern: labelled::DISK, stands: apart, replace: labelled::disk },
    Form { pattern: UUID, stands: |_, _, _| true, replace: labelled::uuid },
    Form { pattern: r"(?:PART)?UUID=[0-9A-Fa-f-]+", stands: |_, _, _| true, replace: assigned },
    Form { pattern: r"(?:enx|wlx|rocex|ibx|ibwx)[0-9A-Fa-f]{12,16}", stands: apart, replace: named_by_mac },
    Form { pattern: r"(?:[0-9A-Fa-f]{2}:){5,19}[0-9A-Fa-f]{2}", stands: apart, replace: mac },
    Form { pattern: r"(?:[0-9A-Fa-f]{2}-){5,19}[0-9A-Fa-f]{2}", stands: apart, replace: mac },
    Form { pattern: IPV6, stands: is_ipv6, replace: |found, all| ipv6(found, all) },
    Form { pattern: r"[0-9A-Fa-f]{4}(?::[0-9A-Fa-f]{4}){3}", stands: apart, replace: guid },
    Form { pattern: r"0[xX][0-9A-Fa-f]{16}", stands: is_guid, replace: guid },
    Form { pattern: r"[0-9A-Fa-f]{32}", stands: apart, replace: labelled::uuid },
    Form { pattern: IPV4, stands: is_ipv4, replace: ipv4 },
    Form { pattern: labelled::SERIAL, stands: |_, _, _| true, replace: labelled::serial },
    Form { pattern: labelled::WORLD_WIDE, stands: apart, replace: labelled::world_wide },
    Form { pattern: labelled::QUALIFIED, stands: apart, replace: labelled::qualified },
    Form { pattern: labelled::ADDRESSED, stands: labelled::is_addressed, replace: labelled::addressed },
    Form { pattern: labelled::NETWORK_ROOT, stands: apart, replace: labelled::network_root },
    Form { pattern: labelled::NFS_SERVER, stands: before_apart, replace: labelled::nfs_server },
    Form { pattern: labelled::LOGGED_SERVER, stands: apart, replace: labelled::logged_server },
    Form { pattern: labelled::HOST_NAME, stands: apart, replace: labelled::host_name },
    Form { pattern: labelled::SECRET, stands: apart, replace: labelled::secret },
    Form { pattern: labelled::PERSON, stands: labelled::is_person, replace: labelled::person },
    Form { pattern: r"://[^\s/\x22']+", stands: |_, _, _| true, replace: |found, all| authority(found, all) },
    Form { pattern: r"/(?:home|Users|users)/[^/\s:;,'\x22]+", stands: |_, _, _| true, replace: home },
];

/// A PCI address with or without its domain and function.
const PCI: &str =
    r"(?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]|[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}";
/// Names of units spell the hyphens as `\x2d`.
const UUID: &str = r"[0-9A-Fa-f]{8}(?:(?:-|\\x2d)[0-9A-Fa-f]{4}){3}(?:-|\\x2d)[0-9A-Fa-f]{12}";
const IPV4: &str = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}";
const IPV6: &str = r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:[0-9]{0,2}(?:\.[0-9]{1,3}){3})?";

/// The words before a number with four parts that say that it is a version.
const VERSION_WORDS: [&str; 10] =
    ["version", "ver", "firmware", "fw", "driver", "release", "revision", "rev", "pkg", "libfabric"];

/// Whether neither side goes on with a letter or digit.
pub(super) fn apart(before: &str, _: &str, after: &str) -> bool {
    !before.ends_with(|c: char| c.is_ascii_alphanumeric()) && !after.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Whether the left side does not go on with a letter or digit.
fn before_apart(before: &str, found: &str, _: &str) -> bool {
    apart(before, found, "")
}

fn is_pci(before: &str, found: &str, after: &str) -> bool {
    apart(before, found, after) && !after.starts_with(':')
}

/// A GUID begins with its vendor's number; addresses in memory begin with zeros, masks and the kernel's pointers with ones.
fn is_guid(before: &str, found: &str, after: &str) -> bool {
    let first = u16::from_str_radix(&found[2..6], 16);
    apart(before, found, after) && first.is_ok_and(|first| !matches!(first, 0 | u16::MAX))
}

fn is_ipv6(before: &str, found: &str, after: &str) -> bool {
    // Three colons in a row are in no address.
    let is_cut = found.starts_with("::") && before.ends_with(':');
    apart(before, found, after) && !is_cut && found.parse::<Ipv6Addr>().is_ok()
}

/// Four numbers are a version where a word says so, where they end in 0 as no interface's address does, or where they
/// are a part of something longer.
fn is_ipv4(before: &str, found: &str, after: &str) -> bool {
    let Ok(address) = found.parse::<Ipv4Addr>() else { return false };
    let joined = before.ends_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | 'v' | 'V'));
    let mut rest = after.chars();
    let goes_on = match rest.next() {
        Some('.') => rest.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_ascii_alphanumeric() || c == '+',
        None => false,
    };
    let word = before.trim_end_matches([' ', ':', '=', '(', ',']);
    let word = word.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    let is_network = found.ends_with(".0") && !after.starts_with('/');
    !(joined || goes_on || is_network || is_plain(address) || VERSION_WORDS.contains(&word.as_str()))
}

/// Whether there is nothing in an identifier: all of it is zero.
pub(super) fn is_zero(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    digits.chars().all(|c| matches!(c, '0' | ':' | '-' | '.'))
}

pub(super) fn formed(kind: Kind, found: &str, all: &mut StandIns) -> String {
    if is_zero(found) { found.to_owned() } else { all.formed(kind, found) }
}

fn mac(found: &str, all: &mut StandIns) -> String {
    formed(Kind::Mac, found, all)
}

fn guid(found: &str, all: &mut StandIns) -> String {
    formed(Kind::Guid, found, all)
}

/// `UUID=` of a file system or `PARTUUID=` of a partition, which may be shorter than a UUID.
fn assigned(found: &str, all: &mut StandIns) -> String {
    let (name, value) = found.split_once('=').unwrap_or_default();
    format!("{name}={}", formed(Kind::Uuid, value, all))
}

fn named_by_mac(found: &str, all: &mut StandIns) -> String {
    let (name, address) = found.split_at(found.find('x').map_or(0, |at| at + 1));
    format!("{name}{}", mac(address, all))
}

/// An IPv6 address, written as it was: in full or short.
pub(super) fn ipv6(found: &str, all: &mut StandIns) -> String {
    let Ok(address) = found.parse::<Ipv6Addr>() else { return found.to_owned() };
    if address.is_unspecified() || address.is_loopback() || address.is_multicast() {
        return found.to_owned();
    }
    let stand_in = all.ipv6(address);
    if found.contains("::") { stand_in.to_string() } else { in_full(stand_in) }
}

/// An address as sysfs writes it.
pub(super) fn in_full(address: Ipv6Addr) -> String {
    address.segments().map(|segment| format!("{segment:04x}")).join(":")
}

fn ipv4(found: &str, all: &mut StandIns) -> String {
    found.parse().map_or_else(|_| found.to_owned(), |address| all.ipv4(address).to_string())
}

/// The host of a URL, with a user and password where it has them.
fn authority(found: &str, all: &mut StandIns) -> String {
    format!("://{}", host_and_port(&found["://".len()..], all))
}

/// A host by name or address, and its port.
pub(super) fn host_and_port(text: &str, all: &mut StandIns) -> String {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if is_port(port) && (host.ends_with(']') || !host.contains(':')) => {
            (host, format!(":{port}"))
        }
        _ => (text, String::new()),
    };
    let inner = host.trim_start_matches('[').trim_end_matches(']');
    let host = match inner.parse::<Ipv4Addr>() {
        Ok(address) if is_plain(address) => host.to_owned(),
        Ok(address) => all.ipv4(address).to_string(),
        Err(_) if inner.parse::<Ipv6Addr>().is_ok() => host.replace(inner, &ipv6(inner, all)),
        Err(_) if ["", "localhost"].contains(&inner) => host.to_owned(),
        Err(_) => all.host(inner),
    };
    format!("{host}{port}")
}

fn home(found: &str, _: &mut StandIns) -> String {
    let folder = found.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/user")
}
