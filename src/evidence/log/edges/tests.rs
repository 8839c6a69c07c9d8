use proptest::prelude::*;

use super::*;

fn carried(text: &str) -> Option<(u32, u32, Carrier)> {
    connection(text).map(|edge| (edge.from, edge.to, edge.carrier.owned()))
}

fn network_carrier(name: &str, device: u32, gpudirect: bool, proxy: Option<u32>) -> Carrier {
    Carrier::Network { name: name.into(), device: Some(device), gpudirect, proxy }
}

#[test]
fn peer_to_peer_of_all_versions() {
    let kinds = [
        ("2[3d000] -> 3[5e000] via P2P/IPC", "IPC"),
        ("2[3d000] -> 3[5e000] via P2P/IPC/read", "IPC"),
        ("2[2] -> 3[3] via P2P/direct pointer", "direct pointer"),
        ("2[2] -> 3[3] via P2P/direct pointer/read", "direct pointer"),
        ("2[2] -> 3[3] via P2P/CUMEM/read/CE", "CUMEM"),
        ("2[2] -> 3[3] via P2P/CUMEM/CE", "CUMEM"),
        ("2[2] -> 3[3] via P2P/MNNVL", "MNNVL"),
        ("2[3d000] -> 3[5e000] via P2P/IPC comm 0x5581 nRanks 16", "IPC"),
    ];
    for (text, kind) in kinds {
        assert_eq!(carried(text), Some((2, 3, Carrier::PeerToPeer(kind.into()))), "{text}");
    }
    let indirect = Carrier::Indirect("7[7]".into());
    assert_eq!(carried("2[2] -> 3[3] via P2P/indirect/7[7]/read"), Some((2, 3, indirect)));
}

#[test]
fn the_hosts_memory_of_all_versions() {
    for text in ["direct shared memory", "SHM/direct/direct", "SHM/CE/direct", "SHM/direct"] {
        assert_eq!(carried(&format!("0[0] -> 1[1] via {text}")), Some((0, 1, Carrier::SharedMemory)), "{text}");
    }
}

#[test]
fn networks() {
    let networks = [
        ("[send] via NET/IB/2/GDRDMA", network_carrier("IB", 2, true, None)),
        ("[receive] via NET/IB/2/GDRDMA(PCI)/Shared", network_carrier("IB", 2, true, None)),
        ("[send] via NET/IB/2(5)/GDRDMA", network_carrier("IB", 2, true, Some(5))),
        ("[send] via NET/IB/2(4)/GDRDMA", network_carrier("IB", 2, true, None)),
        ("[send] via NET/IB/12/Shared", network_carrier("IB", 12, false, None)),
        ("[receive] via NET/Socket/0", network_carrier("Socket", 0, false, None)),
        ("[send] via NET/Some Plugin v9/3(6)/GDRDMA", network_carrier("Some Plugin v9", 3, true, Some(6))),
        ("via NET/IB/2 comm 0xab nRanks 08", network_carrier("IB", 2, false, None)),
    ];
    for (text, carrier) in networks {
        assert_eq!(carried(&format!("4[0] -> 9[1] {text}")), Some((4, 9, carrier)), "{text}");
    }
}

#[test]
fn a_network_that_reduces() {
    for text in ["00/0 : 3 [send] via COLLNET/SHARP/1/GDRDMA", "07 : 3 [receive] via COLLNET/SHARP/1"] {
        let edge = collnet(text).map(|edge| (edge.from, edge.to, edge.carrier.owned()));
        assert_eq!(edge, Some((3, 3, Carrier::CollNet("SHARP".into()))), "{text}");
    }
}

#[test]
fn what_is_not_known_is_named_and_what_is_cut_is_nothing() {
    assert_eq!(carried("0[0] -> 1[1] via WARP/fast"), Some((0, 1, Carrier::Other("WARP".into()))));
    for cut in ["via P2P/CUM", "via P2P/direct poin", "via P2", "via NET/IB", "via NET/IB/0/GDR", "via NET/IB/0(3", "v"]
    {
        assert_eq!(carried(&format!("0[0] -> 1[1] {cut}")), None, "{cut}");
    }
    assert_eq!(carried("0[0] -> 1[1"), None);
}

#[test]
fn both_ends_of_a_connection_are_one() {
    let mut edges = Edges::default();
    for text in [
        "4[0] -> 9[1] [receive] via NET/IB/2/GDRDMA",
        "4[0] -> 9[1] [send] via NET/IB/2(5)/GDRDMA",
        "4[0] -> 9[1] [receive] via NET/IB/2/GDRDMA",
    ] {
        edges.add(connection(text).expect("a connection"));
    }
    let carrier = network_carrier("IB", 2, true, Some(5));
    assert_eq!(edges.into_set(), [Edge { from: 4, to: 9, carrier }].into());
}

#[test]
fn a_flood_of_connections_is_cut() {
    let mut edges = Edges::default();
    for to in 0..=u32::try_from(MOST).expect("a small number") {
        edges.add(EdgeText { from: 0, to, carrier: CarrierText::SharedMemory, whole: true });
    }
    assert!(edges.overflow);
    assert_eq!(edges.into_set().len(), MOST);
}

proptest! {
    #[test]
    fn a_cut_line_says_the_same_or_nothing_or_may_go_on(
        way in prop::sample::select(vec![
            "via P2P/CUMEM/read/CE", "via P2P/direct pointer", "via P2P/IPC comm 0x12 nRanks 08", "via P2P/indirect/12[12]",
            "via SHM/direct/direct", "via direct shared memory", "[send] via NET/IB/10(11)/GDRDMA(PCI)/Shared",
            "[receive] via NET/A Plugin/x/12/GDRDMA", "via WARP/fast",
        ]),
        at in 0_usize..90,
    ) {
        let whole = format!("10[1a000] -> 11[2b000] {way}");
        let told = carried(&whole);
        prop_assert!(told.is_some());
        if let Some(edge) = connection(&whole[..at.min(whole.len())]) {
            prop_assert!(!edge.whole || carried(&whole[..at.min(whole.len())]) == told);
        }
    }
}
