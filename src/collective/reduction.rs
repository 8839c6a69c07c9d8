use serde::{Deserialize, Serialize};

/// What is done with the elements of all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduction {
    /// Their sum.
    Sum,
    /// Their product.
    Prod,
    /// The largest.
    Max,
    /// The least.
    Min,
    /// Their mean.
    Avg,
}

impl Reduction {
    /// Every reduction with the name that nccl-tests and the spec language have for it.
    pub const NAMES: [(&'static str, Self); 5] =
        [("sum", Self::Sum), ("prod", Self::Prod), ("max", Self::Max), ("min", Self::Min), ("avg", Self::Avg)];

    /// The reduction of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, reduction)| *reduction)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, reduction)| *reduction == self).map_or("", |(name, _)| name)
    }

    /// `ncclRedOp_t` (NVIDIA/nccl: src/nccl.h.in).
    pub const fn code(self) -> i32 {
        match self {
            Self::Sum => 0,
            Self::Prod => 1,
            Self::Max => 2,
            Self::Min => 3,
            Self::Avg => 4,
        }
    }
}
