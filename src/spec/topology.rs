use std::fmt;

use super::{Globs, Placed, Wanted};
use crate::facts::LinkClass;

/// `topology`: how GPUs are joined to each other or to NICs.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// What is joined: `[gpu, gpu]` or `[gpu, nic]`.
    pub between: Placed<Between>,
    /// Only these pairs; all without it. The second of a pair is a GPU, or the number of a NIC's column.
    pub pairs: Option<Placed<Vec<(u32, u32)>>>,
    /// The NICs, by device name where the matrix gives it, else by `NIC<n>`; all without it.
    pub nics: Option<Placed<Globs>>,
    /// Every pair is one of these.
    pub require: Option<Placed<Vec<LinkWanted>>>,
    /// No pair is one of these.
    pub forbid: Option<Placed<Vec<LinkWanted>>>,
    /// No pair is farther than this.
    pub at_most: Option<Placed<LinkClass>>,
    /// Every GPU has near NICs.
    pub each_gpu_has: Option<Placed<EachGpuHas>>,
}

/// The two kinds of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// GPUs with GPUs.
    GpuGpu,
    /// GPUs with NICs.
    GpuNic,
}

/// A link class as a spec names it: a class of the matrix, or `NVLink` for any width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkWanted {
    /// `NVLink`: any number of links.
    AnyNvLink,
    /// Exactly this class.
    Class(LinkClass),
}

impl fmt::Display for LinkWanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AnyNvLink => f.pad("NVLink"),
            Self::Class(class) => class.fmt(f),
        }
    }
}

/// `each_gpu_has`: how many NICs every GPU has near.
#[derive(Clone, Debug, PartialEq)]
pub struct EachGpuHas {
    /// Near means this class or nearer.
    pub at_most: LinkClass,
    /// How many; a plain number is the least, so it is never [`Wanted::Exact`].
    pub count: Wanted<u32>,
}
