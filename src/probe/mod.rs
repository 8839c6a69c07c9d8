//! Fills [`crate::facts::Facts`]: from saved tool outputs (`texts`), from recorded facts, from the live machine.

mod amd;
mod child;
mod consistent;
mod files;
mod host;
mod lines;
mod live;
mod measured;
mod nccl_settings;
mod nvidia;
mod occupancy;
mod pci;
mod program;
mod rdma;
mod recordings;
mod saved;
pub mod texts;
mod tree;
mod unread;
mod untold;

pub use child::Manner;
pub(crate) use lines::each_line;
pub use live::{Libraries, Site, SourceName, live, read_source};
pub use occupancy::{GpuProcess, GpuUse, occupancy};
pub use saved::{Saved, SavedError, open, read_saved};
