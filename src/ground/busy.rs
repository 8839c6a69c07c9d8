use crate::probe::GpuUse;

/// What stands against a measurement, and what is only worth a word. Each is a line that names the GPU and a cure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// The GPU is not free: the case cannot be measured.
    pub problems: Vec<String>,
    /// It may not be free, or what is on it matters little: the case goes on with a warning.
    pub warnings: Vec<String>,
}

/// Judges the GPUs `(index, PCI address)` before a measurement. `own` are PIDs of linkspec's own.
pub fn busy(uses: &[GpuUse], gpus: &[(u32, String)], own: &[u32]) -> Remarks {
    let _ = (uses, gpus, own);
    Remarks::default()
}

/// Judges them after a measurement, against what they were before.
pub fn not_free(before: &[GpuUse], after: &[GpuUse], gpus: &[(u32, String)], own: &[u32]) -> Remarks {
    let _ = (before, after, gpus, own);
    Remarks::default()
}
