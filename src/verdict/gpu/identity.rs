use super::subject;
use crate::{
    facts::Gpu,
    spec::GpuExpect,
    verdict::{FindingCode, sheet::Sheet},
};

/// Name, memory, persistence and MIG.
pub(super) fn judge(expect: &GpuExpect, gpu: &Gpu, sheet: &mut Sheet<'_>) {
    if let Some(name) = &expect.name {
        sheet.text(&subject(FindingCode::GpuName, gpu.index, "name", "this is another product"), name, &gpu.name);
    }
    if let Some(memory) = &expect.memory {
        let hint = "less memory than the product has: look for remapped rows, reserved memory and MIG";
        sheet.wanted(&subject(FindingCode::GpuMemory, gpu.index, "memory", hint), memory, &gpu.memory);
    }
    if let Some(persistence) = &expect.persistence {
        let subject = subject(FindingCode::Persistence, gpu.index, "persistence mode", "is nvidia-persistenced running?");
        sheet.switch(&subject, persistence, &gpu.persistence);
    }
    if let Some(mig) = &expect.mig {
        let hint = "MIG splits a GPU, and a split GPU has no peers";
        sheet.switch(&subject(FindingCode::Mig, gpu.index, "MIG mode", hint), mig, &gpu.mig);
    }
}
