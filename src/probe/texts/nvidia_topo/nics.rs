use std::collections::BTreeMap;

use super::{classes::Classes, gpus::note_disagreement, legend::Legend};
use crate::{
    facts::{Fact, Facts, GpuNic, LinkClass, Nic},
    probe::texts::matrix::Block,
};

/// The NICs of the header, with their devices. Known where the header is whole (a GPU's row fits it, and neither a row
/// nor the legend names a device that it lacks) and every NIC has its own row: a matrix that ends before them is cut.
pub(super) fn list(block: &Block, classes: &Classes<'_>, legend: &Legend, file: &str) -> Fact<Vec<Nic>> {
    let header = &block.header;
    let fits = header.gpus.iter().any(|gpu| classes.row(&format!("GPU{gpu}")).is_ok());
    if !fits || classes.header_cut {
        return Fact::unknown(format!("no row in {file} shows that the matrix's header is whole"));
    }
    if let Some(label) = legend.labels().find(|label| header.column(label).is_none()) {
        return Fact::unknown(format!("the legend in {file} names {label}, which the matrix lacks"));
    }
    if let Some(twice) = (1..header.nics.len()).find(|at| header.nics[..*at].contains(&header.nics[*at])) {
        return Fact::unknown(format!("the matrix in {file} has two columns {}", header.nics[twice]));
    }
    if let Some(reason) = header.nics.iter().find_map(|nic| classes.row(nic).err()) {
        return Fact::unknown(reason);
    }
    header
        .nics
        .iter()
        .map(|label| nic(label, legend, file))
        .collect::<Result<_, _>>()
        .map_or_else(Fact::unknown, |nics: Vec<Nic>| Fact::known(nics, file))
}

/// A column `NICn` is named by the legend, any other column by the device itself.
fn nic(label: &str, legend: &Legend, file: &str) -> Result<Nic, String> {
    let numbered = label.strip_prefix("NIC").is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    let device = if numbered { legend.device(label) } else { Some(label) };
    if device.is_none() && !legend.is_empty() {
        return Err(format!("the legend in {file} names no device for {label}"));
    }
    Ok(Nic { label: label.to_owned(), device: device.map(str::to_owned) })
}

/// The class of every GPU and NIC: the GPU's row says it, unless the NIC's row says otherwise.
///
/// A source that named the NICs by other labels goes on doing so: which device is meant decides.
pub(super) fn add_classes(block: &Block, classes: &Classes<'_>, legend: &Legend, file: &str, facts: &mut Facts) {
    let labels: Vec<String> = block.header.nics.iter().map(|label| known_label(label, legend, file, facts)).collect();
    let known = facts.gpu_nics.iter().enumerate().map(|(at, pair)| ((pair.gpu, pair.nic.clone()), at));
    let known: BTreeMap<_, _> = known.collect();
    for (gpu_column, gpu) in block.header.gpus.iter().enumerate() {
        for (at, nic) in block.header.nics.iter().enumerate() {
            let device = format!("GPU{gpu}");
            let columns = (gpu_column, at + block.header.gpus.len());
            let class = gpu_nic(classes, (&device, nic), columns, file);
            note_disagreement(&class, block, file, facts);
            let label = labels.get(at).unwrap_or(nic);
            match known.get(&(*gpu, label.clone())).and_then(|at| facts.gpu_nics.get_mut(*at)) {
                Some(pair) => pair.class.merge(class),
                None => facts.gpu_nics.push(GpuNic { gpu: *gpu, nic: label.clone(), class }),
            }
        }
    }
}

/// The label by which the device of a column is known already, or the column's own.
fn known_label(label: &str, legend: &Legend, file: &str, facts: &Facts) -> String {
    let device = nic(label, legend, file).ok().and_then(|nic| nic.device);
    let nics = facts.nics.value().map(Vec::as_slice).unwrap_or_default();
    let known = nics.iter().find(|known| device.is_some() && known.device == device);
    known.map_or(label, |known| &known.label).to_owned()
}

fn gpu_nic(classes: &Classes<'_>, devices: (&str, &str), columns: (usize, usize), file: &str) -> Fact<LinkClass> {
    match classes.class(devices.0, columns.1) {
        Err(reason) => Fact::unknown(reason),
        Ok(class) if classes.class(devices.1, columns.0).is_err() => Fact::known(class, file),
        Ok(_) => classes.agreed(devices, columns),
    }
}
