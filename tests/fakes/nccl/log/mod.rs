//! The library's log in the shape of NCCL 2.28 and RCCL 2.21, where `NCCL_DEBUG` asks for one.

mod choice;
mod edges;
mod environment;
mod sink;
mod start;

pub use choice::{Choice, chosen};
pub use edges::connect;
pub use sink::{info, warn};
pub use start::{complete, destroyed, graph, started};
