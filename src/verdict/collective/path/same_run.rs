//! The log of a case, where it can be of the run that was measured.

use crate::evidence::{CollectiveEvidence, LibraryLog, Measurement};

/// The log, or why none can be relied on, as a fragment.
pub(super) fn log<'a>(known: Option<&'a CollectiveEvidence>, name: &str) -> Result<&'a LibraryLog, String> {
    let log = known.and_then(|known| known.log.as_ref());
    let is_own = known.is_some_and(|known| known.engine.is_some());
    let log = log.ok_or_else(|| match is_own {
        true => "the run kept no log of the library".to_owned(),
        false => format!("nccl-log/{name}.txt is not there"),
    })?;
    match known.and_then(|known| known.measurement.as_ref()).and_then(|measurement| other_gpu(log, measurement)) {
        Some(reason) => Err(reason),
        None => Ok(log),
    }
}

/// A rank that sits on one GPU by the log and on another by the list of ranks: the log is of another run, on other GPUs
/// or another machine. Hosts are not compared: containers get a new name with every run.
fn other_gpu(log: &LibraryLog, measurement: &Measurement) -> Option<String> {
    measurement.ranks.iter().find_map(|rank| {
        let address = rank.pci.as_deref().filter(|address| address.contains(':'))?;
        let bus = log.ranks.get(&rank.rank)?.bus.as_deref()?;
        let (number, log, list) = (rank.rank, log.sources.join(", "), measurement.sources.join(", "));
        (slot_of_bus(bus)? != slot_of_address(address)?).then(|| {
            format!("rank {number} is on the GPU {bus} in {log} and on {address} in {list}: they are of two runs")
        })
    })
}

/// `1b000`, the address in hexadecimal without colons, without its last digit, the function.
fn slot_of_bus(bus: &str) -> Option<u64> {
    Some(u64::from_str_radix(bus, 16).ok()? >> 4)
}

/// `0000:1b:00`, with or without `.0`.
fn slot_of_address(address: &str) -> Option<u64> {
    let slot = address.split('.').next()?.replace(':', "");
    u64::from_str_radix(&slot, 16).ok()
}
