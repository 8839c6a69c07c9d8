//! What a collective is, apart from any library call: data types and reductions with the codes of NCCL's C interface,
//! counts, in-place offsets and bandwidth factors, and the data that is sent with the data that must arrive.

pub mod data;
mod datatype;
mod layout;
mod reduction;
mod sweep;

pub use datatype::Datatype;
pub use layout::{Layout, SHARE, bus_factor};
pub use reduction::Reduction;
pub use sweep::{Ablation, Sweep};
