use std::collections::BTreeSet;

use super::block::{Block, Listing};
use crate::{facts::Damage, probe::texts::Line};

/// Notes what is damaged in a listing, and says why it may lack devices, if it may.
///
/// lspci writes no count and no last line. A whole listing begins with the first device of a root, goes up address by
/// address, ends with an empty line, and shows the bridge above every bus and endpoint that need one.
pub(super) fn gap(listing: &Listing<'_>, file: &str, damage: &mut Vec<Damage>) -> Option<String> {
    let mut gaps = Vec::new();
    if let Some(orphan) = listing.orphans.first() {
        damage.push(Damage::new(file, orphan.number, &orphan.text, "belongs to a device that is not shown"));
        gaps.push(format!("line {} of {file} belongs to a device that is not shown", orphan.number));
    }
    for stray in listing.blocks.iter().filter_map(|block| block.stray) {
        damage.push(Damage::new(file, stray.number, &stray.text, "no line of lspci"));
        gaps.push(format!("line {} of {file} is no line of lspci", stray.number));
    }
    gaps.extend(start(&listing.blocks, file));
    if let Some(line) = out_of_order(&listing.blocks) {
        damage.push(Damage::new(file, line.number, &line.text, "out of order"));
        gaps.push(format!("line {} of {file} is out of order", line.number));
    }
    gaps.extend(missing_bridge(&listing.blocks, file));
    if !listing.ended {
        gaps.push(format!("{file} lacks the empty line that lspci writes after the last device: it may be cut"));
    }
    gaps.into_iter().next()
}

fn start(blocks: &[Block<'_>], file: &str) -> Option<String> {
    let first = blocks.first()?;
    let root = first.address.to_string().ends_with(":00:00.0");
    (!root).then(|| format!("{file} begins with {}, which is no root's first device", first.address))
}

fn out_of_order<'a>(blocks: &[Block<'a>]) -> Option<&'a Line> {
    let falls = blocks.windows(2).find(|pair| pair[0].address >= pair[1].address)?;
    Some(falls[1].header)
}

/// A device that has to stand below a bridge, and no bridge leads to its bus.
fn missing_bridge(blocks: &[Block<'_>], file: &str) -> Option<String> {
    let mut direct = BTreeSet::new();
    let mut covered = BTreeSet::new();
    for block in blocks.iter().filter(|block| block.is_bridge()) {
        let Some((first, last)) = block.buses_below() else {
            return Some(format!("{file} does not show the buses below the bridge {}", block.address));
        };
        let domain = block.address.bus().0;
        direct.insert((domain, first));
        covered.extend((first..=last).map(|bus| (domain, bus)));
    }
    let lost = |block: &&Block<'_>| {
        let bus = block.address.bus();
        (block.needs_bridge() || covered.contains(&bus)) && !direct.contains(&bus)
    };
    let block = blocks.iter().find(lost)?;
    Some(format!("{file} shows no bridge that leads to {}", block.address))
}
