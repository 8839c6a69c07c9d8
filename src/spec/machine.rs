use super::{Glob, Placed};
use crate::facts::Vendor;

/// `machine`: what the suite is for. Vendor and GPU are the guard; a GPU count that differs is a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineExpect {
    /// The vendor of the GPUs.
    pub vendor: Option<Placed<Vendor>>,
    /// The product name of every GPU.
    pub gpu: Option<Placed<Glob>>,
    /// The number of GPUs.
    pub gpus: Option<Placed<u32>>,
}
