//! Readers of saved tool outputs, one file per tool. PURE: text in, facts out.
//!
//! A reader takes what a terminal, a ticket or a chat has left of an output. What it cannot rely on becomes
//! [`crate::facts::Damage`] and gives no facts; it never shifts a value into another place, and never panics.

mod clean;
pub mod cmdline;
pub mod dmesg;
pub mod lspci;
mod matrix;
mod nvidia_message;
pub mod nvidia_nvlink;
pub mod nvidia_p2p;
mod nvidia_query;
pub mod nvidia_query_text;
pub mod nvidia_query_xml;
pub mod nvidia_topo;
mod pci_address;

pub use clean::{Line, lines};
