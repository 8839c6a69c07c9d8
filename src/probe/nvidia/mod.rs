//! GPUs of NVIDIA, through NVML: `read` asks it in the child, `fill` makes facts of the answers.

mod answer;
mod fill;
mod fill_gpu;
mod fill_pairs;
mod gathered;
mod joined;
mod lane;
mod lost;
mod read;
mod read_gpu;
mod read_links;
mod read_pair;
mod read_use;
mod reason;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_joined;
#[cfg(test)]
mod tests_lost;
#[cfg(test)]
mod tests_property;
mod twins;
mod words;

pub(super) use answer::Answer;
pub(super) use fill::fill;
pub(super) use lane::link_errors as link_errors_lane;
pub(super) use read::read;
pub(super) use read_use::read_use;

/// No machine has more GPUs than this: each is read by threads of its own.
const MOST_GPUS: u32 = 256;
