use serde::{Deserialize, Serialize};

/// The type of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Datatype {
    /// Signed, 8 bits.
    Int8,
    /// Unsigned, 8 bits.
    Uint8,
    /// Signed, 32 bits.
    Int32,
    /// Unsigned, 32 bits.
    Uint32,
    /// Signed, 64 bits.
    Int64,
    /// Unsigned, 64 bits.
    Uint64,
    /// IEEE 754 with 16 bits.
    Half,
    /// IEEE 754 with 32 bits.
    Float,
    /// IEEE 754 with 64 bits.
    Double,
    /// The upper half of a `float`.
    Bfloat16,
    /// 8 bits: 4 of exponent, 3 of fraction.
    Fp8E4m3,
    /// 8 bits: 5 of exponent, 2 of fraction.
    Fp8E5m2,
}

impl Datatype {
    /// Every type with the name that nccl-tests and the spec language have for it.
    pub const NAMES: [(&'static str, Self); 12] = [
        ("int8", Self::Int8),
        ("uint8", Self::Uint8),
        ("int32", Self::Int32),
        ("uint32", Self::Uint32),
        ("int64", Self::Int64),
        ("uint64", Self::Uint64),
        ("half", Self::Half),
        ("float", Self::Float),
        ("double", Self::Double),
        ("bfloat16", Self::Bfloat16),
        ("fp8_e4m3", Self::Fp8E4m3),
        ("fp8_e5m2", Self::Fp8E5m2),
    ];

    /// The type of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, datatype)| *datatype)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, datatype)| *datatype == self).map_or("", |(name, _)| name)
    }

    /// Bytes of one element.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Int8 | Self::Uint8 | Self::Fp8E4m3 | Self::Fp8E5m2 => 1,
            Self::Half | Self::Bfloat16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float => 4,
            Self::Int64 | Self::Uint64 | Self::Double => 8,
        }
    }

    /// `ncclDataType_t`, the same in NCCL and RCCL (NVIDIA/nccl: src/nccl.h.in).
    pub const fn code(self) -> i32 {
        match self {
            Self::Int8 => 0,
            Self::Uint8 => 1,
            Self::Int32 => 2,
            Self::Uint32 => 3,
            Self::Int64 => 4,
            Self::Uint64 => 5,
            Self::Half => 6,
            Self::Float => 7,
            Self::Double => 8,
            Self::Bfloat16 => 9,
            Self::Fp8E4m3 => 10,
            Self::Fp8E5m2 => 11,
        }
    }
}
