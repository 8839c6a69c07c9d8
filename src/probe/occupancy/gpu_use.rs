use serde::{Deserialize, Serialize};

/// Who and what is on a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuUse {
    /// The GPU's PCI address as `DDDD:BB:DD.F`.
    pub pci: String,
    /// Memory in use in bytes, without `reserved` where that is known.
    pub used: Result<u64, String>,
    /// All memory in bytes.
    pub total: Result<u64, String>,
    /// What the driver keeps for itself, in bytes; `None` where the driver does not tell it apart from `used`.
    pub reserved: Option<u64>,
    /// The processes that are seen, each once, by their PIDs; or why none can be seen. A container hides processes
    /// outside of it.
    pub processes: Result<Vec<GpuProcess>, String>,
}

/// A process on a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuProcess {
    /// Its number, as the driver knows it.
    pub pid: u32,
    /// The program's name, where it can be seen.
    pub name: Option<String>,
    /// The GPU's memory that it has, in bytes.
    pub memory: Option<u64>,
    /// Whether it can compute: has a compute context (NVIDIA) or a queue (AMD). Graphics, and processes that are merely
    /// attached to every GPU, do not.
    pub computes: bool,
}
