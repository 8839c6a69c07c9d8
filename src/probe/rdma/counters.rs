use std::collections::BTreeMap;

use super::{
    answer::{Counters, PortName, Told},
    device::port_folder,
};
use crate::probe::tree::Tree;

/// The folders with counters. Not every driver has both.
const FOLDERS: [&str; 2] = ["counters", "hw_counters"];
/// A setting that stands among the hw_counters: for how many milliseconds the kernel keeps them.
const LIFESPAN: &str = "lifespan";

/// Reads every counter of a port, or none: a set with a part missing would look whole to a pattern that chooses
/// counters. The numbers are in the files' own units: `port_xmit_data` and `port_rcv_data` count words of 4 bytes.
pub(super) fn counters(tree: &Tree, at: &PortName) -> Told<Counters> {
    let mut all = Counters::new();
    for name in FOLDERS {
        let folder = format!("{}/{name}", port_folder(at));
        if tree.lacks(&folder) {
            continue;
        }
        all.insert(name.to_owned(), of_folder(tree, &folder)?);
    }
    Ok(all)
}

/// A file that holds no number is a counter that is not known: `N/A (no PMA)`.
fn of_folder(tree: &Tree, folder: &str) -> Told<BTreeMap<String, Told<u64>>> {
    let names = tree.names(folder)?.into_iter().filter(|name| name != LIFESPAN);
    Ok(names.map(|name| (name.clone(), tree.parse(&format!("{folder}/{name}")))).collect())
}
