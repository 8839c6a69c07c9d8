//! RDMA devices: sysfs shows everything but the MTU, which libibverbs tells.

mod answer;
mod counters;
mod device;
mod fill;
mod gate;
mod gids;
mod read;
mod roce_mtu;
mod uverbs;

pub(super) use answer::Answer;
pub(super) use fill::fill;
pub(super) use read::read;
