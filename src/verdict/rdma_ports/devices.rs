use crate::{
    facts::{Facts, RdmaDevice},
    spec::{Globs, Place, Placed, RdmaPorts},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
    },
};

/// The devices that a case is about.
pub(super) struct Chosen<'a> {
    pub devices: Vec<&'a RdmaDevice>,
    /// Why there may be others.
    pub incomplete: Option<String>,
    /// Why the devices cannot be counted, where some may be there that no source shows.
    pub uncounted: Option<String>,
    /// Where they are chosen, or the first expectation.
    pub place: Option<&'a Place>,
}

/// Chooses devices. A plain name that is not there is a failure where the listing is complete; a pattern that chooses
/// nothing is an error.
pub(super) fn choose<'a>(expect: &'a RdmaPorts, facts: &'a Facts, ledger: &mut Ledger<'_>) -> Chosen<'a> {
    let globs: Option<&Placed<Globs>> = expect.devices.as_ref();
    let complete = complete(facts);
    let chooses = |device: &&RdmaDevice| globs.is_none_or(|globs| globs.matches(&device.name));
    let devices: Vec<&RdmaDevice> = facts.rdma_devices.iter().filter(chooses).collect();
    let place = globs.map(|globs| &globs.place).or_else(|| super::port::place(expect));
    let mut open = globs.is_none();
    for glob in globs.into_iter().flat_map(|globs| &globs.0) {
        let plain = !glob.as_str().contains(['*', '?', '[', '{']);
        open |= !plain;
        if facts.rdma_devices.iter().any(|device| glob.matches(&device.name)) {
            continue;
        }
        let Some(place) = place else { continue };
        match (&complete, plain) {
            (Ok(source), true) => {
                let check = Check::new(FindingCode::RdmaMissing, "RDMA device", "is {}", place);
                ledger.violated(&check, glob.as_str(), "there", "not there", source);
            }
            (Err(reason), true) => {
                let check = Check::new(FindingCode::RdmaMissing, "RDMA device", "is {}", place);
                ledger.unknown(&check, glob.as_str(), "there", reason);
            }
            (Ok(_), false) => nothing(place, format!("no RDMA device is named {glob}"), ledger),
            (Err(_), false) => {}
        }
    }
    if globs.is_none()
        && devices.is_empty()
        && complete.is_ok()
        && expect.count.is_none()
        && let Some(place) = place
    {
        nothing(place, "there is no RDMA device to check".to_owned(), ledger);
    }
    // Plain names leave nothing open: each of them is there, or is told above.
    let absent = globs
        .into_iter()
        .flat_map(|globs| &globs.0)
        .any(|glob| !facts.rdma_devices.iter().any(|device| glob.matches(&device.name)));
    let unlisted = complete.err();
    let uncounted = unlisted.clone().filter(|_| open || absent);
    Chosen { devices, incomplete: unlisted.filter(|_| open), uncounted, place }
}

fn nothing(place: &Place, message: String, ledger: &mut Ledger<'_>) {
    ledger.error(FindingCode::NothingSelected, Some(place), message);
}

/// The source of a complete listing, or why it is none.
fn complete(facts: &Facts) -> Result<String, String> {
    let count = facts.rdma_count.require().map_err(|reason| format!("the RDMA devices are unknown: {reason}"))?;
    let seen = facts.rdma_devices.len();
    if usize::try_from(*count).is_ok_and(|count| count > seen) {
        return Err(format!("{seen} of {count} RDMA devices are shown"));
    }
    Ok(facts.rdma_count.source().unwrap_or_default().to_owned())
}
