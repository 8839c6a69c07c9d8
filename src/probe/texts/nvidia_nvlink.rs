//! `nvidia-smi nvlink -s` (states and speeds) and `nvidia-smi nvlink -e` (error counters).

mod errors;
mod sections;
mod status;

pub use errors::read as read_errors;
pub use status::read as read_status;
