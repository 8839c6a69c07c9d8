//! The numbers of channels and of NICs.

use std::collections::BTreeSet;

use super::traffic::Traffic;
use crate::{
    evidence::{Carrier, LibraryLog},
    spec::{Placed, Wanted},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        want,
    },
};

/// Judges the number of channels, which all ranks must agree on.
pub(super) fn channels(wanted: &Placed<Wanted<u32>>, log: Result<&LibraryLog, &str>, ledger: &mut Ledger<'_>) {
    let check =
        Check::new(FindingCode::Channels, "number of channels", "has {} channels", &wanted.place).unit("channels");
    let channels: Result<(u32, String), String> = match log {
        Err(reason) => Err(reason.to_owned()),
        Ok(log) => match &log.channels.iter().collect::<Vec<_>>()[..] {
            [] => Err("the log does not tell it".to_owned()),
            [channels] => Ok((**channels, log.sources.join(", "))),
            several => {
                let several: Vec<String> = several.iter().map(ToString::to_string).collect();
                Err(format!("the log says {}", several.join(" and ")))
            }
        },
    };
    match channels {
        Ok((channels, source)) => ledger.check_value(&check, "library", wanted, &channels, &source),
        Err(reason) => ledger.unknown(&check, "library", &wanted.to_string(), &reason),
    }
}

/// Judges how many NICs connections go through. A log that does not show every connection can only show too many.
pub(super) fn nics_used(wanted: &Placed<Wanted<u32>>, traffic: Result<&Traffic<'_>, &str>, ledger: &mut Ledger<'_>) {
    let (nics, untold) = traffic.map_or_else(|_| Default::default(), |traffic| nics(traffic.log));
    let names = nics.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let says = if names.is_empty() { "uses {} NICs".to_owned() } else { format!("uses {{}} NICs ({names})") };
    let check = Check::new(FindingCode::NicsUsed, "number of NICs used", &says, &wanted.place).unit("NICs");
    let unknown =
        |ledger: &mut Ledger<'_>, reason: &str| ledger.unknown(&check, "traffic", &wanted.to_string(), reason);
    let traffic = match traffic {
        Ok(traffic) => traffic,
        Err(reason) => return unknown(ledger, reason),
    };
    let count = u32::try_from(nics.len()).unwrap_or(u32::MAX);
    let doubt = traffic.gap.as_deref().or(untold);
    match doubt {
        Some(reason) if !want::exceeds(wanted, &count) => unknown(ledger, reason),
        Some(_) | None => ledger.check_value(&check, "traffic", wanted, &count, &traffic.source),
    }
}

/// The devices that connections go through, by name where the log tells it, and whether one does not tell its device.
fn nics(log: &LibraryLog) -> (BTreeSet<String>, Option<&'static str>) {
    let mut nics = BTreeSet::new();
    let mut sockets = BTreeSet::new();
    let mut untold = None;
    for edge in &log.edges {
        match &edge.carrier {
            Carrier::Network { name, device: Some(device), .. } if name == "Socket" => {
                sockets.insert(format!("{name} {device}"));
            }
            Carrier::Network { device: Some(device), .. } => {
                let names = log.network_devices.get(device).filter(|names| names.len() == 1);
                let name = names.and_then(BTreeSet::first).cloned();
                nics.insert(name.unwrap_or_else(|| format!("NIC{device}")));
            }
            Carrier::Network { device: None, .. } | Carrier::CollNet(_) => {
                untold = Some("a connection through a network does not tell its device");
            }
            Carrier::PeerToPeer(_) | Carrier::Indirect(_) | Carrier::SharedMemory | Carrier::Other(_) => {}
        }
    }
    if nics.is_empty() {
        return (sockets, untold);
    }
    // Sockets number their interfaces by themselves, and an interface may be of a NIC that is counted already.
    let shared = (!sockets.is_empty()).then_some("sockets are in use too, through NICs that the log does not tell");
    (nics, untold.or(shared))
}
