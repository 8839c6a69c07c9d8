//! `of: link`: the payload per direction of one GPU's links.

use std::collections::BTreeSet;

use super::View;
use crate::{facts::Facts, spec::link_rate, verdict::subjects};

/// The payload in GB/s and where it is from, or why it is not known.
///
/// Only a product's name tells it. The speed that nvidia-smi shows for a link is its raw rate from Hopper on, and payload
/// before; and links that are down must not lower what is asked of a machine.
pub(super) fn of_links(view: &View<'_>, facts: &Facts) -> Result<(f64, String), String> {
    let names = names(view, facts)?;
    let mut names = names.iter();
    let name = names.next().ok_or_else(|| "no source names the GPUs".to_owned())?;
    if let Some(other) = names.next() {
        return Err(format!("the GPUs are of several products, {name} and {other}"));
    }
    let links = link_rate::of(name).ok_or_else(|| format!("the links of {name} are of no known product"))?;
    Ok((links.rate, format!("payload per direction of the links of {name}")))
}

/// The names of the case's GPUs, from the machine, or from the list of ranks where nothing is known of the machine.
fn names(view: &View<'_>, facts: &Facts) -> Result<BTreeSet<String>, String> {
    let indices = subjects::gpus(facts, &view.case.gpus()).indices;
    if facts.gpus.is_empty() {
        let name = |rank: &crate::evidence::Rank| rank.name.clone();
        return view
            .measurement
            .ranks
            .iter()
            .map(name)
            .collect::<Option<_>>()
            .ok_or_else(|| "the output does not name the GPU of every rank".to_owned());
    }
    let name = |index: u32| match facts.gpu(index) {
        Some(gpu) => gpu.name.require().cloned().map_err(|reason| format!("the name of GPU{index}: {reason}")),
        None => Err(format!("no source shows GPU{index}")),
    };
    indices.into_iter().map(name).collect()
}
