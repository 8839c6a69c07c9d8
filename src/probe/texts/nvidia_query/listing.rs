use std::collections::BTreeMap;

use super::{gpu, reader::Reader};
use crate::{
    facts::{Damage, Fact, Facts, Vendor},
    probe::texts::{nvidia_message::add_lost_gpu, pci_address::PciAddress},
};

/// Values by their path, in lower case and joined by `/`: `mig mode/current` in text, `mig_mode/current_mig` in XML.
#[derive(Debug, Default)]
pub(in crate::probe::texts) struct Values(BTreeMap<String, Value>);

/// One value of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// What is printed.
    pub text: String,
    /// The line.
    pub line: usize,
    /// Why it cannot be relied on, where it cannot.
    pub doubt: Option<&'static str>,
}

impl Values {
    /// Adds a value. One that is there twice with different texts cannot be relied on.
    pub fn add(&mut self, path: String, text: &str, line: usize, doubt: Option<&'static str>) {
        let added = Value { text: text.to_owned(), line, doubt };
        let value = self.0.entry(path).or_insert_with(|| added.clone());
        if value.text != added.text {
            value.doubt = Some("the value is there twice");
        }
        value.doubt = value.doubt.or(doubt);
    }

    /// The value at the first of these paths that is there.
    pub(super) fn first(&self, paths: &[&str]) -> Option<&Value> {
        paths.iter().find_map(|path| self.0.get(*path))
    }

    /// The values below a path.
    pub(super) fn below(&self, path: &str) -> impl Iterator<Item = (&str, &Value)> {
        let below = self.0.range(path.to_owned()..).take_while(move |(name, _)| name.starts_with(path));
        below.map(|(name, value)| (name.as_str(), value))
    }

    fn any(&self, wanted: &str) -> Option<&Value> {
        self.0.values().find(|value| value.text.contains(wanted))
    }
}

/// What the tool lists of one GPU.
#[derive(Debug)]
pub(in crate::probe::texts) struct Block {
    /// The PCI address as the tool prints it.
    pub address: String,
    /// Its values.
    pub values: Values,
}

/// The whole output.
#[derive(Debug, Default)]
pub(in crate::probe::texts) struct Listing {
    /// The values above the first GPU.
    pub head: Values,
    /// The GPUs.
    pub gpus: Vec<Block>,
}

impl Listing {
    /// Adds the facts of a listing.
    ///
    /// The GPU index is the place in the order of PCI addresses, which is nvidia-smi's. It can be told only where the
    /// listing holds every GPU that the tool counted, so that without that no GPU gets facts.
    pub fn add(&self, file: &str, facts: &mut Facts) {
        let mut reader = Reader::new(&self.head, file);
        let driver = reader.fact(&["driver version", "driver_version"], version);
        let cuda = reader.fact(&["cuda version", "cuda_version"], version);
        let attached = reader.fact(&["attached gpus", "attached_gpus"], |text| text.parse::<u32>().ok());
        facts.damage.append(&mut reader.damage);
        facts.vendor.merge(Fact::known(Vendor::Nvidia, file));
        facts.driver.merge(driver);
        facts.cuda.merge(cuda);
        for block in &self.gpus {
            note_lost(block, file, facts);
        }
        match self.ordered(&attached) {
            Ok(blocks) => {
                facts.gpu_count.merge(attached);
                for (index, block) in (0..).zip(blocks) {
                    let mut reader = Reader::new(&block.values, file);
                    gpu::add(facts.gpu_mut(index), &block.address, &mut reader);
                    facts.damage.append(&mut reader.damage);
                }
            }
            Err(reason) => {
                facts.damage.push(Damage::of_file(file, reason.clone()));
                facts.gpu_count.merge(uncertain(&attached, &facts.gpu_count, format!("{file}: {reason}")));
            }
        }
    }

    /// The GPUs in nvidia-smi's order, if they are all there.
    fn ordered(&self, attached: &Fact<u32>) -> Result<Vec<&Block>, String> {
        let attached =
            *attached.require().map_err(|reason| format!("the number of attached GPUs is unknown: {reason}"))?;
        let listed = self.gpus.len();
        if usize::try_from(attached) != Ok(listed) {
            return Err(format!(
                "{attached} GPUs are attached and {listed} are listed, so that no GPU's index is certain"
            ));
        }
        let address =
            |block: &Block| PciAddress::read(&block.address).ok_or(format!("{:?} is no PCI address", block.address));
        let addresses = self.gpus.iter().map(address).collect::<Result<Vec<_>, _>>()?;
        let mut ordered: Vec<_> = addresses.into_iter().zip(&self.gpus).collect();
        ordered.sort_by_key(|(address, _)| *address);
        if let Some(pair) = ordered.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(format!("the GPU at {} is listed twice", pair[0].1.address));
        }
        Ok(ordered.into_iter().map(|(_, block)| block).collect())
    }
}

/// What a listing with gaps says of the number of GPUs. Another source may confirm the number that it counted, and none
/// may pass over it.
fn uncertain(attached: &Fact<u32>, known: &Fact<u32>, reason: String) -> Fact<u32> {
    match (attached, known) {
        (Fact::Known { .. }, Fact::Known { .. }) => attached.clone(),
        (Fact::Known { .. }, _) => Fact::Conflict { reason },
        _ => Fact::unknown(reason),
    }
}

/// Notes a GPU whose values say that the driver cannot reach it.
fn note_lost(block: &Block, file: &str, facts: &mut Facts) {
    let identity = block.values.first(&["product name", "product_name"]);
    let unreachable = identity.filter(|value| matches!(value.text.as_str(), "Unknown Error" | "ERR!"));
    if let Some(value) = block.values.any("GPU is lost").or(unreachable) {
        let quote = format!("GPU {}: {}", block.address, value.text);
        add_lost_gpu(&block.address, value.line, &quote, file, facts);
    }
}

fn version(text: &str) -> Option<String> {
    let numbers = text.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    (numbers && text.contains('.')).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_with_gaps_is_not_passed_over_by_another_source() {
        let told = |known: Fact<u32>| {
            let mut count = known.clone();
            count.merge(uncertain(&Fact::known(8, "q.xml"), &known, "8 are attached and 7 are listed".to_owned()));
            count
        };
        assert_eq!(told(Fact::known(8, "m.txt")).value(), Some(&8));
        assert_eq!(told(Fact::known(7, "m.txt")).reason(), Some("m.txt says 7, q.xml says 8"));
        let mut alone = told(Fact::default());
        alone.merge(Fact::known(7, "p2p.txt"));
        assert_eq!(alone.reason(), Some("8 are attached and 7 are listed"));
    }
}
