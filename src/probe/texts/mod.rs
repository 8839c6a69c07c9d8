//! Readers of saved tool outputs, one file per tool. PURE: text in, facts out.
//!
//! A reader takes what a terminal, a ticket or a chat has left of an output. What it cannot rely on becomes
//! [`crate::facts::Damage`] and gives no facts; it never shifts a value into another place, and never panics.

pub(super) mod amd_links;
mod amd_tables;
pub(super) mod amd_values;
pub mod amdsmi_metric_json;
pub mod amdsmi_static_json;
pub mod amdsmi_topology_json;
pub mod amdsmi_topology_text;
mod clean;
pub mod cmdline;
pub mod dmesg;
mod folder;
mod gaps;
pub mod ibstat;
pub mod ibstatus;
pub mod ibv_devinfo;
mod listing;
pub mod lscpu;
pub mod lspci;
mod matrix;
#[cfg(test)]
mod mutation;
pub mod numactl;
mod nvidia_message;
pub mod nvidia_nvlink;
pub mod nvidia_p2p;
mod nvidia_query;
pub mod nvidia_query_text;
pub mod nvidia_query_xml;
pub mod nvidia_topo;
pub(in crate::probe) mod pci_address;
pub(in crate::probe) mod pcie_speed;
mod rdma_listing;
pub(in crate::probe) mod rdma_words;
pub mod rocmsmi_topo;
mod strict_json;

pub use clean::{Line, lines};
pub use folder::{file_names, read_all};
pub(super) use pci_address::PciAddress;
