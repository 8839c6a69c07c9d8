use super::{Glob, Placed, Wanted};
use crate::{
    facts::{FabricState, Switch},
    units::{Bandwidth, Size, Version},
};

/// `gpu`: what holds of every GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuExpect {
    /// The number of GPUs.
    pub count: Option<Placed<Wanted<u32>>>,
    /// The product name.
    pub name: Option<Placed<Wanted<Glob>>>,
    /// NVLinks that are up.
    pub nvlinks_active: Option<Placed<Wanted<u32>>>,
    /// The bandwidth per link and direction, for every active link.
    pub nvlink_speed: Option<Placed<Wanted<Bandwidth>>>,
    /// The PCIe generation under load.
    pub pcie_generation: Option<Placed<Wanted<u32>>>,
    /// The PCIe lanes.
    pub pcie_width: Option<Placed<Wanted<u32>>>,
    /// Whether ECC is on.
    pub ecc: Option<Placed<Switch>>,
    /// ECC error counts.
    pub ecc_errors: Option<Placed<EccErrorsExpect>>,
    /// Remapped rows.
    pub remapped_rows: Option<Placed<RemappedRowsExpect>>,
    /// The fabric's state.
    pub fabric_state: Option<Placed<Wanted<FabricState>>>,
    /// The driver's version, exact or as a glob.
    pub driver: Option<Placed<Wanted<Glob>>>,
    /// The driver's version as a range.
    pub driver_range: Option<Placed<(Option<Version>, Option<Version>)>>,
    /// Persistence mode.
    pub persistence: Option<Placed<Switch>>,
    /// Multi-instance mode.
    pub mig: Option<Placed<Switch>>,
    /// The size of the memory.
    pub memory: Option<Placed<Wanted<Size>>>,
    /// Lowered clocks.
    pub throttled: Option<Placed<ThrottleExpect>>,
    /// Driver error reports in the kernel log.
    pub xid: Option<Placed<XidExpect>>,
}

/// `ecc_errors`: counts since the driver was loaded, and `aggregate` over the board's life.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EccErrorsExpect {
    /// Uncorrected errors since the driver was loaded.
    pub uncorrected: Option<Placed<Wanted<u64>>>,
    /// Corrected errors since the driver was loaded.
    pub corrected: Option<Placed<Wanted<u64>>>,
    /// Uncorrected errors over the board's life.
    pub aggregate_uncorrected: Option<Placed<Wanted<u64>>>,
    /// Corrected errors over the board's life.
    pub aggregate_corrected: Option<Placed<Wanted<u64>>>,
}

/// `remapped_rows`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemappedRowsExpect {
    /// After correctable errors.
    pub correctable: Option<Placed<Wanted<u64>>>,
    /// After uncorrectable errors.
    pub uncorrectable: Option<Placed<Wanted<u64>>>,
    /// Whether one waits for a reset.
    pub pending: Option<Placed<bool>>,
    /// Whether one failed.
    pub failure: Option<Placed<bool>>,
}

/// `throttled`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThrottleExpect {
    /// `on`: a reason other than idle is active.
    On,
    /// `off`, or `{ allow: [...] }`: no reason but idle and these.
    Off {
        /// Reasons that are allowed besides idle.
        allow: Vec<String>,
    },
}

/// `xid`: none, or none but these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XidExpect {
    /// The numbers that are allowed.
    pub allow: Vec<u32>,
}
