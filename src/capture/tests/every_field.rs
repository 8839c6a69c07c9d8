//! Facts in which every field is filled, every text of them with identifiers.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use crate::{
    capture::without_identifiers,
    facts::{
        Damage, EccCounts, FabricState, Fact, Facts, Gid, Gpu, GpuNic, GpuPair, Host, IommuMode, LinkClass, LogEvent,
        LogEventKind, LostGpu, Nic, NicPair, NumaNode, NvLink, NvLinkErrors, NvLinkRemote, NvLinkRemoteKind, Origin,
        P2pStatus, PciBridge, PciDevice, PcieLink, PcieUplink, PortState, RdmaDevice, RdmaPort, RemappedRows, Switch,
        Vendor,
    },
};

/// Every text and every identifier that was filled in has this in it, as hexadecimal digits too.
const MARK: &str = "5ec2e7";

/// Fills in texts, each with identifiers of its own.
#[derive(Default)]
struct Filler {
    count: Cell<u32>,
}

impl Filler {
    fn next(&self) -> u32 {
        self.count.set(self.count.get() + 1);
        self.count.get()
    }

    fn uuid(&self) -> String {
        format!("{MARK}00-0000-4000-8000-00{MARK}{:04x}", self.next())
    }

    /// A text as a tool or the kernel may print it.
    fn text(&self) -> String {
        format!("{} {HOST} {SERIAL}", self.words())
    }

    /// A text whose words are a vendor's. A machine that is called by one of them is not identified by its name.
    fn words(&self) -> String {
        let at = self.next();
        let (uuid, high, low) = (self.uuid(), at >> 8, at & 0xff);
        format!(
            "it is {uuid} 5e:c2:e7:00:{high:02x}:{low:02x} 0x{MARK}000000{at:04x} 5ec2:e700:0000:{at:04x} \
             fe80::5ec2:e7ff:fe00:{at:x} 2a01:5ec2:e7::{at:x} /home/alice{MARK}/x"
        )
    }

    fn fact<T>(&self, value: T) -> Fact<T> {
        Fact::known(value, self.text())
    }

    fn texts(&self) -> Fact<Vec<String>> {
        self.fact(vec![self.text(), self.text()])
    }

    fn text_fact(&self) -> Fact<String> {
        self.fact(self.text())
    }

    fn words_fact(&self) -> Fact<String> {
        self.fact(self.words())
    }
}

/// Identifiers without a form of their own, which stand in texts too.
const HOST: &str = "node5ec2e7";
const SERIAL: &str = "5ec2e7000017";

fn gpu(fill: &Filler) -> Gpu {
    let counts = || EccCounts { corrected: fill.fact(1), uncorrected: fill.fact(2) };
    let remote = NvLinkRemote { kind: NvLinkRemoteKind::Switch, pci_address: Some(fill.text()) };
    let link = NvLink { index: 0, active: true, speed: None, version: Some(4), remote: Some(remote) };
    let errors = NvLinkErrors { index: 0, counters: BTreeMap::from([(fill.text(), 3)]) };
    let uplink =
        PcieUplink { address: fill.text(), generation: None, generation_max: None, width: None, width_max: None };
    Gpu {
        index: 0,
        name: fill.words_fact(),
        uuid: fill.fact(format!("GPU-{}", fill.uuid())),
        serial: fill.fact(SERIAL.to_owned()),
        vbios: fill.text_fact(),
        pci_address: fill.text_fact(),
        memory: fill.fact("141GiB".parse().unwrap()),
        numa_nodes: fill.fact("0".parse().unwrap()),
        cpus: fill.fact("0-31".parse().unwrap()),
        numa_id: fill.fact(Some(1)),
        nvlinks: fill.fact(vec![link]),
        nvlink_errors: fill.fact(vec![errors]),
        pcie: PcieLink {
            generation: fill.fact(5),
            generation_max: fill.fact(5),
            width: fill.fact(16),
            width_max: fill.fact(16),
            under_load: fill.fact(true),
            replays: fill.fact(0),
        },
        pcie_uplinks: fill.fact(vec![uplink]),
        ecc: fill.fact(Switch::On),
        ecc_volatile: counts(),
        ecc_aggregate: counts(),
        remapped_rows: RemappedRows {
            correctable: fill.fact(0),
            uncorrectable: fill.fact(0),
            pending: fill.fact(false),
            failure: fill.fact(false),
        },
        retired_pages: fill.fact(0),
        fabric_state: fill.fact(FabricState::Completed),
        fabric_cluster: fill.fact(fill.uuid()),
        fabric_clique: fill.fact(7),
        fabric_problems: fill.texts(),
        persistence: fill.fact(Switch::On),
        mig: fill.fact(Switch::Off),
        throttle_reasons: fill.texts(),
    }
}

fn pair(fill: &Filler) -> GpuPair {
    GpuPair {
        a: 0,
        b: 1,
        class: fill.fact(LinkClass::NvLink(18)),
        nvlinks: fill.fact(18),
        ancestor: fill.fact(LinkClass::Pxb),
        pcie_path: fill.fact(LinkClass::Pxb),
        weight: fill.fact(15),
        hops: fill.fact(1),
        p2p_read: fill.fact(P2pStatus::Ok),
        p2p_write: fill.fact(P2pStatus::Ok),
        p2p_nvlink: fill.fact(P2pStatus::Ok),
        p2p_atomics: fill.fact(P2pStatus::Ok),
    }
}

fn rdma(fill: &Filler) -> RdmaDevice {
    let gid = |address: &str| Gid {
        index: fill.next(),
        address: address.to_owned(),
        kind: Some(fill.text()),
        netdev: Some(format!("enx{MARK}{:06x}", fill.next())),
    };
    let port = RdmaPort {
        number: 1,
        state: fill.fact(PortState::Active),
        physical_state: fill.words_fact(),
        rate: fill.fact("400Gb/s".parse().unwrap()),
        width: fill.words_fact(),
        link_layer: fill.words_fact(),
        active_mtu: fill.fact(4096),
        max_mtu: fill.fact(4096),
        gids: fill.fact(vec![gid("fe80::5ec2:e7ff:fe00:1"), gid("5ec2:e700::1"), gid(&fill.text())]),
        counters: BTreeMap::from([(fill.text(), fill.fact(0))]),
    };
    RdmaDevice {
        name: format!("rocex{MARK}{:06x}", fill.next()),
        firmware: fill.text_fact(),
        model: fill.words_fact(),
        board: fill.words_fact(),
        node_guid: fill.fact("5ec2:e703:00ab:1234".to_owned()),
        port_count: fill.fact(1),
        pci_address: fill.text_fact(),
        numa_node: fill.fact(0),
        ports: vec![port],
    }
}

fn host(fill: &Filler) -> Host {
    let node = NumaNode { index: 0, cpus: "0".parse().unwrap(), distances: vec![10] };
    let bridge = || PciBridge {
        address: fill.text(),
        buses_below: Some((1, 2)),
        acs_redirect: Some(vec![fill.text()]),
        acs_unread: Some(fill.text()),
    };
    let device = PciDevice { address: fill.text(), description: fill.text(), generation: Some(5), width: Some(16) };
    let event =
        || LogEvent { kind: LogEventKind::Xid, code: Some(79), device: Some(fill.text()), line: 1, quote: fill.text() };
    let hosts = [("NCCL_COMM_ID", "other5ec2e7:5000"), ("NCCL_HOSTID", "third5ec2e7"), ("NCCL_RAS_ADDR", "5ec2e7::1")];
    let variables = || {
        let mut all: BTreeMap<String, String> =
            hosts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        all.insert("NCCL_DEBUG_FILE".to_owned(), fill.text());
        fill.fact(all)
    };
    Host {
        name: fill.fact(HOST.to_owned()),
        kernel: fill.words_fact(),
        cpus: fill.fact(64),
        allowed_cpus: fill.fact("0-63".parse().unwrap()),
        cpu_model: fill.words_fact(),
        numa_nodes: fill.fact(vec![node]),
        virtual_machine: fill.fact(false),
        kernel_arguments: fill.texts(),
        iommu: fill.fact(IommuMode::Off),
        bridges: fill.fact(vec![bridge()]),
        bridges_seen: vec![bridge()],
        pci_devices: fill.fact(vec![device]),
        numa_balancing: fill.fact(Switch::Off),
        memlock: fill.fact(None),
        shm_size: fill.fact("1GiB".parse().unwrap()),
        hugepages: fill.fact("1GiB".parse().unwrap()),
        services: BTreeMap::from([(fill.text(), fill.text_fact())]),
        service_count: fill.fact(12),
        fabric_manager: fill.text_fact(),
        gpudirect: fill.texts(),
        kernel_log: fill.fact(vec![event()]),
        kernel_log_lines: fill.texts(),
        kernel_log_seen: vec![event()],
        kernel_log_lines_seen: vec![fill.text()],
        nccl_environment: variables(),
        nccl_configured: variables(),
    }
}

fn facts() -> Facts {
    let fill = &Filler::default();
    Facts {
        version: Facts::VERSION,
        origin: Origin::Saved { path: fill.text() },
        vendor: fill.fact(Vendor::Nvidia),
        gpu_count: fill.fact(2),
        gpus: vec![gpu(fill)],
        lost_gpus: vec![LostGpu { pci_address: fill.text(), source: fill.text(), quote: fill.text() }],
        gpu_pairs: vec![pair(fill)],
        nics: fill.fact(vec![Nic { label: fill.text(), device: Some(fill.text()) }]),
        gpu_nics: vec![GpuNic { gpu: 0, nic: fill.text(), class: fill.fact(LinkClass::Pix) }],
        nic_pairs: vec![NicPair { a: fill.text(), b: fill.text(), class: fill.fact(LinkClass::Sys) }],
        rdma_count: fill.fact(1),
        rdma_devices: vec![rdma(fill)],
        driver: fill.text_fact(),
        cuda: fill.text_fact(),
        host: host(fill),
        libraries: BTreeMap::from([(fill.text(), fill.text_fact())]),
        damage: vec![Damage { file: fill.text(), line: 1, quote: fill.text(), reason: fill.text() }],
        sources: BTreeMap::from([(fill.text(), fill.text())]),
    }
}

#[test]
fn no_identifier_is_left_in_any_field() {
    let before = serde_json::to_string_pretty(&facts()).unwrap();
    let after = serde_json::to_string_pretty(&without_identifiers(facts())).unwrap();
    assert!(before.lines().filter(|line| line.contains(MARK)).count() > 120);
    let marks = [MARK, "5ec2:e7", "5e:c2:e7", "alice"];
    let left: Vec<&str> = after.lines().filter(|line| marks.iter().any(|mark| line.contains(mark))).collect();
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn what_is_replaced_already_stays() {
    let once = without_identifiers(facts());
    assert_eq!(without_identifiers(once.clone()), once);
}

#[test]
fn reasons_are_texts_too() {
    let mut facts = Facts::new(Origin::Live);
    facts.driver = Fact::unknown("/home/alice/x cannot be read");
    facts.gpu_mut(0).serial = Fact::Conflict { reason: "a says 1654422000123, b says 1654422000124".to_owned() };
    facts.host.name = Fact::Conflict { reason: "uname says node17, /etc/hostname says node18".to_owned() };
    let facts = without_identifiers(facts);
    assert_eq!(facts.driver.reason(), Some("/home/user/x cannot be read"));
    assert_eq!(facts.gpus[0].serial.reason(), Some("a says 0000000000001, b says 0000000000002"));
    assert_eq!(facts.host.name.reason(), Some("uname says host-1, /etc/hostname says host-2"));
}

#[test]
fn two_machines_alike_but_for_their_identifiers_become_the_same() {
    let text = serde_json::to_string(&facts()).unwrap();
    let other: Facts = serde_json::from_str(&text.replace(MARK, "17abcd").replace("5ec2:e7", "17ab:cd")).unwrap();
    assert_ne!(other, facts());
    // Addresses and names differ, the stand-ins do not: nothing of an identifier is in them.
    let same: BTreeSet<String> =
        [other, facts()].map(|facts| serde_json::to_string(&without_identifiers(facts)).unwrap()).into();
    assert_eq!(same.len(), 1);
}
