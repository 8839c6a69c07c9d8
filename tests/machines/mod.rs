//! Machines that are rebuilt in a temporary folder, as far as linkspec reads them: `/sys`, `/proc`, the programs that it
//! runs, and what the stand-ins for the vendors' libraries answer.
//!
//! A test takes a machine, changes the one thing that it is about, builds it, and reads it with `--sysroot`:
//!
//! ```ignore
//! let mut machine = hgx_h100();
//! machine.nvlink_down(3, 7);
//! let rebuilt = machine.build();
//! ```
//!
//! Figures are public ones: see `recordings/hgx-h100-healthy`, and NVIDIA's and AMD's documents of each platform.
//! Serial numbers, UUIDs and GUIDs are made up.
#![expect(clippy::unwrap_used, reason = "a machine that cannot be written is a test that cannot go on")]

mod amd;
mod config_space;
mod folder;
mod gb200;
mod guest_h200;
mod hgx_h100;
mod host;
mod machine;
mod mi300x;
mod nvidia;
mod pci;
mod pcie_l40s;
mod rdma;

pub use amd::AmdProcess;
pub use gb200::gb200_tray;
pub use guest_h200::guest_h200;
pub use hgx_h100::hgx_h100;
pub use machine::{Machine, Rebuilt};
pub use mi300x::mi300x;
pub use pcie_l40s::pcie_l40s;
