//! The names of the lanes that read GPUs.

/// What is read of a GPU in order.
pub(super) fn gpu(index: u32) -> String {
    format!("GPU{index}")
}

/// The error counters of its NVLinks, beside the rest: the driver takes 0.7 ms for each, which serves few verdicts.
pub(in crate::probe) fn link_errors(index: u32) -> String {
    format!("NVLink errors of GPU{index}")
}
