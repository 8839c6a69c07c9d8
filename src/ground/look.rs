use super::busy;
use crate::{
    facts::Vendor,
    probe::{GpuUse, Site, occupancy},
};

/// GPUs (index and PCI address) on which nobody stands in the way of a measurement.
#[derive(Clone, Debug)]
pub struct Looked {
    /// What is on them; `None` where it cannot be read.
    pub uses: Option<Vec<GpuUse>>,
    /// What is worth a look.
    pub warnings: Vec<String>,
}

/// Looks at GPUs before a measurement; the problems where they are not free: a figure of a GPU that others use is none.
pub fn look(site: &Site, vendor: Vendor, gpus: &[(u32, String)]) -> Result<Looked, Vec<String>> {
    match occupancy(site, vendor) {
        Ok(uses) => {
            let remarks = busy(&uses, gpus, &[]);
            match remarks.problems.is_empty() {
                true => Ok(Looked { uses: Some(uses), warnings: remarks.warnings }),
                false => Err(remarks.problems),
            }
        }
        Err(reason) => {
            let warning = format!("whether other processes use the GPUs is not known: {reason}");
            Ok(Looked { uses: None, warnings: vec![warning] })
        }
    }
}
