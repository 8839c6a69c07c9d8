//! What a measurement needs of the machine before it starts: CPUs and memory for each process, GPUs that nobody else
//! uses, and the lock that keeps another linkspec away from them.

mod busy;
mod locks;
mod look;
mod pins;

pub use busy::{Remarks, busy, not_free};
pub use locks::{GpuLocks, LockError};
pub use look::{Looked, look};
pub use pins::{Placement, placement};
