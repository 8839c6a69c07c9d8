use serde_json::{Value, json};

use super::folder::Folder;

/// An RDMA device with one port, as mlx5_core makes one for each function of a card.
#[derive(Clone, Debug)]
pub struct RdmaDevice {
    pub name: String,
    /// Address of its PCI device.
    pub pci: String,
    /// 16 hexadecimal digits.
    pub guid: u64,
    /// That of the card's first function.
    pub system_guid: u64,
    pub model: &'static str,
    pub board: &'static str,
    pub port: Port,
}

/// Its port 1.
#[derive(Clone, Debug)]
pub struct Port {
    /// `4: ACTIVE`.
    pub state: &'static str,
    /// `5: LinkUp`.
    pub physical_state: &'static str,
    /// `400 Gb/sec (4X NDR)`.
    pub rate: &'static str,
    pub lid: u32,
    pub sm_lid: u32,
    /// Network interface and its MTU; an InfiniBand port shows none among its GIDs.
    pub ethernet: Option<(String, u32)>,
    /// Active MTU as libibverbs numbers it: 5 is 4096 bytes.
    pub active_mtu: u32,
}

impl Port {
    /// An InfiniBand port of 400 Gb/s that a subnet manager configured.
    pub fn infiniband(lid: u32) -> Self {
        Self {
            state: "4: ACTIVE",
            physical_state: "5: LinkUp",
            rate: "400 Gb/sec (4X NDR)",
            lid,
            sm_lid: 1,
            ethernet: None,
            active_mtu: 5,
        }
    }

    /// A RoCE port: base and subnet manager's LID are 0.
    pub fn ethernet(rate: &'static str, interface: &str, mtu: u32) -> Self {
        let ethernet = Some((interface.to_owned(), mtu));
        // What is left of the MTU by RoCE's headers of 96 bytes.
        let active_mtu = if mtu >= 4192 { 5 } else { 3 };
        Self { rate, lid: 0, sm_lid: 0, ethernet, active_mtu, ..Self::infiniband(0) }
    }

    /// Without a cable. The rate is a placeholder then: of a lane SDR on InfiniBand, of four QDR on Ethernet.
    pub fn down(&mut self) {
        (self.state, self.physical_state) = ("1: DOWN", "2: Polling");
        self.rate = if self.ethernet.is_some() { "40 Gb/sec (4X QDR)" } else { "10 Gb/sec (4X SDR)" };
        (self.lid, self.sm_lid) = (if self.ethernet.is_some() { 0 } else { 65535 }, 0);
    }

    /// What the stand-in for libibverbs answers.
    fn verbs(&self) -> Value {
        let state: u32 = self.state[..1].parse().unwrap();
        json!({"state": state, "max_mtu": 5, "active_mtu": self.active_mtu})
    }
}

/// The counters of `counters` and `hw_counters` that are watched, all 0 on a new port.
const COUNTERS: [&str; 10] = [
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "port_rcv_errors",
    "port_rcv_remote_physical_errors",
    "port_xmit_discards",
    "port_xmit_wait",
    "local_link_integrity_errors",
    "excessive_buffer_overrun_errors",
    "VL15_dropped",
];
const HW_COUNTERS: [&str; 6] = [
    "out_of_sequence",
    "packet_seq_err",
    "local_ack_timeout_err",
    "rnr_nak_retry_err",
    "implied_nak_seq_err",
    "np_ecn_marked_roce_packets",
];

impl RdmaDevice {
    /// A ConnectX-7 without a fault.
    pub fn connectx7(name: &str, pci: &str, guid: u64, port: Port) -> Self {
        let board = if port.ethernet.is_some() { "MT_0000000891" } else { "MT_0000000838" };
        Self { name: name.to_owned(), pci: pci.to_owned(), guid, system_guid: guid, model: "MT4129", board, port }
    }

    /// Writes the device's folder below that of its PCI device at `pci_path`, and the links to it.
    pub fn write(&self, folder: &Folder, pci_path: &str) {
        let device = format!("sys/devices/{pci_path}/infiniband/{}", self.name);
        let value = |file: &str, value: &str| folder.value(&format!("{device}/{file}"), value);
        value("node_guid", &guid(self.guid));
        value("sys_image_guid", &guid(self.system_guid));
        value("fw_ver", "28.43.2026");
        value("hca_type", self.model);
        value("board_id", self.board);
        value("node_desc", &format!("node {}", self.name));
        folder.link(&format!("{device}/device"), &format!("sys/devices/{pci_path}"));
        folder.link(&format!("sys/class/infiniband/{}", self.name), &device);
        self.write_port(folder, &format!("{device}/ports/1"));
        if let Some((interface, mtu)) = &self.port.ethernet {
            let net = format!("sys/devices/{pci_path}/net/{interface}");
            folder.value(&format!("{net}/mtu"), mtu);
            folder.link(&format!("sys/class/net/{interface}"), &net);
        }
    }

    fn write_port(&self, folder: &Folder, at: &str) {
        let value = |file: &str, value: &str| folder.value(&format!("{at}/{file}"), value);
        let port = &self.port;
        value("state", port.state);
        value("phys_state", port.physical_state);
        value("rate", port.rate);
        value("link_layer", if port.ethernet.is_some() { "Ethernet" } else { "InfiniBand" });
        value("lid", &format!("{:#x}", port.lid));
        value("sm_lid", &format!("{:#x}", port.sm_lid));
        value("cap_mask", if port.ethernet.is_some() { "0x00010000" } else { "0xa751e848" });
        self.write_gids(folder, at);
        for name in COUNTERS {
            value(&format!("counters/{name}"), "0");
        }
        value("counters/port_xmit_data", "123456");
        value("counters/port_rcv_data", "123456");
        for name in HW_COUNTERS {
            value(&format!("hw_counters/{name}"), "0");
        }
    }

    /// The first GIDs, and an empty one. RoCE has each address as v1 and as v2.
    fn write_gids(&self, folder: &Folder, at: &str) {
        let value = |file: &str, value: &str| folder.value(&format!("{at}/{file}"), value);
        let address = format!("fe80:0000:0000:0000:{}", guid(self.guid));
        let kinds: &[&str] = if self.port.ethernet.is_some() { &["IB/RoCE v1", "RoCE v2"] } else { &["IB/RoCE v1"] };
        for (index, kind) in kinds.iter().enumerate() {
            value(&format!("gids/{index}"), &address);
            value(&format!("gid_attrs/types/{index}"), kind);
            if let Some((interface, _)) = &self.port.ethernet {
                value(&format!("gid_attrs/ndevs/{index}"), interface);
            }
        }
        value(&format!("gids/{}", kinds.len()), "0000:0000:0000:0000:0000:0000:0000:0000");
    }

    /// What the stand-in for libibverbs answers.
    pub fn verbs(&self) -> Value {
        json!({"ports": {"1": self.port.verbs()}})
    }
}

/// `a088:c203:0000:0001`.
fn guid(guid: u64) -> String {
    let digits = format!("{guid:016x}");
    [&digits[..4], &digits[4..8], &digits[8..12], &digits[12..]].join(":")
}
