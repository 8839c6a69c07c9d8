use super::{Bound, Placed};
use crate::units::{Bandwidth, Size};

/// `copy`: copies by the copy engine between host and devices or between peers.
#[derive(Clone, Debug, PartialEq)]
pub struct Copy {
    /// Where from.
    pub from: Placed<CopyEnd>,
    /// Where to.
    pub to: Placed<CopyEnd>,
    /// One way where it is not written.
    pub direction: Option<Placed<CopyDirection>>,
    /// The size of one copy.
    pub size: Option<Placed<Size>>,
    /// What must hold for every GPU or pair.
    pub expect: CopyExpect,
}

/// One end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyEnd {
    /// The host's memory.
    Host,
    /// The GPU's own memory.
    Device,
    /// Every other GPU's memory.
    Peers,
}

/// The direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyDirection {
    /// One way at a time.
    OneWay,
    /// Both at once.
    BothWays,
}

/// `expect` of a copy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CopyExpect {
    /// The bandwidth; a plain value is a floor.
    pub bandwidth: Option<Bound<Bandwidth>>,
}
