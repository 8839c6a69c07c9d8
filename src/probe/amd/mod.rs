//! GPUs of AMD: through amd-smi, which is run as a process, and the kernel's compute driver (KFD).

mod answer;
mod devices;
mod fill;
mod kfd;
#[cfg(test)]
mod machine;
mod nodes;
mod read;
mod read_use;
mod smi;
#[cfg(test)]
mod tests;
mod told;

pub(super) use answer::Answer;
pub(super) use fill::fill;
pub(super) use read::read;
pub(super) use read_use::read_use;
