//! Who is on the GPUs, asked on its own before and after a measurement, in a child like every source: vendors' libraries
//! are never loaded into linkspec's own process.

mod gpu_use;

use super::{
    child::{self, Heard},
    live::{Site, SourceName},
};
use crate::facts::Vendor;

pub use gpu_use::{GpuProcess, GpuUse};

/// What the child tells: a GPU; or why there is none.
pub(super) type Answer = Result<GpuUse, String>;

/// Reads who and what is on every GPU of a vendor. One that does not answer is not in the list.
pub fn occupancy(site: &Site, vendor: Vendor) -> Result<Vec<GpuUse>, String> {
    let source = match vendor {
        Vendor::Nvidia => SourceName::NvidiaUse,
        Vendor::Amd => SourceName::AmdUse,
    };
    uses(child::ask(|manner| site.child(source.name(), manner), site.deadline))
}

fn uses(heard: Heard<Answer>) -> Result<Vec<GpuUse>, String> {
    let lost = heard.broken().or_else(|| heard.all_lost().next().map(|(_, why)| why)).map(str::to_owned);
    let (mut uses, mut refused) = (Vec::new(), None);
    for answer in heard.answers {
        match answer {
            Ok(gpu) => uses.push(gpu),
            Err(why) => refused = Some(why),
        }
    }
    match refused.or(lost) {
        Some(why) if uses.is_empty() => Err(why),
        _ => Ok(uses),
    }
}
