use proptest::prelude::*;

use super::LogReader;
use crate::evidence::{Carrier, Choice, Edge, LibraryLog};

fn read(lines: &[&str]) -> Option<LibraryLog> {
    let mut reader = LogReader::new("log.txt");
    for line in lines {
        reader.line(line);
    }
    reader.finish()
}

fn log(lines: &[&str]) -> LibraryLog {
    read(lines).expect("lines of the library")
}

fn peer_to_peer(from: u32, to: u32, kind: &str) -> Edge {
    Edge { from, to, carrier: Carrier::PeerToPeer(kind.into()) }
}

#[test]
fn a_run_of_two_ranks() {
    let log = log(&[
        "# some header of the program",
        "vm:7:7 [0] NCCL INFO NCCL version 2.27.3+cuda12.9",
        "vm:7:9 [0] NCCL INFO Using network Socket\r",
        "vm:7:9 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 0 nranks 2 cudaDev 0 nvmlDev 4 busId 1a000 commId 0xfe - Init START",
        "vm:7:9 [0] NCCL INFO comm 0x51 rank 0 nRanks 2 nNodes 1 localRanks 2 localRank 0 MNNVL 0",
        "vm:7:9 [0] NCCL INFO GPU/0-1a000 :GPU/0-1a000 (0/5000.0/LOC) GPU/0-2b000 (2/478.1/NVL) CPU/0-0 (1/24.0/PHB)",
        "vm:7:9 [0] NCCL INFO Channel 00/16 : 0 1",
        "vm:7:9 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1",
        "vm:7:9 [0] NCCL INFO Channel 00/0 : 0[4] -> 1[5] via P2P/CUMEM/read",
        "vm:7:9 [0] NCCL INFO Channel 01/0 : 0[4] -> 1[5] via P2P/CUMEM/read",
        "vm:7:9 [0] NCCL INFO Connected all rings, use ring PXN 0 GDR 1",
        "vm:7:9 [0] NCCL INFO 16 coll channels, 16 collnet channels, 0 nvls channels, 32 p2p channels, 32 p2p channels per peer",
        "vm:7:9 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 0 nranks 2 cudaDev 0 nvmlDev 4 busId 1a000 commId 0xfe - Init COMPLETE",
        "        1024    256  float  sum  -1vm:7:7 [0] NCCL INFO AllReduce: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}",
        "   20.1  0.05  0.05      0    19.8  0.05  0.05      0",
    ]);
    assert_eq!(log.libraries, ["NCCL 2.27.3".to_owned()].into());
    assert_eq!(log.networks, ["Socket".to_owned()].into());
    assert_eq!(
        (log.ranks[&0].device, log.ranks[&0].complete, log.ranks[&0].host.as_deref()),
        (Some(4), true, Some("vm"))
    );
    assert_eq!((log.nodes, log.channels), ([1].into(), [16].into()));
    assert_eq!(log.communicators, ["0xfe".to_owned()].into());
    assert_eq!(log.edges, [peer_to_peer(0, 1, "CUMEM")].into());
    assert_eq!((log.rings, log.trees), ([vec![0, 1]].into(), [(1, 0)].into()));
    assert_eq!((log.rings_connected, log.trees_connected), (true, false));
    assert_eq!(log.paths.first().map(|path| path.class.as_str()), Some("NVL"));
    let choice = Choice {
        operation: Some("AllReduce".into()),
        bytes: 1024,
        algorithm: "Ring".into(),
        protocol: "LL".into(),
        channels: Some(2),
    };
    assert_eq!(log.choices, [choice].into());
    assert_eq!((log.lines, log.unknown_lines, log.damage), (13, 0, vec![]));
    assert!(!log.nvls_used);
}

#[test]
fn lines_whose_prefix_is_gone() {
    let log = log(&[
        "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC",
        "  1: Channel 00 : 1[2b000] -> 0[1a000] via P2P/IPC",
        "NCCL INFO Channel 00/0 : 2[2] -> 3[3] via P2P/MNNVL",
        "[1,0]<stdout>:Tree 0 : -1 -> 0 -> 1/-1/-1",
        "Ring 00 : 1 -> 0 -> 1",
        "RCCL version : 2.22.3-HEAD:0a1b2c3",
    ]);
    let edges = [peer_to_peer(0, 1, "IPC"), peer_to_peer(1, 0, "IPC"), peer_to_peer(2, 3, "MNNVL")];
    assert_eq!((log.edges, log.trees), (edges.into(), [(1, 0)].into()));
    assert_eq!((log.libraries, log.lines), (["RCCL 2.22.3".to_owned()].into(), 6));
}

#[test]
fn a_text_without_the_library_is_no_log() {
    assert_eq!(read(&["epoch 3 loss 0.2", "Channel 4 is tuned", "Tree of life", "NCCL_DEBUG=INFO"]), None);
}

#[test]
fn warnings_are_counted_and_the_first_are_kept() {
    let warning = "[2025-01-02 03:04:05] vm:7:9 [1] transport/net.cc:11 (netConnect) NCCL WARN Peer has gone";
    let log = log(&[&[""][..], &vec![warning; 150], &["vm:7:9 [1] NCCL INFO transport/net.cc:12 -> 6"]].concat());
    assert_eq!((log.warnings.len(), log.warning_count, log.unknown_lines), (100, 150, 0));
    assert_eq!((log.warnings[0].line, log.warnings[0].text.as_str()), (2, "Peer has gone"));
}

#[test]
fn only_a_communicator_with_a_head_uses_nvls() {
    assert!(!log(&["vm:7:9 [0] NCCL INFO NVLS multicast support is available on dev 0 (NVLS_NCHANNELS 16)"]).nvls_used);
    assert!(log(&["vm:7:9 [0] NCCL INFO NVLS comm 0x51 headRank 0 nHeads 8 nvlsRanks 8"]).nvls_used);
}

#[test]
fn a_cut_connection_is_damage_and_the_line_glued_to_it_counts() {
    let log = log(&[
        "vm:7:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUvm:8:8 [1] NCCL INFO Channel 00/0 : 1[1] -> 0[0] via SHM/direct",
    ]);
    assert_eq!(log.edges, [Edge { from: 1, to: 0, carrier: Carrier::SharedMemory }].into());
    assert_eq!(log.damage.len(), 1);
}

#[test]
fn a_last_line_without_an_end_is_believed_only_where_it_cannot_go_on() {
    let ended = |line: &str| {
        let mut reader = LogReader::new("log.txt");
        reader.line("NCCL INFO Channel 00/0 : 2[0] -> 9[0] [send] via NET/IB/3");
        reader.unended_line(line);
        reader.finish().map(|log| (log.edges.len(), log.damage.len()))
    };
    assert_eq!(ended("NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/1"), Some((1, 1)));
    assert_eq!(ended("NCCL INFO Channel 01/0 : 2[0] -> 9[0] [send] via NET/IB/3"), Some((1, 0)));
    assert_eq!(ended("NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/1/GDRDMA"), Some((2, 0)));
    assert_eq!(ended("NCCL INFO comm 0x51 rank 0 nranks 2 cudaDev 0 busId 1a000 - Destroy COMPLETE"), Some((1, 0)));
}

#[test]
fn a_ring_shorter_than_the_communicator_is_damage() {
    let log = log(&[
        "NCCL INFO comm 0x51 rank 0 nranks 4 cudaDev 0 busId 1a000 - Init COMPLETE",
        "NCCL INFO Channel 00/02 : 0 1 2 3",
        "NCCL INFO Channel 01/02 : 0 1 2",
    ]);
    assert_eq!((log.rings, log.damage.len()), ([vec![0, 1, 2, 3]].into(), 1));
}

#[test]
fn coloured_lines() {
    let log = log(&[
        "\u{1b}[36m(worker pid=3)\u{1b}[0m vm:7:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\u{1b}[0m",
    ]);
    assert_eq!(log.edges, [peer_to_peer(0, 1, "CUMEM")].into());
}

#[test]
fn what_is_not_known_is_counted() {
    let log = log(&["vm:7:9 [0] NCCL INFO Quite a new message", "vm:7:9 NCCL CALL ncclGroupStart()"]);
    assert_eq!((log.lines, log.unknown_lines), (2, 1));
}

const WHOLE: &str = "vm:7:9 [0] NCCL INFO Channel 00/0 : 10[0] -> 11[1] [send] via NET/IB/12(13)/GDRDMA\n\
    vm:7:9 [0] NCCL INFO Channel 00/0 : 10[0] -> 19[1] [receive] via NET/IB/12\n\
    vm:7:9 [0] NCCL INFO Channel 00/0 : 12[0] -> 13[1] via P2P/direct pointer/read\n\
    Channel 00 : 14[1a000] -> 15[1b000] via P2P/indirect/16[1c000]\n\
    vm:7:9 [0] NCCL INFO Channel 00 : 16[1] -> 17[1] via SHM/direct/direct\n\
    vm:7:9 [0] NCCL INFO CollNet 00/0 : 18 [send] via COLLNET/SHARP/11/GDRDMA\n";

fn cut(text: &str) -> Option<LibraryLog> {
    let mut reader = LogReader::new("log.txt");
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => reader.line(line),
            None => reader.unended_line(line),
        }
    }
    reader.finish()
}

#[test]
fn a_cut_text_holds_no_other_connections() {
    let whole = cut(WHOLE).expect("lines of the library").edges;
    assert_eq!(whole.len(), 6);
    for at in 0..WHOLE.len() {
        let edges = cut(&WHOLE[..at]).unwrap_or_default().edges;
        assert!(edges.is_subset(&whole), "{}", &WHOLE[..at]);
    }
}

proptest! {
    #[test]
    fn any_text_is_read(lines in prop::collection::vec("\\PC*", 0..4), ended in any::<bool>()) {
        let mut reader = LogReader::new("log.txt");
        for line in &lines {
            reader.line(line);
            reader.line(&format!("vm:7:9 [0] NCCL INFO {line}"));
        }
        if !ended {
            reader.unended_line(&lines.concat());
        }
        prop_assert_eq!(reader.finish().is_none(), lines.is_empty());
    }

    #[test]
    fn any_ending_is_read(
        start in prop::sample::select(vec![
            "Channel 00/0 : ", "Channel 0 : 0[0] -> 1[1] ", "CollNet 0 : ", "Ring ", "Tree ", "Trees ", "comm 0x", "[Rank ",
            "AllReduce: ", "8 Bytes -> ", "NCCL_", "NET/", "GPU/0-1 :GPU/", "Using network ", "NCCL version ", "NVLS comm ",
        ]),
        end in "[-0-9a-f \\[\\]>/:.()|é]*",
    ) {
        let line = format!("vm:7:9 [0] NCCL INFO {start}{end}");
        prop_assert!(read(&[&line]).is_some());
        read(&[&format!("{start}{end}")]);
    }
}
